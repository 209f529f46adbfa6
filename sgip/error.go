package sgip

import (
	"errors"
	"fmt"
)

// Code is one of the error codes of section 5. The list is closed.
type Code string

// The error codes of section 5.
const (
	BadSignature      Code = "bad_signature"
	Expired           Code = "expired"
	InvalidPayload    Code = "invalid_payload"
	OpUnsupported     Code = "op_unsupported"
	NotFound          Code = "not_found"
	Forbidden         Code = "forbidden"
	RateLimited       Code = "rate_limited"
	LimitReached      Code = "limit_reached"
	InsufficientFunds Code = "insufficient_funds"
	PlatformOffline   Code = "platform_offline"
	Internal          Code = "internal"
)

// Transient reports whether an answer with this code is retryable by default
// and is therefore never remembered as the answer to an envelope (section 5).
func (c Code) Transient() bool {
	return c == RateLimited || c == PlatformOffline || c == Internal
}

// Known reports whether the code is one of section 5.
func (c Code) Known() bool {
	switch c {
	case BadSignature, Expired, InvalidPayload, OpUnsupported, NotFound, Forbidden,
		RateLimited, LimitReached, InsufficientFunds, PlatformOffline, Internal:
		return true
	}
	return false
}

// Error is a refusal as the protocol tells it. Message is safe to show to the
// other side; the wrapped cause never leaves this process.
type Error struct {
	Code    Code
	Message string
	// Final marks a transient code that must not be asked again with the same
	// id (a voided charge, an expired queue entry).
	Final bool
	// Again is set by ParseReply alone: the other side calls a code retryable
	// that section 5 doesn't know.
	Again bool
	// RetryAfter is in seconds; it is sent with rate_limited only.
	RetryAfter int
	Err        error
}

// Errorf makes an Error whose message is formatted like fmt.Sprintf.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error with a safe message and a private cause.
func Wrap(code Code, cause error, message string) *Error {
	return &Error{Code: code, Message: message, Err: cause}
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Retryable is the retryable field of the reply.
func (e *Error) Retryable() bool { return e.Again || e.Code.Transient() && !e.Final }

// AsError finds the protocol error in err; anything else becomes Internal with
// a message that reveals nothing. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Wrap(Internal, err, "something went wrong on this side; nothing was changed")
}

// CodeOf is the code of err, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}
