package bridge

import (
	"context"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// Destination is a game on the network as the travel desk shows it.
type Destination struct {
	ID          string
	Name        string
	Description string
	Icon        string
	Welcome     bool
	Online      bool
	Embed       bool
	Why         string // why a visit isn't possible, "" where it is
	Pay         []Exchange
}

// Exchange is one way in which the host takes the town's money.
type Exchange struct {
	Give, Get sgip.Money
	Inflow    sgip.Money // the host's daily limit
}

// About is what home money is worth there, rounded down.
func (x Exchange) About(home sgip.Money) sgip.Money {
	return sgip.Rate{Give: x.Give, Get: x.Get}.Shown(home)
}

// Desk lists every other game on the network, in the directory's order.
func (b *Bridge) Desk(ctx context.Context) ([]Destination, error) {
	entries, err := b.seat.Directory(ctx)
	if err != nil {
		return nil, err
	}
	var desk []Destination
	for _, e := range entries {
		if e.PlatformID != b.id {
			desk = append(desk, b.destination(e))
		}
	}
	return desk, nil
}

func (b *Bridge) destination(e sgip.DirectoryEntry) Destination {
	d := Destination{ID: e.PlatformID, Name: e.Name, Description: e.Description, Icon: e.Icon,
		Welcome: e.VisitorsWelcome, Online: e.Online, Embed: e.Embed.Allowed}
	switch {
	case !e.VisitorsWelcome:
		d.Why = e.Name + " takes no visitors from here at the moment."
	case !e.Online:
		d.Why = e.Name + " didn't answer last time. You can try; it may be back."
	}
	if b.limit == nil {
		return d
	}
	for _, a := range e.Accepts {
		if a.From == b.id && a.Give.Currency == b.currency {
			d.Pay = append(d.Pay, Exchange{Give: a.Give, Get: a.Get, Inflow: a.DailyInflowLimit})
		}
	}
	return d
}

// SetOff asks the hub for a passport (visit.request@1). budget is nil for a
// visit without home money. The error is the hub's refusal.
func (b *Bridge) SetOff(ctx context.Context, handle, host string, budget *sgip.Money) (platform.Trip, error) {
	view, err := b.town.View(ctx, game.PersonID(handle))
	if err != nil {
		return platform.Trip{}, refusal(err)
	}
	stats := make(map[string]int, len(view.Stats))
	for _, s := range view.Stats {
		stats[s.ID] = s.Value
	}
	return b.seat.Depart(ctx, platform.TripRequest{Handle: handle, Host: host, Budget: budget,
		Profile: sgip.Profile{Name: view.Person.Name, Avatar: view.Person.Avatar, Stats: stats}})
}

// ReturnHome applies what the traveller brings back (visit.end@1).
func (b *Bridge) ReturnHome(ctx context.Context, r platform.Return) (map[string]int, error) {
	applied, err := b.town.ReturnHome(ctx, r.Handle, game.Homecoming{
		VisitID: r.VisitID, Host: r.Host, HostName: r.HostName, Reason: r.Reason,
		Stayed: r.Stayed, Stats: r.Stats, Postcard: r.Postcard, Verbs: r.Verbs,
	})
	return applied, refusal(err)
}
