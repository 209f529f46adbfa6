package game_test

import (
	"testing"

	"sgip.example/starter/game"
)

// penniless brings Tunde without money that can be used here, on a visit.
func (f *fixture) penniless(visit string) {
	f.t.Helper()
	f.must(f.Arrive(f.ctx, game.Visitor{
		ID: tunde, VisitID: visit, Name: "Tunde", Home: "lagos.example", Stats: map[string]int{"hunger": 50, "fun": 50}, NoMoney: true,
	}))
}

func (f *fixture) pocket() int64 {
	f.t.Helper()
	return f.sum(`SELECT balance FROM game_accounts WHERE account = 'guest:tunde@lagos.example'`)
}

func TestTown_Pocket(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		given := f.World().GuestAllowance
		f.penniless(visit1)
		if v := f.view(tunde); given <= 0 || v.Pocket != given || v.Balance != given {
			t.Fatalf("given %d of %d, %d left", v.Pocket, given, v.Balance)
		}
		f.penniless(visit1) // a refresh
		f.reach(tunde, "imbiss")
		out := f.do(tunde, "currywurst")
		if v := f.view(tunde); out.Money != -350 || v.Balance != given-350 || v.Pocket != given || f.stat(tunde, "hunger") != 88 {
			t.Fatalf("outcome %+v, %d left", out, v.Balance)
		}
		if f.balance("jonas") != 14000 {
			t.Fatal("a stall earned the town's own money")
		}
		sales, err := f.Sales(f.ctx, visit1)
		f.must(err)
		if len(sales) != 0 {
			t.Fatalf("charged at home: %+v", sales)
		}
		_, err = f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		if f.pocket() != 0 {
			t.Fatalf("%d went along", f.pocket())
		}
		f.penniless(visit2)
		if f.pocket() != given {
			t.Fatalf("the next visit has %d", f.pocket())
		}
	})
	t.Run("OK visit never left", func(t *testing.T) {
		f := berlin(t)
		f.penniless(visit1)
		f.penniless(visit2)
		if f.pocket() != f.World().GuestAllowance {
			t.Fatalf("two visits' money: %d", f.pocket())
		}
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: "01JA2B3C4D5E6F7G8H9J0K1M2Q", Name: "Tunde"}))
		if v := f.view(tunde); f.pocket() != 0 || v.Pocket != 0 || v.Balance != 0 {
			t.Fatalf("with money from home: %d", f.pocket())
		}
	})
	t.Run("OK none in this world", func(t *testing.T) {
		f := berlin(t)
		f.World().GuestAllowance = 0
		f.penniless(visit1)
		f.reach(tunde, "imbiss")
		_, err := f.Do(f.ctx, tunde, "currywurst")
		f.refused(err, game.ErrInvalid)
	})
	t.Run("ErrPoor", func(t *testing.T) {
		f := berlin(t)
		f.World().GuestAllowance = 349
		f.penniless(visit1)
		f.reach(tunde, "imbiss")
		_, err := f.Do(f.ctx, tunde, "currywurst")
		f.refused(err, game.ErrPoor)
		for _, o := range f.view(tunde).Options {
			if o.Activity.ID == "currywurst" && (o.Can || o.Why != "You are 0.01 EUR short.") {
				t.Fatalf("offered %+v", o)
			}
		}
	})
	t.Run("ErrInvalid by charge", func(t *testing.T) {
		f := berlin(t)
		f.penniless(visit1)
		f.reach(tunde, "imbiss")
		_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.refused(err, game.ErrInvalid)
	})
}
