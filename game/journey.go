package game

import (
	"context"
	"math"
)

// Go sets out for another place. ErrNoSuch for an unknown place or mode,
// ErrBusy, ErrClosed when the mode doesn't run, ErrPoor, ErrInvalid otherwise.
func (t *Town) Go(ctx context.Context, who PersonID, place, mode string) (Outcome, error) {
	var out Outcome
	err := t.act(ctx, who, func(ctx context.Context, s *scene) error {
		to, m := t.world.Place(place), t.world.Mode(mode)
		if to == nil || m == nil {
			return refuse(ErrNoSuch, "There is no such way.")
		}
		minutes, fare, err := s.ride(to, m)
		if err != nil {
			return err
		}
		if fare > 0 {
			entry := Entry{Kind: EntryFare, Text: m.Label + " to " + to.Name}
			if err := t.pay(ctx, wallet(string(who)), accountTown, fare, entry, s.at); err != nil {
				return t.poor(err, fare-s.balance)
			}
		}
		out = Outcome{Text: m.Label + " to " + to.Name, Money: -fare, Until: s.at.Add(t.world.real(minutes))}
		p := &s.someone
		t.wakePlace(ctx, who, p.Place)
		t.wakePlace(ctx, who, to.Slug)
		p.From, p.Place, p.Mode, p.Left, p.Arrives = p.Place, to.Slug, m.ID, s.at, out.Until
		return nil
	})
	return out, err
}

// ride is the one rule on a way to a place: how long, how much, or why not.
func (s *scene) ride(to *Place, m *Mode) (minutes int, fare int64, err error) {
	from := s.world.Place(s.someone.Place)
	distance := between(from.At, to.At)
	minutes = m.Wait + max(1, (distance+m.Speed-1)/m.Speed)
	fare = s.fare(m, distance)
	if err := s.free(); err != nil {
		return minutes, fare, err
	}
	switch {
	case from == to:
		return minutes, fare, refuse(ErrInvalid, "You are there already.")
	case !m.serves(from.Slug) || !m.serves(to.Slug):
		return minutes, fare, refuse(ErrInvalid, m.Label+" doesn't go there.")
	case s.someone.ID.Guest() && (!m.ForGuest || fare > 0):
		return minutes, fare, refuse(ErrInvalid, "Guests walk.")
	case !m.Hours.Open(s.now.Minute):
		return minutes, fare, refuse(ErrClosed, m.Label+" runs again from "+ClockText(m.Hours.NextOpen(s.now.Minute)%DayMinutes)+".")
	case fare > 0 && s.balance < fare:
		return minutes, fare, refuse(ErrPoor, "You are "+s.world.Price(fare-s.balance)+" short.")
	}
	return minutes, fare, nil
}

func (m *Mode) serves(place string) bool {
	for _, stop := range m.Stops {
		if stop == place {
			return true
		}
	}
	return len(m.Stops) == 0
}

func between(a, b Point) int {
	return int(math.Round(math.Hypot(float64(a.X()-b.X()), float64(a.Y()-b.Y()))))
}

// routes are the ways to every other place, for showing.
func (s *scene) routes() []Route {
	var routes []Route
	from := s.someone.Place
	for i := range s.world.Places {
		to := &s.world.Places[i]
		for j := range s.world.Modes {
			m := &s.world.Modes[j]
			if to.Slug == from || !m.serves(from) || !m.serves(to.Slug) || s.someone.ID.Guest() && !m.ForGuest {
				continue
			}
			minutes, fare, err := s.ride(to, m)
			r := Route{Place: to.Slug, Mode: m.ID, Label: m.Label, Minutes: minutes, Price: fare, Can: err == nil}
			if err != nil {
				r.Why = err.Error()
			}
			routes = append(routes, r)
		}
	}
	return routes
}
