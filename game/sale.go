package game

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Ask writes down that a guest wants to buy an activity, before anyone is asked
// for money. It refuses what can't be done now as Do does, what is free, and a
// second one of the same while the first is undecided (ErrBusy). The same
// saleID again gives the sale as it stands.
func (t *Town) Ask(ctx context.Context, guest PersonID, visitID, activity, saleID string) (Sale, error) {
	var sale Sale
	err := t.tx(ctx, func(ctx context.Context) error {
		old, err := t.store.Sale(ctx, saleID)
		if err == nil {
			sale = old
			return sameAsk(old, guest, visitID, activity)
		}
		if !errors.Is(err, ErrNoSuch) {
			return err
		}
		s, err := t.load(ctx, guest)
		if err != nil {
			return err
		}
		if sale, err = t.offer(ctx, s, visitID, activity); err != nil {
			return err
		}
		sale.ID = saleID
		t.wake(ctx, guest)
		return t.store.AddSale(ctx, sale)
	})
	if err != nil {
		return Sale{}, err
	}
	return sale, nil
}

func sameAsk(old Sale, guest PersonID, visitID, activity string) error {
	if old.Guest != guest || old.VisitID != visitID || old.Activity != activity {
		return refuse(ErrInvalid, "That purchase is another one.")
	}
	return nil
}

// offer is the sale that a guest may ask for.
func (t *Town) offer(ctx context.Context, s *scene, visitID, activity string) (Sale, error) {
	a, guest := t.world.Activity(activity), s.someone.ID
	switch {
	case !guest.Guest() || s.someone.VisitID != visitID:
		return Sale{}, refuse(ErrAway, "This visit is over.")
	case a == nil:
		return Sale{}, refuse(ErrNoSuch, "There is no such thing to buy here.")
	case a.Price == 0:
		return Sale{}, refuse(ErrInvalid, "This is free: just do it.")
	}
	if err := s.mayDo(a); err != nil {
		return Sale{}, err
	}
	sales, err := t.store.SalesOf(ctx, visitID)
	if err != nil {
		return Sale{}, err
	}
	if slices.ContainsFunc(sales, func(o Sale) bool { return o.Activity == a.ID && o.State == SaleAsked }) {
		return Sale{}, refuse(ErrBusy, "Your last "+a.Label+" is still being paid for.")
	}
	owner := s.stalls[a.Place]
	return Sale{
		VisitID: visitID, Guest: guest, Place: a.Place, Activity: a.ID, Label: a.Label,
		Price: a.Price, Currency: t.world.Currency, State: SaleAsked, AskedAt: s.at,
		Item: a.Item, Refundable: a.Refundable, Seller: owner.ID, SellerShare: t.share(a, owner.ID, guest),
	}, nil
}

// saleMoves are the ways a sale may go.
func saleMoves(from SaleState) []SaleState {
	switch from {
	case SaleAsked:
		return []SaleState{SalePaid, SaleRefused, SaleVoid}
	case SalePaid:
		return []SaleState{SaleRefunded}
	}
	return nil
}

// Settle is the one way in which a sale moves on: from asked to paid, refused
// or void, and from paid to refunded. The goods and the seller's credit come
// with paid, once. Called again with the state in which the sale is it does
// nothing; a move that contradicts it is ErrInvalid, an unknown sale ErrNoSuch.
// why is the code that ended it, "" for paid. A sale is settled although the
// guest has left: what they bought is theirs.
func (t *Town) Settle(ctx context.Context, saleID string, to SaleState, why string) (Sale, error) {
	var sale Sale
	err := t.tx(ctx, func(ctx context.Context) error {
		old, err := t.Sale(ctx, saleID)
		if err != nil {
			return err
		}
		sale = old
		if old.State == to {
			return nil
		}
		if !slices.Contains(saleMoves(old.State), to) {
			return refuse(ErrInvalid, "This purchase is "+string(old.State)+" already.")
		}
		at := t.now()
		sale.State, sale.Why, sale.EndedAt = to, why, at
		moved, err := t.store.MoveSale(ctx, sale, old.State)
		if err != nil {
			return err
		}
		if !moved {
			return refuse(ErrBusy, "This purchase is being settled.")
		}
		t.wake(ctx, sale.Guest)
		return t.settled(ctx, sale, at)
	})
	if err != nil {
		return Sale{}, err
	}
	return sale, nil
}

// settled does what a sale's new state brings.
func (t *Town) settled(ctx context.Context, sale Sale, at time.Time) error {
	switch sale.State {
	case SalePaid:
		entry := Entry{Kind: EntrySold, Text: sale.Label, Ref: sale.ID}
		if err := t.pay(ctx, accountAbroad, accountTown, sale.Price, entry, at); err != nil {
			return err
		}
		return t.deliver(ctx, sale, at)
	case SaleRefunded:
		// The seller keeps the share: the town covers the refund.
		entry := Entry{Kind: EntryReturned, Text: sale.Label, Ref: sale.ID}
		if err := t.pay(ctx, accountTown, accountAbroad, sale.Price, entry, at); err != nil {
			return err
		}
		return t.note(ctx, sale.Guest, "↩️", sale.Label+": the money is back home.", at)
	case SaleVoid:
		return t.note(ctx, sale.Guest, "🚫", sale.Label+": your home couldn't be reached. Nothing was taken.", at)
	}
	return t.note(ctx, sale.Guest, "🚫", sale.Label+": not bought. Nothing was taken.", at)
}

// deliver hands over the goods and pays the seller.
func (t *Town) deliver(ctx context.Context, sale Sale, at time.Time) error {
	name := string(sale.Guest)
	s, err := t.load(ctx, sale.Guest)
	if err != nil && !errors.Is(err, ErrNoPlayer) {
		return err
	}
	if err == nil {
		name = s.someone.Name
		if err := t.handOver(ctx, s, sale); err != nil {
			return err
		}
	}
	text := sale.Label + ": paid. Enjoy!"
	if sale.Item != "" {
		text = sale.Item + " is yours."
	}
	if err := t.note(ctx, sale.Guest, "🛍️", text, at); err != nil {
		return err
	}
	return t.paySeller(ctx, sale.Seller, sale.SellerShare, sale.Label, name, sale.ID, at)
}

// handOver lets a guest who is still on the same visit enjoy what was bought.
func (t *Town) handOver(ctx context.Context, s *scene, sale Sale) error {
	a := t.world.Activity(sale.Activity)
	if a == nil || s.someone.VisitID != sale.VisitID {
		return nil
	}
	s.enjoy(a)
	s.remember(a)
	s.someone.SeenAt = s.at
	if err := t.store.Did(ctx, sale.Guest, a.ID, s.at); err != nil {
		return err
	}
	t.wakePlace(ctx, sale.Guest, sale.Place)
	return t.store.Save(ctx, s.someone)
}

// Sale finds a sale; ErrNoSuch for an unknown id.
func (t *Town) Sale(ctx context.Context, saleID string) (Sale, error) {
	sale, err := t.store.Sale(ctx, saleID)
	if errors.Is(err, ErrNoSuch) {
		return Sale{}, refuse(ErrNoSuch, "There is no such purchase.")
	}
	return sale, err
}

// Sales are what was asked for on a visit, newest first.
func (t *Town) Sales(ctx context.Context, visitID string) ([]Sale, error) {
	return t.store.SalesOf(ctx, visitID)
}
