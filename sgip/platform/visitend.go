package platform

import (
	"context"
	"fmt"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// endTrip answers visit.end@1 at home: once per visit, whatever arrives; a
// repeat gets the first result (contract 7.3). Forbidden for another host's or
// another traveller's visit.
func (s *Seat) endTrip(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.VisitEndPayload
	if err := in.Decode(s.c.Mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	t, err := s.c.Store.Trip(ctx, p.VisitID)
	if err != nil {
		return exchange.Answer{}, err
	}
	if t == nil {
		return exchange.Answer{}, sgip.Errorf(sgip.NotFound, "no visit %s", p.VisitID)
	}
	if in.From.Platform != t.Host || in.To.Player != sgip.PlayerID(t.Handle, s.c.ID) {
		return exchange.Answer{}, sgip.Errorf(sgip.Forbidden, "visit %s is not this host's and this player's", p.VisitID)
	}
	if !t.EndedAt.IsZero() {
		return accepted(t.Accepted), nil
	}
	applied, err := s.homecoming.ReturnHome(ctx, returnOf(t, p))
	if err != nil {
		return exchange.Answer{}, err
	}
	first, err := s.c.Store.EndTrip(ctx, p.VisitID, applied, s.c.Clock())
	if err != nil {
		return exchange.Answer{}, err
	}
	if !first { // someone else ended it meanwhile: undo, and let it be asked again
		return exchange.Answer{}, fmt.Errorf("visit %s was ended twice at once", p.VisitID)
	}
	return accepted(applied), nil
}

func returnOf(t *TripRecord, p sgip.VisitEndPayload) Return {
	r := Return{
		VisitID: t.VisitID, Handle: t.Handle, Host: t.Host, HostName: t.HostName,
		Reason: p.Reason, Stayed: time.Duration(p.StayedSeconds) * time.Second,
		Stats: map[string]int{},
	}
	if p.Souvenirs != nil {
		r.Postcard, r.Verbs = p.Souvenirs.Postcard, p.Souvenirs.Verbs
		for stat, change := range p.Souvenirs.Stats {
			r.Stats[stat] = min(max(change, -sgip.MaxSouvenir), sgip.MaxSouvenir)
		}
	}
	return r
}

func accepted(changes map[string]int) exchange.Answer {
	if changes == nil {
		changes = map[string]int{}
	}
	return exchange.Answer{Result: sgip.VisitEndResult{Accepted: sgip.Accepted{Stats: changes}}}
}

// EndVisit writes down, as host, that a visit is over (visit.end@1), in the
// transaction that ends it. player is the guest's lasting identity. The letter
// is repeated until the home game, or the hub in its place, has answered.
func (s *Seat) EndVisit(ctx context.Context, home, player string, p sgip.VisitEndPayload) error {
	id := s.c.NewID()
	body, err := s.encode(id, sgip.VisitEnd, "", sgip.Address{Platform: home, Player: player}, nil, p)
	if err != nil {
		return err
	}
	return s.post(ctx, exchange.Letter{ID: id, Op: sgip.VisitEnd, Body: body})
}

// visitEnded ends the letter; a refusal changes nothing here.
func (s *Seat) visitEnded(_ context.Context, l exchange.Letter, r sgip.Reply) error {
	if r.Error != nil {
		s.c.Log.Warn("visit.end refused", "id", l.ID, "code", r.Error.Code)
	}
	return nil
}
