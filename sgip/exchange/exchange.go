// Package exchange takes envelopes in and sends them out, for games and hub
// alike: the rules of replay, retry and once-only answers exist here once
// (sections 4 to 6). Build an Inbox and give it Handlers; build an Outbox, tell
// it what to do with answers, and Run it.
package exchange

import (
	"context"
	"errors"
	"time"

	"sgip.example/starter/sgip"
)

// Request is a request as it came off the wire, copied out of whatever
// framework received it.
type Request struct {
	Method           string
	Target           string   // the raw request target
	Signatures       []string // every SGIP-Signature header
	ContentTypes     []string
	ContentEncodings []string
	ContentLengths   []string
	TransferEncoding bool
	Body             []byte
	TooLarge         bool   // the body was over sgip.MaxBody and was not read whole
	Source           string // the address it came from, for rates
}

// Response is what goes back.
type Response struct {
	Status int
	Body   []byte
}

// Incoming is an envelope whose signature, time, nonce, form and sender have
// been accepted. Body is the exact bytes received.
type Incoming struct {
	sgip.Envelope
	Body  []byte
	KeyID string
}

// Answer is what a handler decides. With Ask nil, Result is the answer, kept in
// the same transaction unless Unkept: then the handler is asked again when the
// envelope comes again, and only that its id is taken by this body is kept
// (Inbox.Settle ends it). With Ask set, someone must be asked first: Ask runs
// outside any transaction, and the Finish it returns runs in a second one.
type Answer struct {
	Result any
	Unkept bool
	Ask    func(ctx context.Context) Finish
}

// Finish decides, in a transaction, what an Ask brought. Its Answer has no Ask.
type Finish func(ctx context.Context) (Answer, error)

// Handler answers one operation. It runs inside the transaction that spends the
// nonce and claims the envelope. An error undoes what the handler wrote (not the
// nonce, not the remembered refusal), except where it is wrapped by Keep.
// It must be repeatable: after a crash between its two steps it runs again, with
// the same envelope.
type Handler func(ctx context.Context, in Incoming) (Answer, error)

// Keep marks a refusal whose writes stay: a debit refused is remembered.
func Keep(err error) error { return keptError{err, err} }

// KeepAs marks a refusal whose writes stay and that is told once: whoever sends
// the same envelope again gets the other one, which is kept.
func KeepAs(now, later error) error { return keptError{now, later} }

type keptError struct {
	error
	later error
}

func (k keptError) Unwrap() error { return k.error }

// Keys tells the inbox who signs.
type Keys interface {
	// Key finds a public key by its id. BadSignature if nobody has it,
	// PlatformOffline if it can't be had just now.
	Key(ctx context.Context, keyID string) (sgip.PublicKey, error)
	// Admit decides whether the holder of the key may send this envelope:
	// Forbidden for a sender it doesn't speak for, or one that is suspended.
	Admit(ctx context.Context, keyID string, env sgip.Envelope) error
}

// Introductions is set on the hub only: operations whose key is found through
// the sender's own descriptor (hub.hello@1), in the order of checks of
// contract 5.
type Introductions interface {
	// Introduces reports whether op is such an operation.
	Introduces(op sgip.Op) bool
	// Keys holds the address that the request came from to its rate, fetches the
	// sender's descriptor and gives the keys it lists.
	Keys(ctx context.Context, env sgip.Envelope, source string) ([]sgip.PublicKey, error)
}

// Peer finds where a platform, or the hub, takes its envelopes.
type Peer interface {
	// Endpoint is the inbox of a platform, or the hub's ops URL for sgip.HubID.
	Endpoint(ctx context.Context, platform string) (string, error)
}

var _ Caller = (*Outbox)(nil)

// Event is one envelope seen by the Observer, in or out. Of an incoming one that
// wasn't accepted only the code is certain: Peer, Op and ID are set once its
// signature and sender are good.
type Event struct {
	At       time.Time
	Out      bool
	Peer     string // the other side
	Op       sgip.Op
	ID       string
	Code     sgip.Code // "" for ok
	Took     time.Duration
	Request  Masked
	Response Masked
}

// Observer sees every envelope, in and out. It must not block.
type Observer interface{ Observe(Event) }

// Until says when a letter is done.
type Until int

const (
	// UntilDefinite: an ok or a non-retryable error ends it; every attempt has
	// the same id and bytes.
	UntilDefinite Until = iota
	// UntilOK: only an ok ends it, and each attempt after an answer carries a
	// fresh envelope id (voids and refunds, contract 7.4).
	UntilOK
)

// Letter is something to be sent, kept on disk until it is done.
type Letter struct {
	ID         string // the letter's own name
	EnvelopeID string // of Body; ID unless set
	To         string // platform, or sgip.HubID
	Op         sgip.Op
	Body       []byte
	Until      Until
	// Lane is "" for a letter alone. Letters of one lane go one at a time, in
	// order; one that the hub holds for an offline platform lets the next ones
	// follow it there.
	Lane     string
	Attempts int // made so far; a letter posted with some waits before the next
	PostedAt time.Time
	// Expires is when the letter is given up: its handler hears a final
	// PlatformOffline. Zero for never.
	Expires time.Time
}

// Answered handles the end of a letter, in the transaction that removes it. With
// an error the letter stays and is sent again.
type Answered func(ctx context.Context, l Letter, r sgip.Reply) error

// ErrNotYet is what an Answered returns to an answer that is sound but not the
// end (a refund that is pending, contract 4): the same envelope asks again.
var ErrNotYet = errors.New("not the end yet")

// Waits hears that the hub holds a letter for an offline platform, once, in the
// transaction that writes it down. Its end follows.
type Waits func(ctx context.Context, l Letter) error

// Caller makes one signed attempt and returns what came back. The error is
// PlatformOffline when no definite answer came.
type Caller interface {
	Call(ctx context.Context, platform string, id string, body []byte) (sgip.Reply, error)
}
