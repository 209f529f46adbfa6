package game

import (
	"context"
	"errors"
	"reflect"
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
	case s.pays():
		return Sale{}, refuse(ErrInvalid, "This is paid with pocket money.")
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
		Price: a.Price, Currency: t.world.Currency, State: SaleAsked, AskedAt: s.at, Goods: GoodsKept,
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
// with paid, once; what that means for a guest who has left says give. Called
// again with the state in which the sale is it does nothing; a move that
// contradicts it is ErrInvalid, an unknown sale ErrNoSuch. why is the code that
// ended it, "" for paid and refunded. The caller asks the hub for a refund of
// what is Owed.
func (t *Town) Settle(ctx context.Context, saleID string, to SaleState, why string) (Sale, error) {
	return t.move(ctx, saleID, func(ctx context.Context, sale *Sale, at time.Time) error {
		if sale.State == to {
			return nil
		}
		if !slices.Contains(saleMoves(sale.State), to) {
			return refuse(ErrInvalid, "This purchase is "+string(sale.State)+" already.")
		}
		sale.State, sale.Why, sale.EndedAt = to, why, at
		return t.settled(ctx, sale, at)
	})
}

// move changes a sale by one step and wakes the guest, in one transaction. A
// step that changes nothing writes nothing.
func (t *Town) move(ctx context.Context, saleID string, step func(ctx context.Context, sale *Sale, at time.Time) error) (Sale, error) {
	var sale Sale
	err := t.tx(ctx, func(ctx context.Context) error {
		was, err := t.Sale(ctx, saleID)
		if err != nil {
			return err
		}
		sale = was
		if err := step(ctx, &sale, t.now()); err != nil {
			return err
		}
		if reflect.DeepEqual(sale, was) {
			return nil
		}
		moved, err := t.store.MoveSale(ctx, sale, was)
		if err != nil {
			return err
		}
		if !moved {
			return refuse(ErrBusy, "This purchase is being settled.")
		}
		t.wake(ctx, sale.Guest)
		return nil
	})
	if err != nil {
		return Sale{}, err
	}
	return sale, nil
}

// settled does what a sale's new state brings.
func (t *Town) settled(ctx context.Context, sale *Sale, at time.Time) error {
	switch sale.State {
	case SalePaid:
		entry := Entry{Kind: EntrySold, Text: sale.Label, Ref: sale.ID}
		if err := t.pay(ctx, accountAbroad, accountTown, sale.Price, entry, at); err != nil {
			return err
		}
		return t.give(ctx, sale, at)
	case SaleRefunded:
		return t.refunded(ctx, sale, at)
	case SaleVoid:
		return t.note(ctx, sale.Guest, "🚫", sale.Label+": your home couldn't be reached. Nothing was taken.", at)
	}
	return t.note(ctx, sale.Guest, "🚫", sale.Label+": not bought. Nothing was taken.", at)
}

// give brings the goods of a sale that is paid, and pays the seller. To a guest
// who has left, a thing is sent after; what must be enjoyed on the spot is kept,
// and the money is Owed.
func (t *Town) give(ctx context.Context, sale *Sale, at time.Time) error {
	s, err := t.load(ctx, sale.Guest)
	switch {
	case errors.Is(err, ErrNoPlayer), err == nil && s.someone.VisitID != sale.VisitID:
		if sale.Item == "" {
			return t.note(ctx, sale.Guest, "🚪", sale.Label+": you had left when it was paid. The money goes back home.", at)
		}
		return t.sendAfter(ctx, sale, at)
	case err != nil:
		return err
	}
	text := sale.Label + ": paid. Enjoy!"
	if sale.Item != "" {
		text = sale.Item + " is yours."
	}
	return t.handOver(ctx, s, sale, text)
}

// handOver lets a guest who is here enjoy what was bought, and pays the seller.
func (t *Town) handOver(ctx context.Context, s *scene, sale *Sale, text string) error {
	sale.Goods = GoodsGiven
	if a := t.world.Activity(sale.Activity); a != nil {
		sale.Gave = s.enjoy(a)
		s.remember(a)
		s.someone.SeenAt = s.at
		if err := t.store.Did(ctx, sale.Guest, a.ID, s.at); err != nil {
			return err
		}
		t.wakePlace(ctx, sale.Guest, sale.Place)
		if err := t.store.Save(ctx, s.someone); err != nil {
			return err
		}
	}
	if err := t.note(ctx, sale.Guest, "🛍️", text, s.at); err != nil {
		return err
	}
	return t.paySaleSeller(ctx, sale, s.someone.Name, s.at)
}

// sendAfter posts a thing to a guest who has left, and pays the seller.
func (t *Town) sendAfter(ctx context.Context, sale *Sale, at time.Time) error {
	sale.Goods = GoodsGiven
	if err := t.note(ctx, sale.Guest, "📦", sale.Item+" is yours: it was sent after you.", at); err != nil {
		return err
	}
	name, err := t.nameOf(ctx, sale.Guest)
	if err != nil {
		return err
	}
	return t.paySaleSeller(ctx, sale, name, at)
}

// paySaleSeller pays the seller of a sale, once. A seller who can't be paid (gone
// meanwhile) leaves the share to the town: the guest has paid and gets the goods.
func (t *Town) paySaleSeller(ctx context.Context, sale *Sale, buyer string, at time.Time) error {
	if sale.SellerPaid || sale.SellerShare == 0 {
		return nil
	}
	err := t.tx(ctx, func(ctx context.Context) error { return t.paySeller(ctx, *sale, buyer, at) })
	if errors.Is(err, ErrNoPlayer) || errors.Is(err, ErrInvalid) {
		return nil
	}
	sale.SellerPaid = err == nil
	return err
}

// nameOf is how someone is or was called; their id where nobody knows.
func (t *Town) nameOf(ctx context.Context, who PersonID) (string, error) {
	s, err := t.store.Someone(ctx, who)
	if errors.Is(err, ErrNoPlayer) {
		return string(who), nil
	}
	return s.Name, err
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
