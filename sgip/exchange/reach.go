package exchange

import (
	"context"
	"time"
)

// wakeAgain is how often an answer after silence wakes a platform's letters at
// most: one that answers every other time must not be hammered.
const wakeAgain = 10 * time.Second

// reach is what the outbox knows of one platform.
type reach struct {
	underway int // letters being attempted
	silent   bool
	// unheard says that letters may wait for its next answer, which wakes them.
	unheard bool
	wokenAt time.Time // when an answer did that last
}

// reach finds what is known of a platform; o.mu is held.
func (o *Outbox) reach(platform string) *reach {
	r := o.reached[platform]
	if r == nil {
		r = &reach{}
		o.reached[platform] = r
	}
	return r
}

// room is how many letters may be under way to the platform: one that gave no
// answer last is only felt for.
func (o *Outbox) room(r *reach) int {
	if r.silent {
		return 1
	}
	return o.c.AtOnce
}

// heard notes whether the platform answers. When it does again, what waits for
// it is tried at once.
func (o *Outbox) heard(platform string, answered bool) {
	o.mu.Lock()
	now := o.c.Clock()
	r := o.reach(platform)
	r.silent = !answered
	r.unheard = r.unheard || !answered
	back := answered && r.unheard && now.Sub(r.wokenAt) >= wakeAgain
	if back {
		r.unheard, r.wokenAt = false, now
	}
	o.mu.Unlock()
	if back {
		o.Wake(platform)
	}
}

// expectAll makes the next answer of each platform wake the letters that an
// earlier run has left for it.
func (o *Outbox) expectAll(ctx context.Context) error {
	platforms, err := o.c.Store.LetterPlatforms(ctx)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, platform := range platforms {
		o.reach(platform).unheard = true
	}
	return nil
}

// Wake makes the worker try a platform's letters now.
func (o *Outbox) Wake(platform string) {
	o.mu.Lock()
	o.woken[platform] = true
	o.mu.Unlock()
	o.look()
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

// look makes the worker look for letters.
func (o *Outbox) look() {
	select {
	case o.nudge <- struct{}{}:
	default: // it will look anyway
	}
}
