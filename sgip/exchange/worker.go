package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

// Run sends letters until ctx is done, and returns when the attempts under way
// have ended and what they brought is written down.
func (o *Outbox) Run(ctx context.Context) error {
	if err := o.expectAll(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("look for letters: %w", err)
	}
	var attempts sync.WaitGroup
	defer attempts.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-o.nudge:
		case <-timer.C:
		}
		sleep, err := o.launch(ctx, &attempts)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			o.c.Log.Error("outbox", "err", err)
			sleep = firstWait
		}
		timer.Reset(sleep)
	}
}

// launch starts attempts for the letters that are due, as far as there is room,
// and says how long nothing more is expected.
func (o *Outbox) launch(ctx context.Context, attempts *sync.WaitGroup) (time.Duration, error) {
	if err := o.wakeLetters(ctx); err != nil {
		return 0, err
	}
	now, err := o.notice(ctx)
	if err != nil {
		return 0, err
	}
	for again := true; again; {
		if again, err = o.launchDue(ctx, now, attempts); err != nil {
			return 0, err
		}
	}
	next, any, err := o.c.Store.NextDue(ctx, now)
	if err != nil || !any {
		return lookAgain, err
	}
	return min(max(next.Sub(now), time.Millisecond), lookAgain), nil
}

// notice reads the clock. Where it was set back, and at start, since it may have
// been set back meanwhile, every letter is due: the times at which they were to
// be tried are those of a clock that is gone.
func (o *Outbox) notice(ctx context.Context) (time.Time, error) {
	now := o.c.Clock()
	o.mu.Lock()
	back := now.Before(o.looked) || o.looked.IsZero()
	o.looked = now
	o.mu.Unlock()
	if !back {
		return now, nil
	}
	return now, o.c.Store.InTx(ctx, func(ctx context.Context) error { return o.c.Store.WakeLetters(ctx, "", now) })
}

// launchDue starts what is due to platforms that have room. again says that some
// were passed over for want of it, and may have hidden others.
func (o *Outbox) launchDue(ctx context.Context, now time.Time, attempts *sync.WaitGroup) (again bool, err error) {
	busy, full := o.busy() // before looking: what ends meanwhile still looks due
	due, err := o.c.Store.DueLetters(ctx, now, lookAt, full)
	if err != nil {
		return false, err
	}
	passedOver := false
	for _, d := range due {
		if busy[d.ID] {
			continue
		}
		switch o.take(d) {
		case noRoom:
			return false, nil
		case noRoomThere:
			passedOver = true
		case taken:
			attempts.Go(func() {
				defer o.release(d)
				// What has begun is brought to its end, which Timeout bounds.
				o.deliver(context.WithoutCancel(ctx), d)
			})
		}
	}
	return passedOver && len(due) == lookAt, nil
}

// busy are the letters under way, and the platforms that no more may go to.
func (o *Outbox) busy() (letters map[string]bool, full []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for platform, r := range o.reached {
		if r.underway >= o.room(r) {
			full = append(full, platform)
		}
	}
	return maps.Clone(o.underway), full
}

// taking is what came of trying to take a letter under way.
type taking int

const (
	taken taking = iota
	takenAlready
	noRoom
	noRoomThere // but elsewhere
)

func (o *Outbox) take(d Draft) taking {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.reach(d.To)
	switch {
	case o.underway[d.ID]:
		return takenAlready
	case len(o.underway) >= maxAttempts:
		return noRoom
	case r.underway >= o.room(r):
		return noRoomThere
	}
	o.underway[d.ID] = true
	r.underway++
	return taken
}

func (o *Outbox) release(d Draft) {
	o.mu.Lock()
	delete(o.underway, d.ID)
	o.reach(d.To).underway--
	o.mu.Unlock()
	o.look()
}

// deliver makes one attempt and writes down what came of it.
func (o *Outbox) deliver(ctx context.Context, d Draft) {
	if d.expired(o.c.Clock()) {
		gaveUp := &sgip.Error{Code: sgip.PlatformOffline, Final: true, Message: d.To + " gave no answer in all the time there was"}
		if err := o.finish(ctx, d, sgip.ErrorReply(d.EnvelopeID, gaveUp)); err != nil {
			o.c.Log.Error("letter expired, not written down", "letter", d.ID, "op", d.Op, "err", err)
			o.postpone(ctx, d, sgip.Reply{})
		}
		return
	}
	if o.c.Hold(d.Letter) {
		d.Due = d.until(o.c.Clock(), definiteWaits)
		o.keep(ctx, d, nil)
		return
	}
	d.Attempts++
	reply, err := o.Call(ctx, d.To, d.EnvelopeID, d.Body)
	if err == nil && d.endedBy(reply) {
		if err = o.finish(ctx, d, reply); err == nil {
			return
		}
		if !errors.Is(err, ErrNotYet) {
			o.c.Log.Error("letter answered, not written down", "letter", d.ID, "op", d.Op, "err", err)
		}
	} else if err == nil && reply.Error != nil && d.Until == UntilOK {
		if err := d.renew(o.c.NewID()); err != nil {
			o.c.Log.Error("letter", "letter", d.ID, "op", d.Op, "err", err)
		}
	}
	o.postpone(ctx, d, reply)
}

// postpone writes down when the letter is tried again, and tells that it waits
// where that is new.
func (o *Outbox) postpone(ctx context.Context, d Draft, r sgip.Reply) {
	if r.Queued() && !d.Queued {
		told := d
		told.Queued = true
		told.Due = o.nextTry(told, r)
		if o.keep(ctx, told, o.waits[d.Op]) {
			return
		}
	}
	d.Due = o.nextTry(d, r)
	if !o.keep(ctx, d, nil) {
		time.Sleep(firstWait) // it is still due, and would be sent again at once
	}
}

// keep writes a letter down as it is to be sent next, and lets tell work in the
// same transaction.
func (o *Outbox) keep(ctx context.Context, d Draft, tell Waits) (kept bool) {
	err := o.step(ctx, d, func(ctx context.Context) error {
		if err := o.c.Store.PostponeLetter(ctx, d); err != nil || tell == nil {
			return err
		}
		return tell(ctx, d.Letter)
	})
	if err != nil {
		o.c.Log.Error("letter not postponed", "letter", d.ID, "op", d.Op, "err", err)
	}
	return err == nil
}

func (d Draft) expired(now time.Time) bool { return !d.Expires.IsZero() && !now.Before(d.Expires) }

// endedBy reports whether the answer ends the letter. What the hub only holds
// for an offline platform is asked again later, with the same id (contract 4).
func (d Draft) endedBy(r sgip.Reply) bool {
	switch {
	case r.OK:
		return !r.Queued()
	case d.Until == UntilOK:
		return false
	}
	return !r.Error.Retryable()
}

// nextTry is when a letter is tried again: the wait grows with the attempts, and
// is at least what the other side asked for.
func (o *Outbox) nextTry(d Draft, r sgip.Reply) time.Time {
	most := definiteWaits
	switch {
	case d.Queued:
		most = queuedWaits
	case d.Until == UntilOK:
		most = okWaits
	}
	wait := firstWait
	for n := 1; n < d.Attempts && wait < most; n++ {
		wait *= 2
	}
	wait = min(wait, most)
	if r.Error != nil && r.Error.Code == sgip.RateLimited {
		wait = max(wait, time.Duration(r.Error.RetryAfter)*time.Second)
	}
	return d.until(o.c.Clock(), wait)
}

// until is after a wait, or when the letter expires if that comes first.
func (d Draft) until(now time.Time, wait time.Duration) time.Time {
	due := now.Add(wait)
	if d.expired(due) && !d.expired(now) {
		return d.Expires
	}
	return due
}

// renew gives the next attempt an envelope of its own around the same payload.
func (d *Draft) renew(id string) error {
	var env sgip.Envelope
	if err := json.Unmarshal(d.Body, &env); err != nil {
		return fmt.Errorf("read own letter: %w", err)
	}
	env.ID = id
	body, err := env.Encode()
	if err != nil {
		return fmt.Errorf("write own letter: %w", err)
	}
	d.EnvelopeID, d.Body = id, body
	return nil
}

// finish removes the letter and lets its handler work in one transaction. After
// an error the letter stays and is sent again: it gets the same answer.
func (o *Outbox) finish(ctx context.Context, d Draft, r sgip.Reply) error {
	return o.step(ctx, d, func(ctx context.Context) error {
		removed, err := o.c.Store.RemoveLetter(ctx, d.ID)
		if err != nil || !removed {
			return err
		}
		o.c.Store.AfterCommit(ctx, func() { o.ended(d.ID) })
		if handle := o.answered[d.Op]; handle != nil {
			return handle(ctx, d.Letter, r)
		}
		return nil
	})
}

// step is a transaction in which a handler may panic: that undoes it.
func (o *Outbox) step(ctx context.Context, d Draft, do func(ctx context.Context) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			o.c.Log.Error("panic in letter handler", "letter", d.ID, "op", d.Op, "panic", fault, "stack", string(debug.Stack()))
			err = errFault
		}
	}()
	return o.c.Store.InTx(ctx, do)
}

// opOf reads the op of our own envelope, for the Observer.
func opOf(body []byte) sgip.Op {
	var env struct {
		Op sgip.Op `json:"op"`
	}
	_ = json.Unmarshal(body, &env) // an unreadable one shows without its op
	return env.Op
}
