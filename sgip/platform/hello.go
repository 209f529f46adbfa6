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
)

// Registered reports whether the hub has accepted the last hello.
func (s *Seat) Registered() bool { return s.registered.Load() }

// keepRegistered says hello until the hub agrees, and again whenever the
// descriptor has changed or the hub doesn't know our key any more.
func (s *Seat) keepRegistered(ctx context.Context) error {
	wait := firstHelloWait
	for {
		said := s.Descriptor()
		if err := s.hello(ctx); err == nil {
			wait = firstHelloWait
			if !s.untilHelloIsDue(ctx, said) {
				return nil
			}
			continue
		} else if ctx.Err() == nil {
			s.c.Log.Warn("hello refused or unanswered", "hub", s.c.HubURL, "error", err, "again_in", wait)
		}
		s.registered.Store(false)
		if !sleep(ctx, wait) {
			return nil
		}
		wait = min(2*wait, maxHelloWait)
	}
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
	s.registered.Store(true)
	s.c.Log.Info("registered", "hub", s.c.HubURL, "since", result.RegisteredAt)
	s.outbox.Wake(sgip.HubID)
	return nil
}

// untilHelloIsDue returns false when ctx is done.
func (s *Seat) untilHelloIsDue(ctx context.Context, said []byte) bool {
	look := time.NewTicker(descriptorEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
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
