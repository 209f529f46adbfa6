package platform

import (
	"bytes"
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// Waits of saying hello: short at first, since hub and game often start
// together, then doubling.
const (
	firstHelloWait  = 250 * time.Millisecond
	maxHelloWait    = 30 * time.Second
	helloGap        = 2 * time.Second // between hellos that the hub has answered
	descriptorEvery = time.Second     // how often a change of the descriptor is looked for
	// confirmAfter is when hello is said once more after a change: the hub may
	// have used a descriptor that it fetched up to 5 s before (contract 5).
	confirmAfter = 6 * time.Second
)

// Registered reports whether the hub has accepted the last hello.
func (s *Seat) Registered() bool { return s.registered.Load() }

// keepRegistered says hello until the hub agrees, once more a little later, and
// again whenever the descriptor has changed or the hub doesn't know our key any
// more.
func (s *Seat) keepRegistered(ctx context.Context) error {
	wait := firstHelloWait
	var before []byte // what the last hello was about
	for {
		said := s.Descriptor()
		err := s.hello(ctx)
		if err == nil {
			wait = firstHelloWait
			if !s.untilHelloIsDue(ctx, said, !bytes.Equal(said, before)) {
				return nil
			}
			before = said
			continue
		}
		if ctx.Err() == nil {
			s.c.Log.Warn("hello refused or unanswered", "hub", s.c.HubURL, "error", err, "again_in", wait)
		}
		s.registered.Store(false)
		if !sleep(ctx, max(wait, retryAfter(err))) {
			return nil
		}
		wait = min(2*wait, maxHelloWait)
	}
}

// retryAfter is how long the hub wants to hear nothing.
func retryAfter(err error) time.Duration {
	return time.Duration(sgip.AsError(err).RetryAfter) * time.Second
}

// hello registers this game (hub.hello@1).
func (s *Seat) hello(ctx context.Context) error {
	select {
	case <-s.helloAgain: // this is it
	default:
	}
	var result sgip.HelloResult
	if err := s.ask(ctx, sgip.HubHello, "", struct{}{}, &result); err != nil {
		return err
	}
	if !s.registered.Swap(true) {
		s.c.Log.Info("registered", "hub", s.c.HubURL, "since", result.RegisteredAt)
	}
	if s.c.Registered != nil {
		s.c.Registered(result.KeyIDs)
	}
	s.outbox.Wake(sgip.HubID)
	return nil
}

// untilHelloIsDue returns false when ctx is done.
func (s *Seat) untilHelloIsDue(ctx context.Context, said []byte, confirm bool) bool {
	look := time.NewTicker(descriptorEvery)
	defer look.Stop()
	var again <-chan time.Time
	if confirm {
		timer := time.NewTimer(confirmAfter)
		defer timer.Stop()
		again = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-again:
			return true
		case <-s.helloAgain:
			return sleep(ctx, helloGap)
		case <-look.C:
			if !bytes.Equal(said, s.Descriptor()) {
				return true
			}
		}
	}
}

func (s *Seat) sayHelloAgain() {
	select {
	case s.helloAgain <- struct{}{}:
	default: // it is due already
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
