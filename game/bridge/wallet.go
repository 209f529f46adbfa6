package bridge

import (
	"context"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// Balance answers wallet.read@1 in the town's own currency.
func (b *Bridge) Balance(ctx context.Context, handle, currency string) (int64, error) {
	if _, err := b.amount(sgip.Money{Currency: currency}); err != nil {
		return 0, err
	}
	balance, err := b.town.Balance(ctx, handle)
	return balance, refusal(err)
}

// Take takes home money for a purchase abroad, only if it is there (7.4).
func (b *Bridge) Take(ctx context.Context, handle string, p platform.Purchase) error {
	amount, err := b.amount(p.Amount)
	if err != nil {
		return err
	}
	return refusal(b.town.Take(ctx, handle, amount, entry(p)))
}

// Give returns home money for a refund or a void (7.4).
func (b *Bridge) Give(ctx context.Context, handle string, p platform.Purchase) error {
	amount, err := b.amount(p.Amount)
	if err != nil {
		return err
	}
	return refusal(b.town.Give(ctx, handle, amount, entry(p)))
}

// entry is the line in the player's statement: what was bought, where, and what
// it cost there.
func entry(p platform.Purchase) game.Entry {
	e := game.Entry{Kind: game.EntryAbroad, Text: p.Description, Ref: p.ChargeID, VisitID: p.VisitID,
		Host: p.Host, HostCost: p.HostAmount.Amount, HostCode: p.HostAmount.Currency}
	switch p.Reason {
	case sgip.CreditRefund:
		e.Kind, e.Ref, e.Text = game.EntryReturned, p.RefundID, "Refund: "+p.Description
	case sgip.CreditVoid:
		e.Kind, e.Ref, e.Text = game.EntryReturned, p.RefundID, "Not charged after all: "+p.Description
	}
	return e
}

// Budget is what a player could choose to spend abroad: the balance and the
// game's daily limit. ok is false where the town's money doesn't travel.
func (b *Bridge) Budget(ctx context.Context, handle string) (balance, daily sgip.Money, ok bool, err error) {
	if b.limit == nil {
		return sgip.Money{}, sgip.Money{}, false, nil
	}
	amount, err := b.town.Balance(ctx, handle)
	if err != nil {
		return sgip.Money{}, sgip.Money{}, false, err
	}
	return b.money(max(0, amount)), *b.limit, true, nil
}
