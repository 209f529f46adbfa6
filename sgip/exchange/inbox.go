package exchange

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"sgip.example/starter/sgip"
)

// InboxConfig is what an Inbox is built from.
type InboxConfig struct {
	Self          string // platform id, or sgip.HubID
	Mode          sgip.Mode
	Store         Store
	Keys          Keys
	Introductions Introductions // hub only, nil in games
	// Throttle holds a platform whose signature is good to its rate: RateLimited,
	// with the seconds to wait. Hub only, nil in games.
	Throttle func(platform string, op sgip.Op) error
	// Route answers envelopes that are addressed to another platform; it checks
	// target, op and payload itself. Nil in games, where they are Forbidden.
	Route    Handler
	Path     string // where it is served; "" leaves that to the server
	Clock    func() time.Time
	Observer Observer     // may be nil
	Log      *slog.Logger // may be nil
}

// Inbox answers signed envelopes: it checks them in the order of contract 5,
// answers each once, and remembers its answers. Handle comes before Serve.
type Inbox struct {
	c        InboxConfig
	handlers map[sgip.Op]Handler
	flights  flights
	served   atomic.Uint64 // counts what may spend a nonce, for sweeping
}

// NewInbox builds an inbox that handles nothing yet.
func NewInbox(c InboxConfig) *Inbox {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Inbox{c: c, handlers: map[sgip.Op]Handler{}, flights: flights{open: map[claimKey]*flight{}}}
}

// Handle says who answers op. What nobody handles is OpUnsupported.
func (in *Inbox) Handle(op sgip.Op, h Handler) { in.handlers[op] = h }

// Serve answers one request. It never fails: every refusal is a reply of
// section 5.
func (in *Inbox) Serve(ctx context.Context, r Request) (response Response) {
	began := in.c.Clock()
	var seen accepted
	defer func() {
		if fault := recover(); fault != nil {
			in.c.Log.Error("panic in inbox", "id", seen.ID, "panic", fault, "stack", string(debug.Stack()))
			response = refuse("", sgip.Errorf(sgip.Internal, "a fault on this side")).response()
		}
	}()
	a := in.serve(ctx, r, &seen)
	if in.c.Observer != nil {
		in.c.Observer.Observe(Event{
			At: began, Peer: seen.From.Platform, Op: seen.Op, ID: seen.ID, Code: a.code,
			Took: in.c.Clock().Sub(began), Request: Masked{r.Body}, Response: Masked{a.body},
		})
	}
	return a.response()
}

func (in *Inbox) serve(ctx context.Context, r Request, seen *accepted) answer {
	path, err := in.checkFraming(r)
	if err != nil {
		return refuse("", err)
	}
	a, err := in.accept(ctx, r, path)
	if err != nil {
		return refuse(a.ID, err)
	}
	if a.refusal == nil {
		*seen = a
	}
	return in.answer(ctx, a)
}

// answer is a reply with what is told about it.
type answer struct {
	body   []byte
	status int
	code   sgip.Code
}

func (a answer) response() Response { return Response{Status: a.status, Body: a.body} }

func answerOf(r sgip.Reply) answer {
	a := answer{body: r.Encode(), status: r.Status()}
	if r.Error != nil {
		a.code = r.Error.Code
	}
	return a
}

func refuse(id string, err error) answer { return answerOf(sgip.ErrorReply(id, err)) }

// remembered turns stored bytes back into an answer.
func remembered(id string, body []byte) (answer, error) {
	r, err := sgip.ParseReply(body, id, sgip.MaxHubReply)
	if err != nil {
		return answer{}, err
	}
	a := answerOf(r)
	a.body = body
	return a, nil
}
