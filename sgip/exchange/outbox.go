package exchange

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/outbound"
)

const (
	// maxAttempts is how many letters are under way at one time.
	maxAttempts = 128
	// lookAt is how many due letters are looked at: those under way are due as well.
	lookAt = 2 * maxAttempts
	// firstWait is the wait after the first attempt without an end; it doubles
	// from there up to a cap.
	firstWait = time.Second
	// definiteWaits caps the waits of letters that any definite answer ends
	// (contract 5), okWaits those of letters that an ok alone ends (contract 7.4).
	definiteWaits = time.Minute
	okWaits       = time.Hour
	// queuedWaits caps them for what the hub holds: a person may be looking at
	// 'waits', and asking costs the hub little.
	queuedWaits = 15 * time.Second
	// defaultTimeout bounds an attempt where the configuration doesn't (section 5).
	defaultTimeout = 10 * time.Second
	// lookAgain is the longest that the worker sleeps without looking: what it
	// waits for is measured by a clock that a person may set.
	lookAgain = 10 * time.Second
)

// OutboxConfig is what an Outbox is built from.
type OutboxConfig struct {
	Self     string
	Signer   func() sgip.Signer // asked for each attempt, so that a rotation is noticed
	Client   *outbound.Client
	Peer     Peer
	Store    Store
	Clock    func() time.Time
	NewID    func() string // a fresh ULID
	Observer Observer      // may be nil
	Log      *slog.Logger  // may be nil
	Timeout  time.Duration // of one attempt, to the last byte
	MaxReply int           // bytes; sgip.MaxBody where it is 0
	// AtOnce bounds the letters under way to one platform, so that a dead one
	// can't hold up the others; 0 leaves all there are to it.
	AtOnce int
	// Hold, where it is set, keeps a letter back without an attempt as long as it
	// says so.
	Hold func(l Letter) bool
	// Refused hears, where it is set, that a platform doesn't accept our
	// signature (BadSignature, Expired): it may have forgotten us.
	Refused func(platform string)
}

// Outbox sends envelopes: Call makes one attempt and brings the answer; Post
// writes a letter down, which Run sends until it is done. On comes before Run.
type Outbox struct {
	c        OutboxConfig
	answered map[sgip.Op]Answered
	waits    map[sgip.Op]Waits
	nudge    chan struct{} // the worker should look at once

	mu       sync.Mutex
	underway map[string]bool            // letters being attempted
	awaited  map[string][]chan struct{} // by letter
	reached  map[string]*reach          // by platform
	woken    map[string]bool            // platforms whose letters are to be tried now
	looked   time.Time                  // when the worker looked last
}

// NewOutbox builds an outbox.
func NewOutbox(c OutboxConfig) *Outbox {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.MaxReply == 0 {
		c.MaxReply = sgip.MaxBody
	}
	if c.AtOnce == 0 {
		c.AtOnce = maxAttempts
	}
	if c.Hold == nil {
		c.Hold = func(Letter) bool { return false }
	}
	return &Outbox{
		c: c, answered: map[sgip.Op]Answered{}, waits: map[sgip.Op]Waits{}, nudge: make(chan struct{}, 1),
		underway: map[string]bool{}, awaited: map[string][]chan struct{}{}, reached: map[string]*reach{}, woken: map[string]bool{},
	}
}

// On says who hears how letters of op end.
func (o *Outbox) On(op sgip.Op, h Answered) { o.answered[op] = h }

// OnWaits says who hears that the hub holds letters of op for an offline
// platform.
func (o *Outbox) OnWaits(op sgip.Op, h Waits) { o.waits[op] = h }

// Post writes a letter down in the caller's transaction and wakes the worker
// once that is committed. The error is the store's; a letter whose ID is in use
// is refused.
func (o *Outbox) Post(ctx context.Context, l Letter) error {
	now := o.c.Clock()
	if l.PostedAt.IsZero() {
		l.PostedAt = now
	}
	if l.EnvelopeID == "" {
		l.EnvelopeID = l.ID
	}
	d := Draft{Letter: l, Due: now}
	if l.Attempts > 0 {
		d.Due = o.nextTry(d, sgip.Reply{})
	}
	if err := o.c.Store.AddLetter(ctx, d); err != nil {
		return err
	}
	o.c.Store.AfterCommit(ctx, o.look)
	return nil
}

// Posted reports whether a letter is still to be sent.
func (o *Outbox) Posted(ctx context.Context, letterID string) (bool, error) {
	return o.c.Store.HasLetter(ctx, letterID)
}

// InLane counts the letters of a lane that are still to be sent.
func (o *Outbox) InLane(ctx context.Context, lane string) (int, error) {
	return o.c.Store.LettersInLane(ctx, lane)
}

// To counts the letters to a platform that are still to be sent.
func (o *Outbox) To(ctx context.Context, platform string) (int, error) {
	return o.c.Store.LettersTo(ctx, platform)
}

// Await returns nil once the letter is done and its handler has been committed,
// or if there is no such letter; the context's error otherwise. It must not be
// called in a transaction.
func (o *Outbox) Await(ctx context.Context, letterID string) error {
	done := make(chan struct{})
	o.mu.Lock()
	o.awaited[letterID] = append(o.awaited[letterID], done)
	o.mu.Unlock()
	defer o.unawait(letterID, done)
	// Looked up after waiting has begun, so that the end can't slip between.
	there, err := o.Posted(ctx, letterID)
	if err != nil || !there {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (o *Outbox) unawait(letterID string, done chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var left []chan struct{}
	for _, other := range o.awaited[letterID] {
		if other != done {
			left = append(left, other)
		}
	}
	if o.awaited[letterID] = left; left == nil {
		delete(o.awaited, letterID)
	}
}

// ended tells those who await the letter.
func (o *Outbox) ended(letterID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, done := range o.awaited[letterID] {
		close(done)
	}
	delete(o.awaited, letterID)
}
