package game_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"sgip.example/starter/game"
)

func TestTown_Take(t *testing.T) {
	t.Run("OK competing", func(t *testing.T) {
		f := berlin(t) // Lena has 8500
		var took, poor atomic.Int64
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				err := f.Take(f.ctx, "lena", 400, game.Entry{Text: "abroad"})
				switch {
				case err == nil:
					took.Add(1)
				case errors.Is(err, game.ErrPoor):
					poor.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took.Load() != 21 || poor.Load() != 19 || f.balance("lena") != 100 {
			t.Fatalf("%d took, %d refused, %d left", took.Load(), poor.Load(), f.balance("lena"))
		}
		if n := f.sum(`SELECT COUNT(*) FROM game_entries WHERE account = 'player:lena' AND amount = -400`); n != 21 {
			t.Fatalf("%d entries", n)
		}
	})
	t.Run("OK statement", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Take(f.ctx, "lena", 300, game.Entry{
			Text: "Suya", Ref: "charge", VisitID: visit1, Host: "lagos.example", HostCost: 133700, HostCode: "NGN",
		}))
		f.must(f.Give(f.ctx, "lena", 100, game.Entry{Text: "Suya", Ref: "refund", VisitID: visit1, Host: "lagos.example"}))
		lines, err := f.Statement(f.ctx, "lena", 2)
		f.must(err)
		if len(lines) != 2 || lines[0].Amount != 100 || lines[0].Kind != game.EntryReturned ||
			lines[1].Amount != -300 || lines[1].Kind != game.EntryAbroad || lines[1].HostCost != 133700 || lines[1].HostCode != "NGN" {
			t.Fatalf("statement %+v", lines)
		}
	})
	t.Run("ErrInvalid", func(t *testing.T) {
		f := berlin(t)
		for _, amount := range []int64{0, -1, math.MinInt64, game.MaxMoney + 1, math.MaxInt64} {
			f.refused(f.Take(f.ctx, "lena", amount, game.Entry{}), game.ErrInvalid)
			f.refused(f.Give(f.ctx, "lena", amount, game.Entry{}), game.ErrInvalid)
		}
		f.refused(f.Take(f.ctx, "lena", game.MaxMoney, game.Entry{}), game.ErrPoor)
	})
	t.Run("ErrNoPlayer", func(t *testing.T) {
		f := berlin(t)
		f.refused(f.Take(f.ctx, "ghost", 1, game.Entry{}), game.ErrNoPlayer)
	})
}

func TestTown_Give(t *testing.T) {
	t.Run("OK gone", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Give(f.ctx, "ghost", 500, game.Entry{Text: "too late"}))
		if n := f.sum(`SELECT balance FROM game_accounts WHERE account = 'unclaimed'`); n != 500 {
			t.Fatalf("unclaimed holds %d", n)
		}
	})
	t.Run("ErrInvalid beyond the largest", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Give(f.ctx, "lena", game.MaxMoney-8500-20000, game.Entry{}))
		f.refused(f.Give(f.ctx, "lena", 20001, game.Entry{}), game.ErrInvalid)
		if got := f.balance("lena"); got != game.MaxMoney-20000 {
			t.Fatalf("Lena has %d", got)
		}
		if n := f.sum(`SELECT COUNT(*) FROM game_accounts WHERE typeof(balance) <> 'integer'`); n != 0 {
			t.Fatal("a balance is no whole number any more")
		}
	})
}

func TestLedger_Table(t *testing.T) {
	f := berlin(t)
	for _, set := range []string{"1.5", "9007199254740992", "'much'"} {
		err := f.db.InTx(f.ctx, func(ctx context.Context) error {
			return f.db.Tx(ctx).Exec("UPDATE game_accounts SET balance = " + set + " WHERE account = 'player:lena'").Error
		})
		if err == nil || !strings.Contains(err.Error(), "CHECK") {
			t.Fatalf("balance = %s: %v", set, err)
		}
	}
}

// Whatever people do, each transfer and all balances sum to zero, each balance
// is the sum of its entries, and nobody but by rent is below zero.
func TestLedger_Balanced(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	old := checks.Value.String()
	if err := checks.Value.Set("12"); err != nil { // each opens a town on disk
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := checks.Value.Set(old); err != nil {
			t.Error(err)
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		f := berlin(t)
		f.must(f.Give(f.ctx, "lena", 40000, game.Entry{}))
		f.arrive()
		var asked []string
		for range rapid.IntRange(5, 40).Draw(r, "acts") {
			asked = randomAct(r, f, asked)
		}
		for what, query := range map[string]string{
			"balances":              `SELECT SUM(balance) FROM game_accounts`,
			"transfers":             `SELECT COUNT(*) FROM (SELECT transfer FROM game_entries GROUP BY transfer HAVING SUM(amount) <> 0 OR COUNT(*) <> 2)`,
			"balances and entries":  `SELECT COUNT(*) FROM game_accounts a WHERE balance <> (SELECT COALESCE(SUM(amount), 0) FROM game_entries e WHERE e.account = a.account)`,
			"players far below":     `SELECT COUNT(*) FROM game_accounts WHERE account LIKE 'player:%' AND balance < -2700`,
			"guests below zero":     `SELECT COUNT(*) FROM game_accounts WHERE account LIKE 'guest:%' AND balance < 0`,
			"sellers' shares":       `SELECT COUNT(*) FROM game_sales s WHERE seller <> '' AND seller_paid * seller_share <> (SELECT COALESCE(SUM(amount), 0) FROM game_entries e WHERE e.ref = s.id AND e.account = 'player:' || s.seller)`,
			"paid without a seller": `SELECT COUNT(*) FROM game_sales WHERE seller_share > 0 AND goods = 'given' AND state = 'paid' AND NOT seller_paid`,
			"given without pay":     `SELECT COUNT(*) FROM game_sales WHERE goods = 'given' AND state IN ('asked', 'refused', 'void')`,
			"paid, nothing given":   `SELECT COUNT(*) FROM game_sales WHERE goods = 'kept' AND state = 'paid' AND refund_id = '' AND item <> ''`,
			"abroad":                `SELECT COUNT(*) FROM game_accounts WHERE account = 'abroad' AND balance <> (SELECT COALESCE(-SUM(price), 0) FROM game_sales WHERE state = 'paid') - (SELECT COALESCE(SUM(amount), 0) FROM game_entries WHERE account LIKE 'player:%' AND kind IN ('abroad', 'returned'))`,
			"unpaid with a seller":  `SELECT COUNT(*) FROM game_sales s WHERE state IN ('asked', 'refused', 'void') AND EXISTS (SELECT 1 FROM game_entries e WHERE e.ref = s.id)`,
		} {
			if n := f.sum(query); n != 0 {
				r.Fatalf("%s: %d", what, n)
			}
		}
	})
}

// randomRefund answers one wish to give back, or notes what the town owes.
func randomRefund(r *rapid.T, f *fixture, asked []string) error {
	if len(asked) == 0 {
		return nil
	}
	sale, err := f.Sale(f.ctx, rapid.SampledFrom(asked).Draw(r, "refunded"))
	f.must(err)
	switch {
	case sale.Owed():
		_, err = f.GiveBack(f.ctx, sale.ID, refund1)
	case sale.Returning() && rapid.Bool().Draw(r, "given back"):
		_, err = f.Settle(f.ctx, sale.ID, game.SaleRefunded, "")
	default:
		_, err = f.KeepSold(f.ctx, sale.ID, sale.RefundID, "forbidden")
	}
	return err
}

// randomAct does something, allowed or not; refusals are part of the game,
// faults aren't.
func randomAct(r *rapid.T, f *fixture, asked []string) []string {
	who := rapid.SampledFrom([]game.PersonID{lena, jonas, tunde}).Draw(r, "who")
	place := rapid.SampledFrom(f.World().Places).Draw(r, "place")
	activity := rapid.SampledFrom(place.Activities).Draw(r, "activity").ID
	var err error
	switch rapid.IntRange(0, 9).Draw(r, "act") {
	case 0:
		_, err = f.Go(f.ctx, who, place.Slug, rapid.SampledFrom(f.World().Modes).Draw(r, "mode").ID)
	case 1, 2:
		here := f.view(who).Options
		_, err = f.Do(f.ctx, who, rapid.SampledFrom(here).Draw(r, "option").Activity.ID)
	case 3:
		f.minutes(rapid.IntRange(-500, 3000).Draw(r, "minutes"))
		_, err = f.View(f.ctx, who)
	case 4:
		err = f.Take(f.ctx, "lena", rapid.Int64Range(1, 3000).Draw(r, "amount"), game.Entry{})
	case 5:
		id := rapid.StringMatching(`[A-Z]{8}`).Draw(r, "sale")
		if here := f.view(tunde).Options; rapid.Bool().Draw(r, "here") {
			activity = rapid.SampledFrom(here).Draw(r, "goods").Activity.ID
		}
		if _, err = f.Ask(f.ctx, tunde, f.view(tunde).Person.VisitID, activity, id); err == nil {
			asked = append(asked, id)
		}
	case 6:
		if len(asked) > 0 {
			states := []game.SaleState{game.SalePaid, game.SaleRefused, game.SaleVoid, game.SaleRefunded}
			_, err = f.Settle(f.ctx, rapid.SampledFrom(asked).Draw(r, "settled"), rapid.SampledFrom(states).Draw(r, "to"), "forbidden")
		}
	case 7:
		if len(asked) > 0 {
			_, err = f.Return(f.ctx, tunde, f.view(tunde).Person.VisitID, rapid.SampledFrom(asked).Draw(r, "returned"), rapid.SampledFrom([]string{refund1, refund2}).Draw(r, "refund"))
		}
	case 8:
		err = randomRefund(r, f, asked)
	case 9:
		v := f.view(tunde)
		_, err = f.Depart(f.ctx, tunde, v.Person.VisitID)
		f.must(err)
		for _, id := range asked {
			if rapid.Bool().Draw(r, "paid late") {
				_, err = f.Settle(f.ctx, id, game.SalePaid, "")
			}
		}
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: rapid.StringMatching(`[A-Z]{8}`).Draw(r, "visit"), Name: "Tunde",
			Home: "lagos.example", Stats: map[string]int{"hunger": 50}, NoMoney: rapid.Bool().Draw(r, "penniless")}))
	}
	if _, refusal := errors.AsType[*game.Error](err); err != nil && !refusal && !errors.Is(err, game.ErrPoor) {
		r.Fatal(err)
	}
	return asked
}
