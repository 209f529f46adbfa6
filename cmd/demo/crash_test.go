package main

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

// maxPoints bounds the walk through the crash points of one purchase: far more
// than it has, so that only a walk that never ends reaches it.
const maxPoints = 25

// victim is who is killed, and how many points what happens surely has there.
type victim struct {
	name  string
	of    func(s *stage) *process
	least int
}

func theHub(least int) victim {
	return victim{"hub", func(s *stage) *process { return s.hub }, least}
}
func theHome(least int) victim {
	return victim{"home", func(s *stage) *process { return s.lagos }, least}
}
func theHost(least int) victim {
	return victim{"host", func(s *stage) *process { return s.berlin }, least}
}

// TestCharge_KilledAtEveryPoint kills hub, home and host, one after the other,
// before and after each commit and each send of a purchase. After the restart
// it must be settled, with goods and the seller's credit, or voided with the
// money back; never between.
func TestCharge_KilledAtEveryPoint(t *testing.T) {
	for _, v := range []victim{
		theHub(6),  // two commits around one send
		theHome(2), // one commit
		theHost(6), // two commits around one send
	} {
		t.Run(v.name, func(t *testing.T) {
			s, _, tunde := newTreat(t)
			s.walkThroughPoints(t, v, func(n int) bool {
				return s.actWithCrash(t, v.of(s), n, func() error {
					_, err := tunde.buy(imbissTreat)
					return err
				})
			})
		})
	}
}

// TestRefund_KilledAtEveryPoint does the same while a guest gives back what they
// have bought: the money is back home and the goods with the host, or neither.
func TestRefund_KilledAtEveryPoint(t *testing.T) {
	for _, v := range []victim{
		theHub(6),  // two commits around the credit's send
		theHome(2), // one commit
		theHost(6), // two commits around one send
	} {
		t.Run(v.name, func(t *testing.T) {
			s, _, tunde := newTreat(t)
			s.walkThroughPoints(t, v, func(n int) bool {
				tunde.free(t)
				bought, err := tunde.buy(imbissTreat)
				if err != nil {
					t.Fatal(err)
				}
				sale := returnable.FindStringSubmatch(bought.body)
				if sale == nil {
					t.Fatalf("nothing can be given back on\n%s", bought.body)
				}
				before := s.berlin.paidSales()
				crashed := s.actWithCrash(t, v.of(s), n, func() error {
					_, err := tunde.do(http.MethodPost, tunde.host+"/visit/return", formType, url.Values{"sale": {sale[1]}}.Encode())
					return err
				})
				if !crashed && s.berlin.paidSales() != before-1 {
					t.Errorf("nobody was killed, and the goods weren't taken back")
				}
				return crashed
			})
		})
	}
}

// TestVoid_KilledAtEveryPoint does the same while the answer to a debit is lost,
// so that the hub gives back what the home game took.
func TestVoid_KilledAtEveryPoint(t *testing.T) {
	for _, v := range []victim{
		theHub(10), // three commits and two sends
		theHome(4), // two commits
		theHost(6), // two commits around one send
	} {
		t.Run(v.name, func(t *testing.T) {
			s, toLagos, tunde := newTreat(t)
			s.walkThroughPoints(t, v, func(n int) bool {
				toLagos.meet(once("wallet.debit@1", dropReply))
				before := s.hub.query(`SELECT count(*) FROM hub_charges WHERE state = 'void'`)
				crashed := s.actWithCrash(t, v.of(s), n, func() error {
					_, err := tunde.buy(imbissTreat)
					return err
				})
				if after := s.hub.query(`SELECT count(*) FROM hub_charges WHERE state = 'void'`); !crashed && after != before+1 {
					t.Errorf("nobody was killed, and nothing is void")
				}
				return crashed
			})
		})
	}
}

// newTreat is a stage on which Tunde stands at the Imbiss in Berlin, with a line
// before each process.
func newTreat(t *testing.T) (s *stage, toLagos *line, tunde *person) {
	t.Helper()
	s, lines := newFaultyStage(t, generous)
	tunde = newPerson(t, s.lagos.part.url(), s.berlin.part.url())
	tunde.playAs("tunde")
	tunde.travel("1000000")
	tunde.walk(t, "imbiss", "Pommes")
	return s, lines[1], tunde
}

// walkThroughPoints plays a scene again and again, with its victim killed at one
// point after the other, until it isn't killed any more. After each time all books
// must agree.
func (s *stage) walkThroughPoints(t *testing.T, v victim, play func(n int) (crashed bool)) {
	t.Helper()
	start, killed := s.state(), 0
	for play(killed + 1) {
		s.check(t, start, fmt.Sprintf("the %s at point %d", v.name, killed+1))
		if killed++; killed > maxPoints {
			t.Fatalf("still crashing after %d points", maxPoints)
		}
	}
	s.check(t, start, "nobody killed")
	s.wantClean(t)
	if killed < v.least {
		t.Errorf("the %s was killed at %d points only, want %d at least", v.name, killed, v.least)
	}
}

// state is what purchases have moved, in all three ledgers.
type state struct {
	home, paid, sold, settled int64
}

func (s *stage) state() state {
	s.t.Helper()
	return state{home: s.lagos.balance("tunde"), paid: s.berlin.paidSales(), sold: s.berlin.sellerCredits(), settled: s.hub.settledCharges()}
}

// actWithCrash does something while the victim is armed for its nth point, and
// reports whether that point was reached.
func (s *stage) actWithCrash(t *testing.T, victim *process, n int, act func() error) bool {
	t.Helper()
	victim.arm(n)
	answered := make(chan error, 1)
	go func() { answered <- act() }()
	var err error
	done := false
	// The end of the act, or of the victim, whichever comes first.
	waitUntil(t, "the act or the victim has ended", func() bool {
		select {
		case err = <-answered:
			done = true
		default:
		}
		return victim.dead() || done && s.quiet()
	})
	crashed := victim.disarm()
	if crashed || victim.dead() {
		<-victim.gone
		victim.start()
		s.waitReady()
	}
	if !done {
		err = <-answered
	}
	if err != nil && victim != s.berlin {
		t.Fatalf("the host's page must always answer: %v", err)
	}
	waitUntil(t, "everything has ended", s.quiet)
	return crashed
}

// quiet reports whether nothing is under way in any of the three.
func (s *stage) quiet() bool {
	return s.hub.openMoney() == 0 && s.lagos.openLetters() == 0 && s.berlin.openLetters() == 0 &&
		s.lagos.openSales() == 0 && s.berlin.openSales() == 0
}

// check holds the ledgers to each other after some purchases.
func (s *stage) check(t *testing.T, before state, when string) {
	t.Helper()
	after := s.state()
	paid := after.paid - before.paid
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
