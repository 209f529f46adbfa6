package game

import (
	"context"
	"errors"
	"time"
)

// scene is all that is known of one person at one instant: what rules decide on.
type scene struct {
	world    *World
	at       time.Time
	now      TownTime
	surprise *Surprise
	someone  Someone          // stats as of at
	balance  int64            // of the wallet, or of a guest's pocket money
	stalls   map[string]Owner // by place
	deeds    map[string]Deed  // by activity
}

// load reads a scene. It writes nothing.
func (t *Town) load(ctx context.Context, who PersonID) (*scene, error) {
	someone, err := t.store.Someone(ctx, who)
	if errors.Is(err, ErrNoPlayer) || err == nil && !someone.Present {
		return nil, refuse(ErrNoPlayer, "You aren't in town any more.")
	}
	if err != nil {
		return nil, err
	}
	s := &scene{world: t.world, at: t.now(), someone: someone, deeds: map[string]Deed{}}
	if s.now, err = t.townTime(ctx, s.at); err != nil {
		return nil, err
	}
	s.surprise = t.world.surprise(s.now.Day)
	s.passTime()
	if !who.Guest() || someone.Pocket > 0 {
		if s.balance, err = t.store.Balance(ctx, s.account()); err != nil {
			return nil, err
		}
	}
	if s.stalls, err = t.store.Stalls(ctx); err != nil {
		return nil, err
	}
	for place, owner := range s.stalls {
		if owner.ID == who {
			s.someone.Stall = place
		}
	}
	deeds, err := t.store.Deeds(ctx, who)
	for _, d := range deeds {
		s.deeds[d.Activity] = d
	}
	return s, err
}

// account is where the person's money is.
func (s *scene) account() string {
	if s.someone.ID.Guest() {
		return pocket(s.someone.ID)
	}
	return wallet(string(s.someone.ID))
}

// pays reports whether the person pays here at once, not by a charge at home.
func (s *scene) pays() bool { return !s.someone.ID.Guest() || s.someone.Pocket > 0 }

// passTime brings the stats up to now. Guests' stats stand still but for what
// they do: time goes by at their home as well, and must not be counted twice.
func (s *scene) passTime() {
	if !s.someone.ID.Guest() {
		s.someone.Stats = s.someone.Stats.after(s.world.townSeconds(s.someone.StatsAt, s.at))
	}
	s.someone.StatsAt = s.at
}

// act loads a scene, asks for rent that is due, lets fn rule on it, and saves,
// in one transaction.
func (t *Town) act(ctx context.Context, who PersonID, fn func(ctx context.Context, s *scene) error) error {
	return t.tx(ctx, func(ctx context.Context) error {
		s, err := t.load(ctx, who)
		if err != nil {
			return err
		}
		if err := t.rent(ctx, s); err != nil {
			return err
		}
		if err := fn(ctx, s); err != nil {
			return err
		}
		s.someone.SeenAt = s.at
		return t.store.Save(ctx, s.someone)
	})
}

// journey is the way someone is on, nil when they have arrived.
func (s Someone) journey(at time.Time) *Journey {
	if !within(s.Left, s.Arrives, at) {
		return nil
	}
	return &Journey{From: s.From, To: s.Place, Mode: s.Mode, Started: s.Left, Arrives: s.Arrives}
}

// busy is what someone is in the midst of, nil when they are free.
func (s Someone) busy(w *World, at time.Time) *Busy {
	if !within(s.DoingSince, s.DoingUntil, at) {
		return nil
	}
	label := s.Doing
	if a := w.Activity(s.Doing); a != nil {
		label = a.Label
	}
	return &Busy{Activity: s.Doing, Label: label, Started: s.DoingSince, Until: s.DoingUntil}
}

// free refuses someone who is on the way or in the midst of something.
func (s *scene) free() error {
	if j := s.someone.journey(s.at); j != nil {
		return refuse(ErrBusy, "You are on your way to "+s.world.placeName(j.To)+".")
	}
	if b := s.someone.busy(s.world, s.at); b != nil {
		return refuse(ErrBusy, "You are still busy: "+b.Label+".")
	}
	return nil
}

func (w *World) placeName(slug string) string {
	if p := w.Place(slug); p != nil {
		return p.Name
	}
	return slug
}
