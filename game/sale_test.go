package game_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"sgip.example/starter/game"
)

const sale1 = "01JA2B3C4D5E6F7G8H9J0K1M30"

// atImbiss is a town where Tunde has walked to the Imbiss, which Jonas runs.
func atImbiss(t *testing.T) *fixture {
	f := berlin(t)
	f.arrive()
	f.reach(tunde, "imbiss")
	return f
}

func TestTown_Ask(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := atImbiss(t)
		sale, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		if sale.State != game.SaleAsked || sale.Price != 350 || sale.Currency != "EUR" || sale.Seller != jonas || sale.SellerShare != 245 {
			t.Fatalf("sale %+v", sale)
		}
		again, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		if !reflect.DeepEqual(again, sale) {
			t.Fatalf("again %+v", again)
		}
		if f.stat(tunde, "hunger") != 50 || f.balance("jonas") != 14000 {
			t.Fatal("something was given before it was paid")
		}
	})
	for _, c := range []struct {
		name, visit, activity string
		who                   game.PersonID
		want                  game.Kind
	}{
		{"ErrAway other visit", visit2, "currywurst", tunde, game.ErrAway},
		{"ErrAway resident", visit1, "currywurst", lena, game.ErrAway},
		{"ErrAway elsewhere", visit1, "swim", tunde, game.ErrAway},
		{"ErrNoSuch", visit1, "fly", tunde, game.ErrNoSuch},
		{"ErrNoPlayer", visit1, "currywurst", "ghost@lagos.example", game.ErrNoPlayer},
		{"ErrInvalid free", visit1, "small_talk", tunde, game.ErrInvalid},
		{"ErrInvalid for residents", visit1, game.StallActivity("imbiss"), tunde, game.ErrInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := atImbiss(t)
			_, err := f.Ask(f.ctx, c.who, c.visit, c.activity, sale1)
			f.refused(err, c.want)
			_, err = f.Sale(f.ctx, sale1)
			f.refused(err, game.ErrNoSuch)
		})
	}
	t.Run("ErrBusy same again", func(t *testing.T) {
		f := atImbiss(t)
		_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		_, err = f.Ask(f.ctx, tunde, visit1, "currywurst", sale1[:25]+"1")
		f.refused(err, game.ErrBusy)
		_, err = f.Ask(f.ctx, tunde, visit1, "pommes", sale1[:25]+"1")
		f.must(err)
	})
	t.Run("ErrInvalid id of another", func(t *testing.T) {
		f := atImbiss(t)
		_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		_, err = f.Ask(f.ctx, tunde, visit1, "pommes", sale1)
		f.refused(err, game.ErrInvalid)
	})
}

// Every move of a sale from every state, made twice.
func TestTown_Settle(t *testing.T) {
	states := []game.SaleState{game.SaleAsked, game.SalePaid, game.SaleRefused, game.SaleVoid, game.SaleRefunded}
	allowed := map[game.SaleState][]game.SaleState{
		game.SaleAsked: {game.SalePaid, game.SaleRefused, game.SaleVoid},
		game.SalePaid:  {game.SaleRefunded},
	}
	way := map[game.SaleState][]game.SaleState{
		game.SaleAsked: {}, game.SalePaid: {game.SalePaid}, game.SaleRefused: {game.SaleRefused},
		game.SaleVoid: {game.SaleVoid}, game.SaleRefunded: {game.SalePaid, game.SaleRefunded},
	}
	for _, from := range states {
		for _, to := range states {
			t.Run(string(from)+" to "+string(to), func(t *testing.T) {
				f := atImbiss(t)
				_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
				f.must(err)
				for _, step := range way[from] {
					_, err := f.Settle(f.ctx, sale1, step, "")
					f.must(err)
				}
				end := from
				for range 2 {
					_, err := f.Settle(f.ctx, sale1, to, "limit_reached")
					switch {
					case to == end:
						f.must(err)
					case slices.Contains(allowed[from], to):
						f.must(err)
						end = to
					default:
						f.refused(err, game.ErrInvalid)
					}
				}
				f.settledAs(end)
			})
		}
	}
	t.Run("ErrNoSuch", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.refused(err, game.ErrNoSuch)
	})
	t.Run("OK rolled back", func(t *testing.T) {
		f := atImbiss(t)
		_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		lost := errors.New("the caller's own failure")
		err = f.db.InTx(f.ctx, func(ctx context.Context) error {
			_, err := f.Settle(ctx, sale1, game.SalePaid, "")
			return errors.Join(err, lost)
		})
		if !errors.Is(err, lost) {
			t.Fatal(err)
		}
		f.settledAs(game.SaleAsked)
	})
}

// A purchase whose ok comes when the guest has left: a thing is sent after them,
// what needs them there is owed.
func TestTown_SettleGuestGone(t *testing.T) {
	leave := func(t *testing.T, activity, place string) (*fixture, game.Souvenirs) {
		f := berlin(t)
		f.arrive()
		f.reach(tunde, place)
		_, err := f.Ask(f.ctx, tunde, visit1, activity, sale1)
		f.must(err)
		s, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		return f, s
	}
	t.Run("OK thing", func(t *testing.T) {
		f, s := leave(t, "lamp", "flohmarkt")
		if want := "Greetings from Berlin! Only a quick look around this time. As soon as it is paid, this follows by post: A lamp from 1974. Bis bald!"; s.Postcard != want {
			t.Fatalf("postcard %q", s.Postcard)
		}
		sale, err := f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.must(err)
		if sale.Goods != game.GoodsGiven || sale.Owed() {
			t.Fatalf("sale %+v", sale)
		}
		f.noted(tunde, "A lamp from 1974 is yours: it was sent after you.")
	})
	t.Run("OK seller of a thing", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Give(f.ctx, "lena", 20000, game.Entry{}))
		f.reach(lena, "flohmarkt")
		f.do(lena, game.StallActivity("flohmarkt"))
		before := f.balance("lena")
		f.arrive()
		f.reach(tunde, "flohmarkt")
		_, err := f.Ask(f.ctx, tunde, visit1, "lamp", sale1)
		f.must(err)
		_, err = f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		for range 2 {
			_, err = f.Settle(f.ctx, sale1, game.SalePaid, "")
			f.must(err)
		}
		if got := f.balance("lena") - before; got != 1140 {
			t.Fatalf("Lena earned %d", got)
		}
	})
	t.Run("OK owed and given back", func(t *testing.T) {
		f, _ := leave(t, "currywurst", "imbiss")
		sale, err := f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.must(err)
		if !sale.Owed() || f.balance("jonas") != 14000 {
			t.Fatalf("sale %+v, Jonas has %d", sale, f.balance("jonas"))
		}
		for range 2 {
			sale, err = f.GiveBack(f.ctx, sale1, refund1)
			f.must(err)
		}
		if !sale.Returning() || sale.Owed() {
			t.Fatalf("sale %+v", sale)
		}
		_, err = f.GiveBack(f.ctx, sale1, refund2)
		f.refused(err, game.ErrInvalid)
		for range 2 {
			_, err = f.Settle(f.ctx, sale1, game.SaleRefunded, "")
			f.must(err)
		}
		if f.balance("jonas") != 14000 || f.sum(`SELECT balance FROM game_accounts WHERE account = 'abroad'`) != 0 {
			t.Fatal("someone kept something of a sausage that was never sold")
		}
	})
	t.Run("OK owed, not given back, waits", func(t *testing.T) {
		f, _ := leave(t, "currywurst", "imbiss")
		_, err := f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.must(err)
		_, err = f.GiveBack(f.ctx, sale1, refund1)
		f.must(err)
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit2, Name: "Tunde", Stats: map[string]int{"hunger": 50}}))
		if f.stat(tunde, "hunger") != 50 {
			t.Fatal("fed, although the money is on its way back")
		}
		_, err = f.Depart(f.ctx, tunde, visit2)
		f.must(err)
		for range 2 {
			_, err = f.KeepSold(f.ctx, sale1, refund1, "forbidden")
			f.must(err)
		}
		if f.balance("jonas") != 14000 {
			t.Fatal("the seller is paid before the goods are given")
		}
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: "01JA2B3C4D5E6F7G8H9J0K1M2Q", Name: "Tunde", Stats: map[string]int{"hunger": 50}}))
		if f.stat(tunde, "hunger") != 88 || f.balance("jonas") != 14245 {
			t.Fatalf("hunger %d, Jonas has %d", f.stat(tunde, "hunger"), f.balance("jonas"))
		}
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit2, Name: "Tunde", Stats: map[string]int{"hunger": 50}}))
		if f.stat(tunde, "hunger") != 50 || f.balance("jonas") != 14245 {
			t.Fatal("served twice")
		}
	})
	t.Run("OK owed, not given back, guest is here again", func(t *testing.T) {
		f, _ := leave(t, "currywurst", "imbiss")
		_, err := f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.must(err)
		_, err = f.GiveBack(f.ctx, sale1, refund1)
		f.must(err)
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit2, Name: "Tunde", Stats: map[string]int{"hunger": 50}}))
		_, err = f.KeepSold(f.ctx, sale1, refund1, "forbidden")
		f.must(err)
		if f.stat(tunde, "hunger") != 88 || f.balance("jonas") != 14245 {
			t.Fatalf("hunger %d, Jonas has %d", f.stat(tunde, "hunger"), f.balance("jonas"))
		}
	})
}

// A seller who can't be paid keeps no guest from what they paid for.
func TestTown_SettleSellerGone(t *testing.T) {
	f := atImbiss(t)
	_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
	f.must(err)
	f.must(f.db.InTx(f.ctx, func(ctx context.Context) error {
		return f.db.Tx(ctx).Exec("UPDATE game_accounts SET account = 'player:moved' WHERE account = 'player:jonas'").Error
	}))
	sale, err := f.Settle(f.ctx, sale1, game.SalePaid, "")
	f.must(err)
	if sale.SellerPaid || f.stat(tunde, "hunger") != 88 || f.sum(`SELECT balance FROM game_accounts WHERE account = 'town'`) != 350-8500-14000 {
		t.Fatalf("sale %+v, the town has %d", sale, f.sum(`SELECT balance FROM game_accounts WHERE account = 'town'`))
	}
}

// settledAs checks goods, seller and the town's books for a state.
func (f *fixture) settledAs(state game.SaleState) {
	f.t.Helper()
	sale, err := f.Sale(f.ctx, sale1)
	f.must(err)
	hunger, seller, abroad := 50, int64(14000), int64(0)
	switch state {
	case game.SalePaid:
		hunger, seller, abroad = 88, 14245, -350
	case game.SaleRefunded: // nobody took the sausage back
		hunger = 88
	}
	got := []any{sale.State, f.stat(tunde, "hunger"), f.balance("jonas"), f.sum(`SELECT balance FROM game_accounts WHERE account = 'abroad'`)}
	if want := []any{state, hunger, seller, abroad}; !slices.Equal(got, want) {
		f.t.Fatalf("got %v, want %v", got, want)
	}
}

func TestTown_Arrive(t *testing.T) {
	t.Run("OK nothing invented", func(t *testing.T) {
		f := berlin(t)
		f.arrive()
		f.minutes(600)
		v := f.view(tunde)
		if len(v.Stats) != 2 || v.Stats[0] != (game.StatView{ID: "hunger", Value: 50}) || v.Stats[1].ID != "fun" || v.Stats[1].Value != 95 {
			t.Fatalf("stats %+v", v.Stats)
		}
		if v.Here.Slug != f.World().Arrivals || v.Person.Home != "lagos.example" || v.Balance != 0 || v.Goals != nil {
			t.Fatalf("view %+v", v.Person)
		}
	})
	t.Run("OK no stats at all", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit1, Name: "Tunde", Home: "lagos.example"}))
		f.do(tunde, "watch_trains")
		if v := f.view(tunde); len(v.Stats) != 0 {
			t.Fatalf("invented %+v", v.Stats)
		}
		s, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		if len(s.Stats) != 0 || !slices.Equal(s.Verbs, []string{"watch"}) {
			t.Fatalf("souvenirs %+v", s)
		}
	})
	t.Run("OK again", func(t *testing.T) {
		f := atImbiss(t)
		f.do(tunde, "small_talk")
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit1, Name: "Túndé", Stats: map[string]int{"hunger": 1}}))
		if v := f.view(tunde); v.Here.Slug != "imbiss" || v.Person.Name != "Túndé" || f.stat(tunde, "hunger") != 50 || f.stat(tunde, "fun") != 99 {
			t.Fatalf("a refresh changed more than the name: %+v", v)
		}
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit2, Name: "Tunde", Stats: map[string]int{"hunger": 20}}))
		if v := f.view(tunde); v.Here.Slug != "hbf" || len(v.Stats) != 1 || f.stat(tunde, "hunger") != 20 {
			t.Fatalf("a new visit begins anew: %+v", v)
		}
	})
	t.Run("OK guest rules", func(t *testing.T) {
		f := atImbiss(t)
		_, err := f.Do(f.ctx, tunde, "currywurst")
		f.refused(err, game.ErrInvalid)
		_, err = f.Go(f.ctx, tunde, "alex", "subway")
		f.refused(err, game.ErrInvalid)
		f.reach(tunde, "flohmarkt")
		_, err = f.Do(f.ctx, tunde, "sell")
		f.refused(err, game.ErrInvalid)
		for _, r := range f.view(tunde).Routes {
			if r.Mode != "walk" || r.Price != 0 {
				t.Fatalf("a guest is offered %+v", r)
			}
		}
	})
}

func TestTown_Depart(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := atImbiss(t)
		_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		_, err = f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.must(err)
		f.do(tunde, "small_talk")
		f.minutes(15)
		f.do(tunde, "small_talk")
		s, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		// Fun was 95: of +4 +4 +4 only what fitted happened.
		if want := map[string]int{"hunger": 38, "fun": 5}; !maps.Equal(s.Stats, want) {
			t.Fatalf("souvenirs %v, want %v", s.Stats, want)
		}
		if !slices.Equal(s.Verbs, []string{"eat", "chat"}) {
			t.Fatalf("verbs %v", s.Verbs)
		}
		if s.Postcard != "Greetings from Berlin! Today: a Currywurst at the Imbiss and a long talk about late trains. Bis bald!" {
			t.Fatalf("postcard %q", s.Postcard)
		}
		if utf8.RuneCountInString(s.Postcard) > 280 || game.CheckText(s.Postcard, 280) != nil {
			t.Fatalf("no game would take %q", s.Postcard)
		}
		again, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		if len(again.Stats)+len(again.Verbs) != 0 {
			t.Fatalf("twice: %+v", again)
		}
		_, err = f.View(f.ctx, tunde)
		f.refused(err, game.ErrNoPlayer)
	})
	t.Run("OK superseded visit", func(t *testing.T) {
		f := atImbiss(t)
		f.must(f.Arrive(f.ctx, game.Visitor{ID: tunde, VisitID: visit2, Name: "Tunde"}))
		s, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		if len(s.Stats) != 0 || f.view(tunde).Person.VisitID != visit2 {
			t.Fatal("the old visit's end took the new one along")
		}
	})
	t.Run("OK stranger", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
	})
}

func TestTown_ReturnHome(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		health := f.stat(lena, "health")
		r := game.Homecoming{
			VisitID: visit1, Host: "lagos.example", HostName: "Lagos", Reason: "left",
			Stats: map[string]int{"health": 20, "social": -20, "knowledge": 20}, Postcard: "Greetings!", Verbs: []string{"eat"},
		}
		applied, err := f.ReturnHome(f.ctx, "lena", r)
		f.must(err)
		if want := map[string]int{"health": 100 - health, "social": -20}; !maps.Equal(applied, want) {
			t.Fatalf("applied %v, want %v", applied, want)
		}
		again, err := f.ReturnHome(f.ctx, "lena", r)
		f.must(err)
		if !maps.Equal(again, applied) || f.stat(lena, "social") != 25 {
			t.Fatalf("a second time %v, social %d", again, f.stat(lena, "social"))
		}
		cards, err := f.Postcards(f.ctx, "lena")
		f.must(err)
		if len(cards) != 1 || cards[0].Text != "Greetings!" || cards[0].HostName != "Lagos" || !maps.Equal(cards[0].Changes, applied) {
			t.Fatalf("postcards %+v", cards)
		}
		for _, g := range f.view(lena).Goals {
			if g.ID == "stamp" && !g.Done {
				t.Fatal("a stamp isn't counted")
			}
		}
	})
	t.Run("ErrNoPlayer", func(t *testing.T) {
		f := berlin(t)
		_, err := f.ReturnHome(f.ctx, "ghost", game.Homecoming{VisitID: visit1})
		f.refused(err, game.ErrNoPlayer)
	})
}
