package game_test

import (
	"maps"
	"slices"
	"testing"

	"sgip.example/starter/game"
)

const (
	refund1 = "01JA2B3C4D5E6F7G8H9J0K1M40"
	refund2 = "01JA2B3C4D5E6F7G8H9J0K1M41"
)

// withLamp is a town where Tunde has bought a lamp at the stall of Lena, who
// has spent nothing of her share: 1140 of 1900.
func withLamp(t *testing.T) *fixture {
	f := berlin(t)
	f.must(f.Give(f.ctx, "lena", 20000, game.Entry{}))
	f.reach(lena, "flohmarkt")
	f.do(lena, game.StallActivity("flohmarkt"))
	f.arrive()
	f.reach(tunde, "flohmarkt")
	_, err := f.Ask(f.ctx, tunde, visit1, "lamp", sale1)
	f.must(err)
	_, err = f.Settle(f.ctx, sale1, game.SalePaid, "")
	f.must(err)
	return f
}

func (f *fixture) sale() game.Sale {
	f.t.Helper()
	s, err := f.Sale(f.ctx, sale1)
	f.must(err)
	return s
}

func TestTown_Return(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := withLamp(t)
		lenas := f.balance("lena")
		if s := f.sale(); !maps.Equal(s.Gave, map[string]int{"fun": 5}) || f.stat(tunde, "fun") != 100 {
			t.Fatalf("sale %+v", s) // fun was 95: no more fitted
		}
		for range 2 { // a repeat changes nothing
			s, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
			f.must(err)
			if !s.Returning() || s.Goods != game.GoodsKept || f.stat(tunde, "fun") != 95 || f.balance("lena") != lenas {
				t.Fatalf("sale %+v, fun %d, Lena has %d", s, f.stat(tunde, "fun"), f.balance("lena"))
			}
		}
		for range 2 {
			s, err := f.Settle(f.ctx, sale1, game.SaleRefunded, "")
			f.must(err)
			if s.Returning() || s.SellerPaid || f.balance("lena") != lenas-1140 || f.stat(tunde, "fun") != 95 {
				t.Fatalf("sale %+v, Lena has %d", s, f.balance("lena"))
			}
		}
		if n := f.sum(`SELECT balance FROM game_accounts WHERE account = 'abroad'`); n != -20000 { // what Lena began with
			t.Fatalf("abroad holds %d", n)
		}
		s, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		if len(s.Stats) != 0 || len(s.Verbs) != 0 || s.Postcard != "Greetings from Berlin! Only a quick look around this time. Bis bald!" {
			t.Fatalf("souvenirs of a lamp given back: %+v", s)
		}
	})
	t.Run("OK town covers the share", func(t *testing.T) {
		f := withLamp(t)
		f.must(f.Take(f.ctx, "lena", f.balance("lena")-1139, game.Entry{}))
		_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
		f.must(err)
		s, err := f.Settle(f.ctx, sale1, game.SaleRefunded, "")
		f.must(err)
		if !s.SellerPaid || f.balance("lena") != 1139 {
			t.Fatalf("sale %+v, Lena has %d", s, f.balance("lena"))
		}
		f.noted(lena, "A lamp from 1974 was given back to you. The town covered it, your share stays.")
	})
	t.Run("OK one of two lamps", func(t *testing.T) {
		f := withLamp(t)
		_, err := f.Ask(f.ctx, tunde, visit1, "lamp", "01JA2B3C4D5E6F7G8H9J0K1M31")
		f.must(err)
		_, err = f.Settle(f.ctx, "01JA2B3C4D5E6F7G8H9J0K1M31", game.SalePaid, "")
		f.must(err)
		_, err = f.Return(f.ctx, tunde, visit1, sale1, refund1)
		f.must(err)
		s, err := f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		if !slices.Equal(s.Verbs, []string{"buy"}) {
			t.Fatalf("souvenirs %+v", s)
		}
	})
	t.Run("OK again after a refusal", func(t *testing.T) {
		f := withLamp(t)
		_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
		f.must(err)
		_, err = f.KeepSold(f.ctx, sale1, refund1, "forbidden")
		f.must(err)
		s, err := f.Return(f.ctx, tunde, visit1, sale1, refund2)
		f.must(err)
		if !s.Returning() || s.RefundID != refund2 {
			t.Fatalf("sale %+v", s)
		}
		if s, err = f.KeepSold(f.ctx, sale1, refund1, "forbidden"); err != nil || !s.Returning() {
			t.Fatalf("an old answer ended the new wish: %+v, %v", s, err)
		}
	})
}

func TestTown_ReturnRefused(t *testing.T) {
	ask := func(f *fixture, activity string) {
		f.t.Helper()
		_, err := f.Ask(f.ctx, tunde, visit1, activity, "01JA2B3C4D5E6F7G8H9J0K1M31")
		f.must(err)
	}
	for _, c := range []struct {
		name  string
		who   game.PersonID
		visit string
		sale  string
		do    func(f *fixture)
		want  game.Kind
	}{
		{"ErrNoSuch", tunde, visit1, refund1, nil, game.ErrNoSuch},
		{"ErrNoSuch of someone else", lena, visit1, sale1, nil, game.ErrNoSuch},
		{"ErrNoSuch of another visit", tunde, visit2, sale1, nil, game.ErrNoSuch},
		{"ErrInvalid not paid", tunde, visit1, "01JA2B3C4D5E6F7G8H9J0K1M31", func(f *fixture) { ask(f, "lamp") }, game.ErrInvalid},
		{"ErrBusy", tunde, visit1, sale1, func(f *fixture) {
			_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
			f.must(err)
		}, game.ErrBusy},
		{"ErrInvalid already", tunde, visit1, sale1, func(f *fixture) {
			_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
			f.must(err)
			_, err = f.Settle(f.ctx, sale1, game.SaleRefunded, "")
			f.must(err)
		}, game.ErrInvalid},
		{"ErrAway", tunde, visit1, sale1, func(f *fixture) {
			_, err := f.Depart(f.ctx, tunde, visit1)
			f.must(err)
		}, game.ErrAway},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := withLamp(t)
			if c.do != nil {
				c.do(f)
			}
			_, err := f.Return(f.ctx, c.who, c.visit, c.sale, refund2)
			f.refused(err, c.want)
			if s := f.sale(); s.RefundID == refund2 {
				t.Fatalf("noted all the same: %+v", s)
			}
		})
	}
	t.Run("ErrInvalid eaten", func(t *testing.T) {
		f := atImbiss(t)
		_, err := f.Ask(f.ctx, tunde, visit1, "currywurst", sale1)
		f.must(err)
		_, err = f.Settle(f.ctx, sale1, game.SalePaid, "")
		f.must(err)
		_, err = f.Return(f.ctx, tunde, visit1, sale1, refund1)
		f.refused(err, game.ErrInvalid)
		f.settledAs(game.SalePaid)
	})
}

func TestTown_KeepSold(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := withLamp(t)
		lenas := f.balance("lena")
		_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
		f.must(err)
		for range 2 {
			s, err := f.KeepSold(f.ctx, sale1, refund1, "forbidden")
			f.must(err)
			if s.State != game.SalePaid || s.Goods != game.GoodsGiven || s.RefundWhy != "forbidden" || f.stat(tunde, "fun") != 100 || f.balance("lena") != lenas {
				t.Fatalf("sale %+v, fun %d, Lena has %d", s, f.stat(tunde, "fun"), f.balance("lena"))
			}
		}
	})
	t.Run("OK guest has left", func(t *testing.T) {
		f := withLamp(t)
		_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
		f.must(err)
		_, err = f.Depart(f.ctx, tunde, visit1)
		f.must(err)
		s, err := f.KeepSold(f.ctx, sale1, refund1, "forbidden")
		f.must(err)
		if s.Goods != game.GoodsGiven {
			t.Fatalf("sale %+v", s)
		}
		f.noted(tunde, "A lamp from 1974 is yours: it was sent after you.")
	})
	t.Run("ErrNoSuch", func(t *testing.T) {
		f := berlin(t)
		_, err := f.KeepSold(f.ctx, sale1, refund1, "forbidden")
		f.refused(err, game.ErrNoSuch)
	})
}

func TestTown_StallBook(t *testing.T) {
	f := withLamp(t)
	book := func(who game.PersonID) game.StallBook {
		t.Helper()
		b, err := f.StallBook(f.ctx, who)
		f.must(err)
		return b
	}
	f.reach(jonas, "flohmarkt")
	f.do(jonas, "records")
	b := book(lena)
	if b.Place == nil || b.Place.Slug != "flohmarkt" || b.Earned != 1140+720 || len(b.Takings) != 2 {
		t.Fatalf("book %+v", b)
	}
	here, abroad := b.Takings[0], b.Takings[1]
	if here.Guest != "" || here.Price != 1200 || here.Share != 720 || !here.Returned.IsZero() {
		t.Fatalf("sold to Jonas: %+v", here)
	}
	if abroad.Guest != "Tunde" || abroad.Home != "lagos.example" || abroad.What != "A lamp from 1974" || abroad.Price != 1900 || abroad.Share != 1140 {
		t.Fatalf("sold to Tunde: %+v", abroad)
	}
	_, err := f.Return(f.ctx, tunde, visit1, sale1, refund1)
	f.must(err)
	_, err = f.Settle(f.ctx, sale1, game.SaleRefunded, "")
	f.must(err)
	if b = book(lena); b.Earned != 720 || b.Takings[1].Returned.IsZero() || b.Takings[1].Covered {
		t.Fatalf("book %+v", b)
	}
	if b = book(jonas); b.Place.Slug != "imbiss" || len(b.Takings) != 0 || b.Earned != 0 {
		t.Fatalf("Jonas' book %+v", b)
	}
	_, err = f.StallBook(f.ctx, "ghost")
	f.refused(err, game.ErrNoPlayer)
	_, err = f.StallBook(f.ctx, tunde)
	f.refused(err, game.ErrNoPlayer)
}
