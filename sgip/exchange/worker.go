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
	busy := o.busy() // before looking: what ends meanwhile still looks due
	// Twice as many as may be under way: those under way are due as well.
	due, err := o.c.Store.DueLetters(ctx, now, 2*maxAttempts)
	if err != nil {
		return 0, err
	}
	for _, d := range due {
		if busy[d.ID] || !o.take(d.ID) {
			continue
		}
		attempts.Go(func() {
			defer o.release(d.ID)
			// What has begun is brought to its end, which Timeout bounds.
			o.deliver(context.WithoutCancel(ctx), d)
		})
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

// wakeLetters makes the letters of woken platforms due.
func (o *Outbox) wakeLetters(ctx context.Context) error {
	o.mu.Lock()
	woken := o.woken
	o.woken = map[string]bool{}
	o.mu.Unlock()
	if len(woken) == 0 {
		return nil
	}
	return o.c.Store.InTx(ctx, func(ctx context.Context) error {
		for platform := range woken {
			if err := o.c.Store.WakeLetters(ctx, platform, o.c.Clock()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *Outbox) busy() map[string]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.underway)
}

// take is false for a letter under way, and when there is no room.
func (o *Outbox) take(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.underway[id] || len(o.underway) >= maxAttempts {
		return false
	}
	o.underway[id] = true
	return true
}

func (o *Outbox) release(id string) {
	o.mu.Lock()
	delete(o.underway, id)
	o.mu.Unlock()
	o.look()
}

// deliver makes one attempt and writes down what came of it.
func (o *Outbox) deliver(ctx context.Context, d Draft) {
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
	d.Due = o.c.Clock().Add(o.wait(d.Attempts, reply))
	err = o.c.Store.InTx(ctx, func(ctx context.Context) error { return o.c.Store.PostponeLetter(ctx, d) })
	if err != nil {
		o.c.Log.Error("letter not postponed", "letter", d.ID, "op", d.Op, "err", err)
	}
}

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

// wait grows with the attempts, and is at least what the other side asked for.
func (o *Outbox) wait(attempts int, r sgip.Reply) time.Duration {
	wait := firstWait
	for n := 1; n < attempts && wait < o.c.MaxWait; n++ {
		wait *= 2
	}
	wait = min(wait, o.c.MaxWait)
	if r.Error != nil && r.Error.Code == sgip.RateLimited {
		wait = max(wait, time.Duration(r.Error.RetryAfter)*time.Second)
	}
	return wait
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
func (o *Outbox) finish(ctx context.Context, d Draft, r sgip.Reply) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			o.c.Log.Error("panic in letter handler", "letter", d.ID, "op", d.Op, "panic", fault, "stack", string(debug.Stack()))
			err = errFault
		}
	}()
	return o.c.Store.InTx(ctx, func(ctx context.Context) error {
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

// opOf reads the op of our own envelope, for the Observer.
func opOf(body []byte) sgip.Op {
	var env struct {
		Op sgip.Op `json:"op"`
	}
	_ = json.Unmarshal(body, &env) // an unreadable one shows without its op
	return env.Op
}
