package sgip

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Reply is the synchronous answer to an envelope (section 5). Exactly one of
// Result and Error is set.
type Reply struct {
	OK     bool
	ID     string // "" stands for null
	Result json.RawMessage
	Error  *Error
}

// OKReply answers the envelope id with result, which is marshalled once; nil
// stands for {}. The error comes from marshalling alone.
func OKReply(id string, result any) (Reply, error) {
	raw, err := marshalObject(result)
	if err != nil {
		return Reply{}, err
	}
	return Reply{OK: true, ID: id, Result: raw}, nil
}

// ErrorReply answers with the refusal that err tells (see AsError).
func ErrorReply(id string, err error) Reply { return Reply{ID: id, Error: AsError(err)} }

// maxErrorMessage is how much of an error's message is sent or kept, in bytes:
// it is for people, and must not carry a page of someone's input.
const maxErrorMessage = 1000

// Encode gives the JSON of section 5. The result's bytes go out as they are.
func (r Reply) Encode() []byte {
	out := make([]byte, 0, 256+len(r.Result))
	if r.OK {
		out = append(out, `{"ok":true,"id":`...)
		out = appendID(out, r.ID)
		out = append(out, `,"result":`...)
		return append(append(out, r.Result...), '}')
	}
	out = append(out, `{"ok":false,"id":`...)
	out = appendID(out, r.ID)
	out = append(out, `,"error":`...)
	wire := wireError{Code: r.Error.Code, Message: clip(r.Error.Message), Retryable: r.Error.Retryable()}
	if r.Error.Code == RateLimited {
		wire.RetryAfter = r.Error.RetryAfter
	}
	body, err := Marshal(wire)
	if err != nil { // strings, bools and ints always marshal
		body = []byte(`{"code":"internal","message":"","retryable":true}`)
	}
	return append(append(out, body...), '}')
}

type wireError struct {
	Code       Code   `json:"code"`
	Message    string `json:"message"`
	Retryable  bool   `json:"retryable"`
	RetryAfter int    `json:"retry_after,omitzero"`
}

func appendID(out []byte, id string) []byte {
	if id == "" {
		return append(out, "null"...)
	}
	return append(append(append(out, '"'), id...), '"') // a ULID needs no escape
}

// clip keeps a message valid UTF-8 and short.
func clip(message string) string {
	if len(message) > maxErrorMessage {
		message = message[:maxErrorMessage]
	}
	return strings.ToValidUTF8(message, "")
}

// ParseReply reads a whole response body under the rules of ParseEnvelope, at
// most limit bytes. wantID is the id of the envelope that was sent: a reply
// with another id is an error; an error reply with id null counts and gets
// wantID. An error code outside section 5 is kept as it is. Result is a view of
// body. The error is InvalidPayload: such an answer is no answer.
func ParseReply(body []byte, wantID string, limit int) (Reply, error) {
	o, err := readObject(body, limit)
	if err != nil {
		return Reply{}, err
	}
	ok, err := o.boolean("ok")
	if err != nil {
		return Reply{}, err
	}
	if err := o.checkReplyID(ok, wantID); err != nil {
		return Reply{}, err
	}
	result, hasResult := o.get("result")
	refusal, hasError := o.get("error")
	if hasResult != ok || hasError == ok {
		return Reply{}, Errorf(InvalidPayload, "a reply must have a result if ok, an error if not, and never both")
	}
	if ok {
		if result.Kind() != '{' {
			return Reply{}, Errorf(InvalidPayload, "result: must be an object")
		}
		return Reply{OK: true, ID: wantID, Result: json.RawMessage(result)}, nil
	}
	e, err := readRefusal(refusal)
	if err != nil {
		return Reply{}, err
	}
	return Reply{ID: wantID, Error: e}, nil
}

func (o object) checkReplyID(ok bool, wantID string) error {
	v, there := o.get("id")
	if !there {
		return Errorf(InvalidPayload, "id: is missing")
	}
	if isNull(v) && !ok {
		return nil
	}
	id, err := stringOf("id", v)
	if err != nil {
		return err
	}
	if id != wantID {
		return Errorf(InvalidPayload, "id: answers another envelope")
	}
	return nil
}

// maxRetryAfter is the longest wait that a rate_limited answer is believed, in
// seconds: one day, so that a slip of the other side can't silence a sender.
const maxRetryAfter = 24 * 60 * 60

func readRefusal(v jsontext.Value) (*Error, error) {
	o, err := nested("error", v)
	if err != nil {
		return nil, err
	}
	code, err := o.member("error", "code")
	if err != nil {
		return nil, err
	}
	if !validWord(code) {
		return nil, Errorf(InvalidPayload, "error.code: must be a lower-case word")
	}
	message, err := o.member("error", "message")
	if err != nil {
		return nil, err
	}
	retryable, err := o.boolean("retryable")
	if err != nil {
		return nil, err
	}
	e := &Error{Code: Code(code), Message: clip(message)}
	e.Final = e.Code.Transient() && !retryable
	e.Again = !e.Code.Known() && retryable
	if after, ok := o.get("retry_after"); ok && e.Code == RateLimited {
		seconds, err := integerOf("error.retry_after", after)
		if err != nil {
			return nil, err
		}
		e.RetryAfter = int(min(seconds, maxRetryAfter))
	}
	return e, nil
}

// Queued reports whether the hub holds the envelope for an offline platform
// (section 5): an ok whose result is {"queued": true}.
func (r Reply) Queued() bool {
	if !r.OK {
		return false
	}
	o, err := readObject(r.Result, MaxHubReply)
	if err != nil {
		return false
	}
	queued, err := o.boolean("queued")
	return err == nil && queued
}

// Status is the informative HTTP status of a reply (contract 0). This is the
// one table from code to status; 413 is for InvalidPayload caused by ErrTooLarge.
func (r Reply) Status() int {
	if r.OK {
		return http.StatusOK
	}
	switch r.Error.Code {
	case InvalidPayload:
		if errors.Is(r.Error, ErrTooLarge) {
			return http.StatusRequestEntityTooLarge
		}
		return http.StatusBadRequest
	case BadSignature, Expired:
		return http.StatusUnauthorized
	case InsufficientFunds:
		return http.StatusPaymentRequired
	case Forbidden, LimitReached:
		return http.StatusForbidden
	case NotFound, OpUnsupported:
		return http.StatusNotFound
	case RateLimited:
		return http.StatusTooManyRequests
	case PlatformOffline:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
