package hub_test

import (
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/store"
)

// audit holds the hub's books to each other, and games' to them.
func (n *network) audit(games ...hub.GameBooks) hub.Report {
	n.t.Helper()
	_, db := n.running()
	books, err := store.HubBooks(db.Conn(n.t.Context()))
	must(n.t, err)
	return books.Audit(n.clock.now(), games...)
}

func (n *network) wantClean(games ...hub.GameBooks) {
	n.t.Helper()
	if r := n.audit(games...); !r.Clean() {
		n.t.Errorf("faults:\n%s\nstuck:\n%s", strings.Join(r.Faults, "\n"), strings.Join(r.Stuck, "\n"))
	}
}

func TestAudit_Charges(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(10_000_000)
	berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0] = accepts(lagos, 10, 3, 1_000) })
	n.wantClean()
	id, part := berlin.bought(visit, eur(10)), eur(3)
	n.wantClean()
	wantCode(t, berlin.refund(id, &part), "")
	n.wantClean()
	wantCode(t, berlin.refund(id, nil), "")
	lagos.on(sgip.WalletDebit, refuses(sgip.InsufficientFunds))
	wantCode(t, berlin.charge(visit, eur(10)), sgip.InsufficientFunds)
	n.wantClean()
	// Limits that are lowered below what has been spent weren't passed.
	lagos.on(sgip.WalletDebit, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(1)}, nil })
	berlin.bought(visit, eur(10))
	lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = 1 })
	berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0] = accepts(lagos, 10, 3, 1) })
	n.wantClean()
	if r := n.audit(); r.States[hub.ChargeSettled] != 2 || r.States[hub.ChargeFailed] != 1 || r.Refunded != 1 || r.Owed != 0 {
		t.Errorf("report %+v", r)
	}
}

func TestAudit_UnderWay(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(10_000_000)
	asked, release := make(chan struct{}), make(chan struct{})
	lagos.on(sgip.WalletDebit, func(env sgip.Envelope) (any, error) {
		close(asked)
		<-release
		return hangUp(env)
	})
	lagos.on(sgip.WalletCredit, refuses(sgip.Internal))
	done := make(chan sgip.Reply, 1)
	go func() { done <- berlin.charge(visit, eur(350)) }()
	<-asked
	n.wantClean()
	if r := n.audit(); r.States[hub.ChargeAsked] != 1 {
		t.Errorf("report %+v", r)
	}
	close(release)
	wantCode(t, <-done, sgip.PlatformOffline)
	n.wantClean()
	if r := n.audit(); r.States[hub.ChargeVoid] != 1 || r.Owed != 1 {
		t.Errorf("report %+v", r)
	}
	t.Run("ErrStuck", func(t *testing.T) {
		n.clock.advance(7*24*time.Hour - time.Minute)
		n.wantClean()
		n.clock.advance(2 * time.Minute)
		r := n.audit()
		if len(r.Stuck) != 1 || len(r.Faults) != 0 || !strings.Contains(r.Stuck[0], lagos.id) {
			t.Errorf("report %+v", r)
		}
	})
}

// TestAudit_NeverDecided: a charge that nobody voids is a fault once no answer
// can come for it.
func TestAudit_NeverDecided(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	budget := ngn(1_000)
	books := hub.Books{
		Visits: map[string]hub.Visit{"v": {ID: "v", Home: "lagos.example", Host: "berlin.example", Player: "tunde@lagos.example",
			Scope: []string{sgip.ScopeVisit, sgip.ScopePay}, Budget: &budget}},
		Charges: []hub.Charge{{ID: "c", VisitID: "v", Home: "lagos.example", Host: "berlin.example", Player: "tunde@lagos.example",
			Amount: eur(1), Debit: ngn(500), Day: "2026-11-30", State: hub.ChargeAsked, AcceptedAt: at, Limits: hub.Limits{Daily: 500, Inflow: 1}}},
		Counters: map[hub.Counter]int64{
			{Kind: "budget", Owner: "lagos.example", Party: "v", Give: "NGN"}:                                             500,
			{Kind: "daily", Owner: "lagos.example", Party: "tunde@lagos.example", Give: "NGN", Day: "2026-11-30"}:         500,
			{Kind: "inflow", Owner: "berlin.example", Party: "lagos.example", Give: "NGN", Get: "EUR", Day: "2026-11-30"}: 1,
		},
		Owners: map[string]string{"c": "berlin.example"},
	}
	if r := books.Audit(at.Add(time.Minute)); !r.Clean() {
		t.Errorf("after a minute: %v", r.Faults)
	}
	if r := books.Audit(at.Add(time.Minute + time.Second)); len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "never decided") {
		t.Errorf("after more than a minute: %v", r.Faults)
	}
}
