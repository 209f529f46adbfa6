package game_test

import (
	"slices"
	"testing"

	"sgip.example/starter/game"
)

func TestTown_Keeper(t *testing.T) {
	f := berlin(t)
	first, err := f.KeeperKey(f.ctx)
	f.must(err)
	key, err := f.KeeperKey(f.ctx) // a second start
	f.must(err)
	if len(key) < 20 || key == first {
		t.Fatalf("keys %q and %q", first, key)
	}
	for _, wrong := range []string{"", first, key + "x"} {
		f.refused(f.BecomeKeeper(f.ctx, lena, wrong), game.ErrInvalid)
	}
	f.arrive()
	f.refused(f.BecomeKeeper(f.ctx, tunde, key), game.ErrNoPlayer)
	if is, kept, err := f.Keeper(f.ctx, lena); is || kept || err != nil {
		t.Fatal(is, kept, err)
	}
	f.must(f.BecomeKeeper(f.ctx, lena, " "+key+"\n"))
	f.refused(f.BecomeKeeper(f.ctx, jonas, key), game.ErrInvalid)
	if is, kept, err := f.Keeper(f.ctx, lena); !is || !kept || err != nil {
		t.Fatal(is, kept, err)
	}
	if is, kept, err := f.Keeper(f.ctx, jonas); is || !kept || err != nil {
		t.Fatal(is, kept, err)
	}
	if again, err := f.KeeperKey(f.ctx); again != "" || err != nil {
		t.Fatalf("another key %q, %v", again, err)
	}
}

func TestTown_Gates(t *testing.T) {
	guest := func(id, home string) game.Visitor {
		return game.Visitor{ID: game.PersonID(id), VisitID: visit1, Name: "Someone", Home: home}
	}
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		f.must(f.LoadGates(f.ctx))
		f.must(f.CloseGates(f.ctx, true))
		f.must(f.Bar(f.ctx, "oslo.example", true))
		f.must(f.Bar(f.ctx, ada, true))
		want := game.Gates{Closed: true, Games: []string{"oslo.example"}, Guests: []string{ada}}
		got := f.Gates()
		if !got.Closed || !slices.Equal(got.Games, want.Games) || !slices.Equal(got.Guests, want.Guests) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		f.must(f.CloseGates(f.ctx, false))
		f.must(f.Bar(f.ctx, "oslo.example", false))
		f.must(f.Bar(f.ctx, ada, false))
		if got := f.Gates(); got.Closed || len(got.Games)+len(got.Guests) != 0 {
			t.Fatalf("%+v", got)
		}
	})
	t.Run("ErrTurnedAway", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Bar(f.ctx, ada, true))
		f.must(f.Bar(f.ctx, "oslo.example", true))
		f.refused(f.Arrive(f.ctx, guest(ada, "lagos.example")), game.ErrBlocked)
		f.refused(f.Arrive(f.ctx, guest("nora@oslo.example", "oslo.example")), game.ErrBlocked)
		f.must(f.Arrive(f.ctx, guest(string(tunde), "lagos.example")))
		f.must(f.CloseGates(f.ctx, true))
		f.must(f.Arrive(f.ctx, guest(string(tunde), "lagos.example"))) // is in town already
		f.refused(f.Arrive(f.ctx, guest("wole@lagos.example", "lagos.example")), game.ErrBlocked)
		f.must(f.CloseGates(f.ctx, false))
		f.must(f.Arrive(f.ctx, guest("wole@lagos.example", "lagos.example")))
	})
	t.Run("ErrName", func(t *testing.T) {
		f := berlin(t)
		f.refused(f.Bar(f.ctx, "", true), game.ErrInvalid)
		f.refused(f.Bar(f.ctx, "ada@", true), game.ErrInvalid)
	})
}
