package bridge

import (
	"context"
	"slices"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

// buyWithin is how long a guest's page waits for the answer to a purchase or a
// return; both go on after that (contract 5: a game waits 15 s for the hub).
const buyWithin = 15 * time.Second

// Arrive puts a guest into the town, with pocket money where the money of their
// home can't be used here; Forbidden for one whom the keeper keeps out.
func (b *Bridge) Arrive(ctx context.Context, g visit.Guest) error {
	return refusal(b.town.Arrive(ctx, game.Visitor{ID: game.PersonID(g.ID), VisitID: g.VisitID,
		Name: g.Name, Avatar: g.Avatar, Home: g.Home, Stats: g.Stats, NoMoney: !b.takes(g)}))
}

// takes reports whether the guest's budget can be spent in the town's money.
func (b *Bridge) takes(g visit.Guest) bool {
	return g.Budget != nil && slices.ContainsFunc(b.accepts, func(a sgip.Accepts) bool {
		return a.From == g.Home && a.Give.Currency == g.Budget.Currency && a.Get.Currency == b.currency
	})
}

// Depart takes a guest out of the town and tells what the visit brought.
func (b *Bridge) Depart(ctx context.Context, g visit.Guest, _ string) (sgip.Souvenirs, error) {
	s, err := b.town.Depart(ctx, game.PersonID(g.ID), g.VisitID)
	if err != nil {
		return sgip.Souvenirs{}, err
	}
	return sgip.Souvenirs{Stats: s.Stats, Postcard: s.Postcard, Verbs: s.Verbs}, nil
}

// Buy asks for a purchase by a guest and waits until it has ended, for
// buyWithin at most. The sale is on disk before the hub is asked, its id is the
// charge id; it moves on by Charged alone, now or later.
func (b *Bridge) Buy(ctx context.Context, g visit.Guest, activity string) (game.Sale, error) {
	id := b.newID()
	err := b.inTx(ctx, func(ctx context.Context) error {
		sale, err := b.town.Ask(ctx, game.PersonID(g.ID), g.VisitID, activity, id)
		if err != nil {
			return err
		}
		return b.seat.Charge(ctx, id, g.VisitID, b.money(sale.Price), sale.Label)
	})
	if err != nil {
		return game.Sale{}, err
	}
	return b.waitFor(ctx, id, id)
}

// Return asks for the money of a purchase that a guest gives back, and waits as
// Buy does. The wish is on disk before the hub is asked; it ends by Refunded
// alone, now or later.
func (b *Bridge) Return(ctx context.Context, g visit.Guest, saleID string) (game.Sale, error) {
	id := b.newID()
	err := b.inTx(ctx, func(ctx context.Context) error {
		sale, err := b.town.Return(ctx, game.PersonID(g.ID), g.VisitID, saleID, id)
		if err != nil {
			return err
		}
		return b.seat.Refund(ctx, id, sale.ID, nil)
	})
	if err != nil {
		return game.Sale{}, err
	}
	return b.waitFor(ctx, id, saleID)
}

// waitFor gives a sale as it stands once a letter is done, or time is up. A wait
// that ends early leaves the sale as asked, which the page says.
func (b *Bridge) waitFor(ctx context.Context, letterID, saleID string) (game.Sale, error) {
	waiting, cancel := context.WithTimeout(ctx, buyWithin)
	defer cancel()
	_ = b.seat.Await(waiting, letterID)
	return b.town.Sale(ctx, saleID)
}

// Charged moves a sale on by the hub's answer: goods and the seller's credit
// come with the confirmation, never before (7.4). Where the guest has left and
// nothing can be sent after them, the money is asked back at once.
func (b *Bridge) Charged(ctx context.Context, chargeID string, _ sgip.ChargeResult, err *sgip.Error) error {
	to, why := game.SalePaid, ""
	if err != nil {
		to, why = game.SaleRefused, string(err.Code)
		if err.Code == sgip.PlatformOffline {
			to = game.SaleVoid
		}
	}
	sale, failed := b.town.Settle(ctx, chargeID, to, why)
	if failed != nil || !sale.Owed() {
		return failed
	}
	refundID := b.newID()
	if _, failed = b.town.GiveBack(ctx, sale.ID, refundID); failed != nil {
		return failed
	}
	return b.seat.Refund(ctx, refundID, sale.ID, nil)
}

// Refunded moves a sale on by how its refund ended (7.4).
func (b *Bridge) Refunded(ctx context.Context, refundID, chargeID string, _ sgip.RefundResult, err *sgip.Error) error {
	if err != nil {
		_, failed := b.town.KeepSold(ctx, chargeID, refundID, string(err.Code))
		return failed
	}
	_, failed := b.town.Settle(ctx, chargeID, game.SaleRefunded, "")
	return failed
}

// Spendable is what the guest can still spend here in the town's money; ok is
// false where the visit has no budget that this town takes.
func (b *Bridge) Spendable(ctx context.Context, g visit.Guest) (m sgip.Money, ok bool, err error) {
	if g.Budget == nil {
		return sgip.Money{}, false, nil
	}
	all, err := b.seat.Spendable(ctx, g.VisitID)
	if err != nil {
		return sgip.Money{}, false, err
	}
	for _, m := range all {
		if m.Currency == b.currency {
			return m, true, nil
		}
	}
	return sgip.Money{}, false, nil
}
