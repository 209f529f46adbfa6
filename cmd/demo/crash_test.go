package main

import (
	"fmt"
	"testing"
)

// maxPoints bounds the walk through the crash points of one purchase: far more
// than it has, so that only a walk that never ends reaches it.
const maxPoints = 25

// TestCharge_KilledAtEveryPoint kills hub, home and host, one after the other,
// before and after each commit and each send of a purchase. After the restart
// it must be settled, with goods and the seller's credit, or voided with the
// money back; never between.
func TestCharge_KilledAtEveryPoint(t *testing.T) {
	victims := []struct {
		name  string
		of    func(s *stage) *process
		least int // points that a purchase surely has there
	}{
		{"hub", func(s *stage) *process { return s.hub }, 6},     // two commits around one send
		{"home", func(s *stage) *process { return s.lagos }, 2},  // one commit
		{"host", func(s *stage) *process { return s.berlin }, 6}, // two commits around one send
	}
	for _, v := range victims {
		t.Run(v.name, func(t *testing.T) {
			s := newHurriedStage(t)
			tunde := newPerson(t, s.lagos.part.url(), s.berlin.part.url())
			tunde.playAs("tunde")
			tunde.travel("40000")
			tunde.walk(t, "imbiss", "Pommes")
			killed := 0
			for s.buyWithCrash(t, tunde, v.of(s), killed+1) {
				if killed++; killed > maxPoints {
					t.Fatalf("still crashing after %d points", maxPoints)
				}
			}
			if killed < v.least {
				t.Errorf("the %s was killed at %d points only, want %d at least", v.name, killed, v.least)
			}
		})
	}
}

// state is what a purchase moves, in both ledgers.
type state struct {
	home, paid, sold, settled int64
}

func (s *stage) state() state {
	s.t.Helper()
	return state{home: s.lagos.balance("tunde"), paid: s.berlin.paidSales(), sold: s.berlin.sellerCredits(), settled: s.hub.settledCharges()}
}

// buyWithCrash makes one purchase while the victim is armed for its nth point,
// and reports whether that point was reached.
func (s *stage) buyWithCrash(t *testing.T, tunde *person, victim *process, n int) bool {
	t.Helper()
	before := s.state()
	asked := s.berlin.query(`SELECT count(*) FROM game_sales`)
	tunde.free(t)
	victim.arm(n)
	answered := make(chan error, 1)
	go func() {
		_, err := tunde.buy(imbissTreat)
		answered <- err
	}()
	// The end of the purchase, or of the victim, whichever comes first.
	waitUntil(t, "the purchase or the victim has ended", func() bool {
		return victim.dead() || s.berlin.query(`SELECT count(*) FROM game_sales`) > asked && s.quiet()
	})
	crashed := victim.disarm()
	if crashed || victim.dead() {
		<-victim.gone
		victim.start()
		s.waitReady()
	}
	if err := <-answered; err != nil && victim != s.berlin {
		t.Fatalf("the host's page must always answer: %v", err)
	}
	waitUntil(t, "every purchase has ended", s.quiet)
	s.check(t, before, fmt.Sprintf("%s at point %d", victim.part.name, n), s.berlin.query(`SELECT count(*) FROM game_sales`)-asked)
	return crashed
}

// quiet reports whether nothing is under way in any of the three.
func (s *stage) quiet() bool {
	return s.berlin.openSales() == 0 && s.hub.openMoney() == 0
}

// check holds the ledgers to each other after at most one purchase.
func (s *stage) check(t *testing.T, before state, when string, asked int64) {
	t.Helper()
	after := s.state()
	paid := after.paid - before.paid
	if asked > 1 || paid > asked {
		t.Fatalf("%s: %d sales asked, %d paid", when, asked, paid)
	}
	if got := before.home - after.home; got != paid*imbissTreatDebit {
		t.Fatalf("%s: home paid %d for %d confirmed purchases of %d", when, got, paid, imbissTreatDebit)
	}
	if got := after.sold - before.sold; got != paid*imbissTreatShare {
		t.Fatalf("%s: the seller got %d for %d confirmed purchases", when, got, paid)
	}
	if got := after.settled - before.settled; got != paid {
		t.Fatalf("%s: the hub settled %d charges for %d confirmed purchases", when, got, paid)
	}
	s.lagos.checkLedger(t)
	s.berlin.checkLedger(t)
}
