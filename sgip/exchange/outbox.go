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
	maxAttempts = 64
	// firstWait is the wait after the first attempt without an end; it doubles
	// from there up to MaxWait.
	firstWait = time.Second
	// defaultMaxWait caps the waits where the configuration doesn't (contract 5).
	defaultMaxWait = time.Minute
	// defaultTimeout bounds an attempt where the configuration doesn't (section 5).
	defaultTimeout = 10 * time.Second
	// lookAgain is the longest that the worker sleeps without looking: what it
	// waits for is measured by a clock that a person may set.
	lookAgain = 10 * time.Second
	// wakeAgain is how often an answer after silence wakes a platform's letters at
	// most: one that answers every other time must not be hammered.
	wakeAgain = 10 * time.Second
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
	MaxWait  time.Duration // cap of the growing waits between attempts
	MaxReply int           // bytes; sgip.MaxBody where it is 0
	// Refused hears, where it is set, that a platform doesn't accept our
	// signature (BadSignature, Expired): it may have forgotten us.
	Refused func(platform string)
}

// Outbox sends envelopes: Call makes one attempt and brings the answer; Post
// writes a letter down, which Run sends until it is done. On comes before Run.
type Outbox struct {
	c        OutboxConfig
	answered map[sgip.Op]Answered
	nudge    chan struct{} // the worker should look at once

	mu       sync.Mutex
	underway map[string]bool            // letters being attempted
	awaited  map[string][]chan struct{} // by letter
	silent   map[string]bool            // platforms that gave no answer last
	wokenAt  map[string]time.Time       // when silence last ended
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
	if c.MaxWait == 0 {
		c.MaxWait = defaultMaxWait
	}
	if c.MaxReply == 0 {
		c.MaxReply = sgip.MaxBody
	}
	return &Outbox{
		c: c, answered: map[sgip.Op]Answered{}, nudge: make(chan struct{}, 1),
		underway: map[string]bool{}, awaited: map[string][]chan struct{}{}, silent: map[string]bool{}, wokenAt: map[string]time.Time{}, woken: map[string]bool{},
	}
}

// On says who hears how letters of op end.
func (o *Outbox) On(op sgip.Op, h Answered) { o.answered[op] = h }

// Post writes a letter down in the caller's transaction and wakes the worker
// once that is committed. The error is the store's; a letter whose ID is in use
// is refused.
func (o *Outbox) Post(ctx context.Context, l Letter) error {
	now := o.c.Clock()
	if l.PostedAt.IsZero() {
		l.PostedAt = now
	}
	if err := o.c.Store.AddLetter(ctx, Draft{Letter: l, EnvelopeID: l.ID, Due: now}); err != nil {
		return err
	}
	o.c.Store.AfterCommit(ctx, o.look)
	return nil
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
	there, err := o.c.Store.HasLetter(ctx, letterID)
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

// Wake makes the worker try a platform's letters now.
func (o *Outbox) Wake(platform string) {
	o.mu.Lock()
	o.woken[platform] = true
	o.mu.Unlock()
	o.look()
}

// look makes the worker look for letters.
func (o *Outbox) look() {
	select {
	case o.nudge <- struct{}{}:
	default: // it will look anyway
	}
}
