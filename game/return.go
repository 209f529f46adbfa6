package game

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Return notes that a guest wants to give back what they bought on this visit,
// before anyone is asked for the money: the thing goes over the counter at once,
// and comes back should the money not (KeepSold). refundID names the wish; the
// same one again gives the sale as it stands. ErrNoSuch for a sale that isn't
// theirs, ErrInvalid for what isn't paid or can't be given back, ErrBusy while
// it is asked for already, ErrAway once the visit is over.
func (t *Town) Return(ctx context.Context, guest PersonID, visitID, saleID, refundID string) (Sale, error) {
	return t.move(ctx, saleID, func(ctx context.Context, sale *Sale, _ time.Time) error {
		switch {
		case sale.Guest != guest || sale.VisitID != visitID:
			return refuse(ErrNoSuch, "There is no such purchase.")
		case sale.RefundID == refundID:
			return nil
		case sale.State == SaleRefunded:
			return refuse(ErrInvalid, sale.Thing()+" has been given back already.")
		case sale.State != SalePaid:
			return refuse(ErrInvalid, sale.Thing()+" hasn't been paid for.")
		case !sale.Refundable:
			return refuse(ErrInvalid, sale.Thing()+" can't be given back.")
		case sale.Returning():
			return refuse(ErrBusy, sale.Thing()+" is being given back.")
		}
		s, err := t.load(ctx, guest)
		if errors.Is(err, ErrNoPlayer) || err == nil && s.someone.VisitID != visitID {
			return refuse(ErrAway, "This visit is over.")
		}
		if err != nil {
			return err
		}
		sale.RefundID, sale.RefundWhy = refundID, ""
		return t.handIn(ctx, s, sale)
	})
}

// handIn takes the goods over the counter, with what they did to the guest.
func (t *Town) handIn(ctx context.Context, s *scene, sale *Sale) error {
	sale.Goods = GoodsKept
	back := make(map[string]int, len(sale.Gave))
	for stat, by := range sale.Gave {
		back[stat] = -by
	}
	s.someone.Stats.apply(back)
	s.someone.SeenAt = s.at
	sales, err := t.store.SalesOf(ctx, sale.VisitID)
	if err != nil {
		return err
	}
	another := func(o Sale) bool { return o.ID != sale.ID && o.Activity == sale.Activity && o.Goods == GoodsGiven }
	if !slices.ContainsFunc(sales, another) {
		s.someone.Deeds = slices.DeleteFunc(s.someone.Deeds, func(id string) bool { return id == sale.Activity })
	}
	t.wakePlace(ctx, sale.Guest, sale.Place)
	if err := t.store.Save(ctx, s.someone); err != nil {
		return err
	}
	return t.note(ctx, sale.Guest, "↩️", "You hand in "+sale.Thing()+". The money is asked back for you.", s.at)
}

// GiveBack notes that the town gives back what is Owed. refundID is as in
// Return; ErrInvalid for a sale of which nothing is owed.
func (t *Town) GiveBack(ctx context.Context, saleID, refundID string) (Sale, error) {
	return t.move(ctx, saleID, func(_ context.Context, sale *Sale, _ time.Time) error {
		if sale.RefundID == refundID {
			return nil
		}
		if !sale.Owed() {
			return refuse(ErrInvalid, "Nothing is owed for "+sale.Thing()+".")
		}
		sale.RefundID = refundID
		return nil
	})
}

// refunded balances the books of a sale whose money is back home. The goods are
// kept already. The seller gives the share back if it is still there; else the
// town, which covers the refund, covers that too.
func (t *Town) refunded(ctx context.Context, sale *Sale, at time.Time) error {
	entry := Entry{Kind: EntryReturned, Text: sale.Label, Ref: sale.ID}
	if err := t.pay(ctx, accountTown, accountAbroad, sale.Price, entry, at); err != nil {
		return err
	}
	if err := t.note(ctx, sale.Guest, "↩️", sale.Thing()+": the money is back home.", at); err != nil {
		return err
	}
	if !sale.SellerPaid {
		return nil
	}
	entry = Entry{Kind: EntryUnsold, Text: sale.Label, Ref: sale.ID}
	err := t.pay(ctx, wallet(string(sale.Seller)), accountTown, sale.SellerShare, entry, at)
	text := sale.Thing() + " was given back to you, and your share of " + t.world.Price(sale.SellerShare) + " with it."
	switch {
	case errors.Is(err, ErrPoor):
		text = sale.Thing() + " was given back to you. The town covered it, your share stays."
	case err != nil:
		return err
	default:
		sale.SellerPaid = false
	}
	t.wake(ctx, sale.Seller)
	return t.note(ctx, sale.Seller, "🧾", text, at)
}

// KeepSold notes that the money stays with the town after all: why is the code
// that refused the wish refundID. A thing handed in goes back to the guest, or
// after them; what they never had waits for their next visit. For another wish
// than the last one there is nothing to do.
func (t *Town) KeepSold(ctx context.Context, saleID, refundID, why string) (Sale, error) {
	return t.move(ctx, saleID, func(ctx context.Context, sale *Sale, at time.Time) error {
		if sale.RefundID != refundID || !sale.Returning() {
			return nil
		}
		sale.RefundWhy = why
		s, err := t.load(ctx, sale.Guest)
		switch {
		case err != nil && !errors.Is(err, ErrNoPlayer):
			return err
		case err == nil && (s.someone.VisitID == sale.VisitID || sale.Item == ""):
			return t.handOver(ctx, s, sale, sale.Thing()+" is yours: it can't be given back any more.")
		case sale.Item != "":
			return t.sendAfter(ctx, sale, at)
		}
		return t.note(ctx, sale.Guest, "⏳", sale.Thing()+" waits for you: the money can't go back any more.", at)
	})
}

// serveKept hands a guest who arrives what waits for them since an earlier
// visit. s is the guest as they are now.
func (t *Town) serveKept(ctx context.Context, guest PersonID) error {
	kept, err := t.store.SalesKept(ctx, guest)
	if err != nil {
		return err
	}
	for _, waiting := range kept {
		if waiting.RefundWhy == "" {
			continue // the money is still on its way back
		}
		_, err := t.move(ctx, waiting.ID, func(ctx context.Context, sale *Sale, _ time.Time) error {
			s, err := t.load(ctx, guest)
			if err != nil {
				return err
			}
			return t.handOver(ctx, s, sale, sale.Thing()+" has waited for you since your last visit. Enjoy!")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
