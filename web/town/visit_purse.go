package town

import (
	"context"
	"sync"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

// purseFresh is how long an answer to "what can still be spent" stands where
// nothing was bought meanwhile: a town in which much goes on redraws a guest's
// page often, and each asking goes to the hub and the home game.
const purseFresh = 15 * time.Second

// purseKept bounds how many guests' answers are held; the stale ones go first.
const purseKept = 4096

// purses holds what guests can still spend. An answer is dropped as soon as one
// of the guest's purchases has moved on.
type purses struct {
	ask func(ctx context.Context, g visit.Guest) (sgip.Money, bool, error)
	now func() time.Time

	mu   sync.Mutex
	held map[string]heldPurse // by visit
}

type heldPurse struct {
	at     time.Time
	bought int
	money  sgip.Money
	ok     bool
}

func newPurses(ask func(context.Context, visit.Guest) (sgip.Money, bool, error), now func() time.Time) *purses {
	return &purses{ask: ask, now: now, held: map[string]heldPurse{}}
}

// of is what the guest can still spend, given all purchases of the visit.
func (p *purses) of(ctx context.Context, g visit.Guest, sales []game.Sale) (sgip.Money, bool, error) {
	bought := settledSales(sales)
	p.mu.Lock()
	held, found := p.held[g.VisitID]
	p.mu.Unlock()
	if found && held.bought == bought && p.now().Sub(held.at) < purseFresh {
		return held.money, held.ok, nil
	}
	money, ok, err := p.ask(ctx, g)
	if err != nil {
		return sgip.Money{}, false, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget()
	p.held[g.VisitID] = heldPurse{p.now(), bought, money, ok}
	return money, ok, nil
}

// forget keeps the map within bounds; what is dropped is asked for again.
func (p *purses) forget() {
	if len(p.held) < purseKept {
		return
	}
	for id, h := range p.held {
		if p.now().Sub(h.at) >= purseFresh {
			delete(p.held, id)
		}
	}
	if len(p.held) >= purseKept {
		clear(p.held)
	}
}

// settledSales counts the moves that purchases have made: asked is none, ended
// is one, refunded two.
func settledSales(sales []game.Sale) int {
	n := 0
	for _, s := range sales {
		switch s.State {
		case game.SaleAsked:
		case game.SaleRefunded:
			n += 2
		default:
			n++
		}
	}
	return n
}
