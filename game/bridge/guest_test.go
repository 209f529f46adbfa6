package bridge_test

import (
	"context"
	"errors"
	"testing"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

// withLamp is Berlin with a guest who has bought a lamp at the Flohmarkt.
func withLamp(t *testing.T) (*berlin, visit.Guest, game.Sale) {
	b := newBerlin(t)
	b.hub.answers(settle)
	b.run()
	g := b.guest()
	b.walk("flohmarkt")
	sale, err := b.link.Buy(t.Context(), g, "lamp")
	if err != nil || sale.State != game.SalePaid || sale.Goods != game.GoodsGiven {
		t.Fatalf("bought %+v, %v", sale, err)
	}
	return b, g, sale
}

// wish notes a return without waiting for its end.
func (b *berlin) wish(g visit.Guest, saleID string) {
	b.t.Helper()
	var sale game.Sale
	err := b.db.InTx(b.t.Context(), func(ctx context.Context) error {
		id := newID()
		var err error
		if sale, err = b.town.Return(ctx, tunde, g.VisitID, saleID, id); err != nil {
			return err
		}
		return b.seat.Refund(ctx, id, saleID, nil)
	})
	if err != nil || !sale.Returning() {
		b.t.Fatalf("wished %+v, %v", sale, err)
	}
}

func TestBridge_Return(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		b, g, sale := withLamp(t)
		sale, err := b.link.Return(t.Context(), g, sale.ID)
		if err != nil || sale.State != game.SaleRefunded {
			t.Fatalf("returned %+v, %v", sale, err)
		}
		asked, _ := b.hub.asked(sgip.WalletRefund)
		var p sgip.RefundPayload
		if len(asked) != 1 || asked[0].ID != sale.RefundID || asked[0].Decode(local, &p) != nil || p.ChargeID != sale.ID || p.Amount != nil {
			t.Fatalf("asked %+v", asked)
		}
		if n := b.query(`SELECT balance FROM game_accounts WHERE account = 'abroad'`); n != 0 {
			t.Fatalf("abroad holds %d", n)
		}
	})
	t.Run("ErrRefused", func(t *testing.T) {
		b, g, sale := withLamp(t)
		b.hub.answers(func(sgip.Envelope, int) (any, error) {
			return nil, sgip.Errorf(sgip.Forbidden, "the charge is more than 24 hours old")
		})
		sale, err := b.link.Return(t.Context(), g, sale.ID)
		if err != nil || sale.State != game.SalePaid || sale.RefundWhy != string(sgip.Forbidden) || sale.Goods != game.GoodsGiven {
			t.Fatalf("returned %+v, %v", sale, err)
		}
	})
	t.Run("ErrNotTheirs", func(t *testing.T) {
		b, g, _ := withLamp(t)
		if _, err := b.link.Return(t.Context(), g, newID()); !errors.Is(err, game.ErrNoSuch) {
			t.Fatal(err)
		}
		if _, times := b.hub.asked(sgip.WalletRefund); times != 0 {
			t.Fatal("the hub was asked all the same")
		}
	})
	t.Run("OKPendingThenSettled", func(t *testing.T) {
		b, g, sale := withLamp(t)
		b.hub.answers(func(e sgip.Envelope, nth int) (any, error) { return refundOf(e, nth < 3) })
		b.wish(g, sale.ID)
		b.eventually("given back", func() bool { return b.sale(sale.ID).State == game.SaleRefunded })
		asked, times := b.hub.asked(sgip.WalletRefund)
		if len(asked) != 1 || times != 3 {
			t.Fatalf("%d refunds asked %d times, want one, three times with the same bytes", len(asked), times)
		}
	})
	t.Run("OKAnswersLostAndTownRestarted", func(t *testing.T) {
		b, g, sale := withLamp(t)
		b.hub.answers(nil)
		b.wish(g, sale.ID)
		b.eventually("asked in vain", func() bool { _, times := b.hub.asked(sgip.WalletRefund); return times >= 2 })
		b.stop()
		b.build()
		if s := b.sale(sale.ID); !s.Returning() || s.Goods != game.GoodsKept {
			t.Fatalf("after the restart %+v", s)
		}
		b.hub.answers(settle)
		b.run()
		b.eventually("given back", func() bool { return b.sale(sale.ID).State == game.SaleRefunded })
		if asked, _ := b.hub.asked(sgip.WalletRefund); len(asked) != 1 {
			t.Fatalf("%d different refunds asked", len(asked))
		}
	})
	t.Run("OKKilledBeforeItWasSent", func(t *testing.T) {
		b, g, sale := withLamp(t)
		b.stop()
		b.wish(g, sale.ID)
		b.build()
		b.run()
		b.eventually("given back", func() bool { return b.sale(sale.ID).State == game.SaleRefunded })
	})
}

// An ok that comes when the guest has left.
func TestBridge_ChargedGuestGone(t *testing.T) {
	leave := func(t *testing.T, place, activity string) (*berlin, game.Sale) {
		b := newBerlin(t)
		g := b.guest()
		b.walk(place)
		id := newID()
		if err := b.db.InTx(t.Context(), func(ctx context.Context) error {
			sale, err := b.town.Ask(ctx, tunde, g.VisitID, activity, id)
			if err != nil {
				return err
			}
			return b.seat.Charge(ctx, id, g.VisitID, sgip.Money{Amount: sale.Price, Currency: "EUR"}, sale.Label)
		}); err != nil {
			t.Fatal(err)
		}
		b.depart(g)
		return b, b.sale(id)
	}
	t.Run("OKThingIsSentAfter", func(t *testing.T) {
		b, sale := leave(t, "flohmarkt", "lamp")
		b.hub.answers(settle)
		b.run()
		b.eventually("paid", func() bool { return b.sale(sale.ID).State == game.SalePaid })
		if s := b.sale(sale.ID); s.Goods != game.GoodsGiven {
			t.Fatalf("sale %+v", s)
		}
		if n := b.query(`SELECT COUNT(*) FROM exchange_letters`); n != 0 {
			t.Fatalf("%d letters: it is given back as well", n)
		}
	})
	t.Run("OKMealIsGivenBack", func(t *testing.T) {
		b, sale := leave(t, "imbiss", "currywurst")
		b.hub.answers(settle)
		b.run()
		b.eventually("given back", func() bool { return b.sale(sale.ID).State == game.SaleRefunded })
		if n := b.query(`SELECT COUNT(*) FROM game_entries WHERE kind = 'sold' AND account = 'player:jonas'`); n != 0 {
			t.Fatal("the seller was paid for what nobody ate")
		}
		if n := b.query(`SELECT balance FROM game_accounts WHERE account = 'abroad'`); n != 0 {
			t.Fatalf("abroad holds %d", n)
		}
	})
	t.Run("OKMealWaitsWhereItCantBeGivenBack", func(t *testing.T) {
		b, sale := leave(t, "imbiss", "currywurst")
		b.hub.answers(func(e sgip.Envelope, nth int) (any, error) {
			if e.Op == sgip.WalletRefund {
				return nil, sgip.Errorf(sgip.Forbidden, "the charge is more than 24 hours old")
			}
			return settle(e, nth)
		})
		b.run()
		b.eventually("refused", func() bool { return b.sale(sale.ID).RefundWhy != "" })
		b.guest()
		if s := b.sale(sale.ID); s.State != game.SalePaid || s.Goods != game.GoodsGiven || !s.SellerPaid {
			t.Fatalf("on the next visit %+v", s)
		}
	})
}

func TestBridge_ArriveWithoutMoney(t *testing.T) {
	for name, c := range map[string]struct {
		budget *sgip.Money
		home   string
		pocket bool
	}{
		"OK money that is taken":  {&sgip.Money{Amount: 1, Currency: "NGN"}, lagosID, false},
		"OK no budget":            {nil, lagosID, true},
		"OK a currency not taken": {&sgip.Money{Amount: 1, Currency: "lagos:cowrie"}, lagosID, true},
		"OK a home not taken":     {&sgip.Money{Amount: 1, Currency: "NGN"}, "oslo.localhost:8083", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBerlin(t)
			b.guest(func(g *visit.Guest) { g.Budget, g.Home = c.budget, c.home })
			v, err := b.town.View(t.Context(), tunde)
			if err != nil || (v.Pocket > 0) != c.pocket {
				t.Fatalf("pocket money %d, %v", v.Pocket, err)
			}
		})
	}
}
