package hub_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/hub"
)

// brokenStore is the hub's store with a fault.
type brokenStore struct {
	hub.Store
	everybodyHolds, noEdges, noLimits, endless, halfRate, anyVisitor, noSuspensions bool
}

// Listers lets every key speak for everyone.
func (s brokenStore) Listers(ctx context.Context, keyID string) ([]hub.Lister, error) {
	listers, err := s.Store.Listers(ctx, keyID)
	if err != nil || !s.everybodyHolds || len(listers) == 0 {
		return listers, err
	}
	ids, err := s.PlatformIDs(ctx, "", 100)
	for _, id := range ids {
		listers = append(listers, hub.Lister{Platform: id, PublicKey: listers[0].PublicKey})
	}
	return listers, err
}

func (s brokenStore) Edges(ctx context.Context, except string) ([]sgip.Edge, error) {
	if s.noEdges {
		return nil, nil
	}
	return s.Store.Edges(ctx, except)
}

func (s brokenStore) Reserve(ctx context.Context, c hub.Counter, amount, limit int64) (bool, error) {
	if s.noLimits {
		limit = sgip.MaxAmount
	}
	return s.Store.Reserve(ctx, c, amount, limit)
}

func (s brokenStore) Visit(ctx context.Context, id string) (hub.Visit, error) {
	v, err := s.Store.Visit(ctx, id)
	if s.endless {
		v.Over = false
	}
	return v, err
}

func (s brokenStore) Platform(ctx context.Context, id string) (hub.Registration, error) {
	r, err := s.Store.Platform(ctx, id)
	if err != nil {
		return r, err
	}
	if s.anyVisitor {
		r.Descriptor.Visitors = nil
	}
	if s.halfRate && r.Descriptor.Money != nil {
		for i := range r.Descriptor.Money.Accepts {
			r.Descriptor.Money.Accepts[i].Give.Amount /= 2
		}
	}
	return r, nil
}

func (s brokenStore) Suspended(ctx context.Context) ([]string, error) {
	if s.noSuspensions {
		return nil, nil
	}
	return s.Store.Suspended(ctx)
}

// brokenExchange is what inbox and outbox keep, with a fault.
type brokenExchange struct {
	exchange.Store
	anyNonce, forgets, losesCredits, lastFirst bool
}

func (s brokenExchange) SpendNonce(ctx context.Context, keyID, nonce string, now, until time.Time) (bool, error) {
	fresh, err := s.Store.SpendNonce(ctx, keyID, nonce, now, until)
	return fresh || s.anyNonce, err
}

func (s brokenExchange) AddClaim(ctx context.Context, c exchange.Claim) error {
	if s.forgets {
		return nil
	}
	return s.Store.AddClaim(ctx, c)
}

func (s brokenExchange) AddLetter(ctx context.Context, d exchange.Draft) error {
	if s.losesCredits && d.Op == sgip.WalletCredit {
		return nil
	}
	if s.lastFirst {
		d.Lane = "" // each by itself
	}
	return s.Store.AddLetter(ctx, d)
}

func (s brokenExchange) DueLetters(ctx context.Context, now time.Time, most int, but []string) ([]exchange.Draft, error) {
	due, err := s.Store.DueLetters(ctx, now, most, but)
	if s.lastFirst {
		slices.Reverse(due)
	}
	return due, err
}

// TestSuite_BrokenHub: a hub broken in one way is found by the check that looks
// there.
func TestSuite_BrokenHub(t *testing.T) {
	inStore := func(fault brokenStore) func(*hub.Config) {
		return func(c *hub.Config) { fault.Store = c.Store; c.Store = fault }
	}
	inExchange := func(fault brokenExchange) func(*hub.Config) {
		return func(c *hub.Config) { fault.Store = c.Exchange; c.Exchange = fault }
	}
	for name, fault := range map[string]struct {
		finds string
		wrong func(*hub.Config)
	}{
		"takes a nonce twice":           {"replayed_nonce", inExchange(brokenExchange{anyNonce: true})},
		"forgets what it answered":      {"once", inExchange(brokenExchange{forgets: true})},
		"loses the credit of a void":    {"void", inExchange(brokenExchange{losesCredits: true})},
		"delivers the last first":       {"queue", inExchange(brokenExchange{lastFirst: true})},
		"lets any key speak for anyone": {"forged_platform", inStore(brokenStore{everybodyHolds: true})},
		"sees no rings":                 {"ring", inStore(brokenStore{noEdges: true})},
		"knows no limits":               {"limits", inStore(brokenStore{noLimits: true})},
		"lets a visit go on for ever":   {"visit_over", inStore(brokenStore{endless: true})},
		"converts at half the rate":     {"conversion", inStore(brokenStore{halfRate: true})},
		"lets any visitor travel":       {"visitors", inStore(brokenStore{anyVisitor: true})},
		"doesn't look for suspensions":  {"suspended", inStore(brokenStore{noSuspensions: true})},
		"has a clock that is minutes ahead": {"stale", func(c *hub.Config) {
			right := c.Clock
			c.Clock = func() time.Time { return right().Add(290 * time.Second) }
		}},
		"counts nothing":            {"rate", func(c *hub.Config) { c.Rate = 1 << 20 }},
		"makes one nonce do":        {"fresh_nonces", func(c *hub.Config) { one := newID(); c.NewID = func() string { return one } }},
		"takes any word for a stat": {"passport", func(c *hub.Config) { c.Stat = func(string) bool { return true } }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := findings(t, []string{fault.finds}, fault.wrong)[fault.finds]; err == nil {
				t.Errorf("%s found nothing", fault.finds)
			} else {
				t.Log(err)
			}
		})
	}
}
