package main

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestPurchase_Refused: over the budget and too poor are said in plain words;
// nothing is lost, nothing is given.
func TestPurchase_Refused(t *testing.T) {
	s := newHurriedStage(t)
	for _, c := range []struct {
		name, budget, place, sign, treat string
		bought                           int64 // before it is refused
		code, words                      string
	}{
		{"ErrOverBudget", "1,000", "", "", berlinTreat, 0, "limit_reached", "would go over what you may still spend"},
		{"ErrTooPoor", "100,000", "alex", "Fernsehturm", "tower", 3, "insufficient_funds", "isn't enough in your pocket at home"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tunde := newPerson(t, s.lagos.part.url(), s.berlin.part.url())
			tunde.playAs("tunde")
			tunde.travel(c.budget)
			if c.place != "" {
				tunde.walk(t, c.place, c.sign)
			}
			var last answer
			for range c.bought + 1 {
				tunde.free(t)
				before := s.state()
				var err error
				if last, err = tunde.buy(c.treat); err != nil {
					t.Fatal(err)
				}
				if after := s.state(); after.paid == before.paid && after != before {
					t.Errorf("refused, and yet moved: %+v, before %+v", after, before)
				}
			}
			if last.status != http.StatusOK || !strings.Contains(html.UnescapeString(last.body), c.words) {
				t.Errorf("status %d, want words with %q:\n%s", last.status, c.words, last.body)
			}
			refused := s.berlin.query(`SELECT count(*) FROM game_sales WHERE visit_id = ? AND state = 'refused' AND why = ?`, tunde.visit, c.code)
			paid := s.berlin.query(`SELECT count(*) FROM game_sales WHERE visit_id = ? AND state = 'paid'`, tunde.visit)
			if refused != 1 || paid != c.bought {
				t.Errorf("%d refused with %s and %d paid, want 1 and %d", refused, c.code, paid, c.bought)
			}
		})
	}
	s.lagos.checkLedger(t)
	s.berlin.checkLedger(t)
}

// TestVisit_BerlinToLagos is the way round as the protocol sees it: Lena pays in
// Lagos with euros, and a price that doesn't divide is rounded up at home.
func TestVisit_BerlinToLagos(t *testing.T) {
	s := newStage(t)
	lena := newPerson(t, s.berlin.part.url(), s.lagos.part.url())
	lena.playAs("lena")
	before := s.berlin.balance("lena")
	lena.travel("20")
	const gala, galaDebit = "gala", 146 // 70,000 kobo at 480 a cent are 145.8 cents
	if a, err := lena.buy(gala); err != nil || a.status != http.StatusOK {
		t.Fatalf("buy: %v, status %d, %s", err, a.status, a.body)
	}
	if got := before - s.berlin.balance("lena"); got != galaDebit {
		t.Errorf("the Gala took %d cents at home, want %d", got, galaDebit)
	}
	if paid := s.lagos.paidSales(); paid != 1 {
		t.Errorf("%d sales paid in Lagos, want 1", paid)
	}
	if a, err := lena.do(http.MethodPost, lena.host+"/visit/leave", "application/json", "{}"); err != nil || a.status != http.StatusOK {
		t.Fatalf("leave: %v, status %d, %s", err, a.status, a.body)
	}
	waitUntil(t, "the postcard is home", func() bool {
		return s.berlin.query(`SELECT count(*) FROM game_postcards WHERE handle = 'lena'`) == 1
	})
	a, err := lena.do(http.MethodPost, lena.host+"/visit/buy", "application/x-www-form-urlencoded", url.Values{"activity": {gala}}.Encode())
	if err != nil || a.status == http.StatusOK && strings.Contains(a.body, "yours") {
		t.Errorf("a guest who has left could still buy: %v, status %d, %s", err, a.status, a.body)
	}
	s.lagos.checkLedger(t)
	s.berlin.checkLedger(t)
}
