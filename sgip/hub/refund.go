package hub

import (
	"context"
	"errors"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

const (
	// refundWithin is how long after its charge a refund is taken (7.4).
	refundWithin = 24 * time.Hour
	// refundWait is how long the host's answer waits for the credit before it
	// says pending. The hub may take 12 s (contract 5), but a person is waiting.
	refundWait = 5 * time.Second
)

// refund answers wallet.refund@1. An accepted refund is committed: it is written
// down with the credit that carries it, which is repeated until the home game
// has answered; the host needn't wait for that and is told pending.
func (h *Hub) refund(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.RefundPayload
	if err := in.Decode(h.mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	if err := h.claim(ctx, in); err != nil {
		return exchange.Answer{}, err
	}
	switch known, err := h.store.Credit(ctx, in.ID); {
	case err == nil && (known.ChargeID != p.ChargeID || p.Amount != nil && *p.Amount != known.HostAmount):
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "id: has been used for another refund")
	case err == nil:
		return h.refundStands(ctx, in.ID)
	case !errors.Is(err, ErrNone):
		return exchange.Answer{}, err
	}
	c, amount, err := h.refundable(ctx, in.From.Platform, p)
	if err != nil {
		return exchange.Answer{}, keepRefusal(err)
	}
	credit, err := h.commitRefund(ctx, in.ID, c, amount)
	if err != nil {
		return exchange.Answer{}, err
	}
	if credit.Settled {
		return h.refundStands(ctx, in.ID)
	}
	return exchange.Answer{Ask: func(ctx context.Context) exchange.Finish {
		wait, cancel := context.WithTimeout(ctx, refundWait)
		defer cancel()
		// Whether it came in time shows in what stands in the database.
		_ = h.outbox.Await(wait, credit.LetterID)
		return func(ctx context.Context) (exchange.Answer, error) { return h.refundStands(ctx, in.ID) }
	}}, nil
}

// refundable finds the charge and how much of it to give back, or why not.
func (h *Hub) refundable(ctx context.Context, host string, p sgip.RefundPayload) (Charge, int64, error) {
	c, err := h.store.Charge(ctx, p.ChargeID)
	if errors.Is(err, ErrNone) || (err == nil && c.Host != host) {
		return Charge{}, 0, sgip.Errorf(sgip.NotFound, "No charge %s", p.ChargeID)
	}
	if err != nil {
		return Charge{}, 0, err
	}
	left := c.Amount.Amount - c.Refunded
	amount := left
	if p.Amount != nil {
		amount = p.Amount.Amount
	}
	switch {
	case c.State == ChargeAsked:
		return c, 0, sgip.Errorf(sgip.PlatformOffline, "the charge is still being decided")
	case c.State != ChargeSettled:
		return c, 0, sgip.Errorf(sgip.Forbidden, "the charge was never paid")
	case h.now().Sub(c.AcceptedAt) > refundWithin:
		return c, 0, sgip.Errorf(sgip.Forbidden, "the charge is more than 24 hours old")
	case p.Amount != nil && p.Amount.Currency != c.Amount.Currency:
		return c, 0, sgip.Errorf(sgip.InvalidPayload, "payload.amount.currency: must be the charge's, %s", c.Amount.Currency)
	case amount < 1 || amount > left:
		return c, 0, sgip.Errorf(sgip.LimitReached, "only %d of the charge is left to refund", left)
	}
	return c, amount, nil
}

// commitRefund takes the amount off what remains of the charge and owes its
// share of the debit. Shares are rounded down; the one that completes the charge
// is whatever remains, so that no part of a debit is lost (7.4).
func (h *Hub) commitRefund(ctx context.Context, refundID string, c Charge, amount int64) (Credit, error) {
	share := sgip.RefundShare(c.Debit.Amount, c.Amount.Amount, amount, c.Amount.Amount-c.Refunded, c.Debit.Amount-c.Credited)
	committed, err := h.store.CommitRefund(ctx, c.ID, amount, share)
	if err != nil {
		return Credit{}, err
	}
	if !committed {
		return Credit{}, sgip.Errorf(sgip.Internal, "the charge changed while it was refunded")
	}
	return h.owe(ctx, c, Credit{
		RefundID: refundID, Reason: sgip.CreditRefund,
		HostAmount: sgip.Money{Amount: amount, Currency: c.Amount.Currency},
		Amount:     sgip.Money{Amount: share, Currency: c.Debit.Currency},
	})
}

// refundStands answers for a committed refund as it stands now. A pending
// answer isn't kept, so that the same id later learns the end (contract 4).
func (h *Hub) refundStands(ctx context.Context, refundID string) (exchange.Answer, error) {
	credit, err := h.store.Credit(ctx, refundID)
	if err != nil {
		return exchange.Answer{}, err
	}
	c, err := h.store.Charge(ctx, credit.ChargeID)
	if err != nil {
		return exchange.Answer{}, err
	}
	return exchange.Answer{Unkept: !credit.Settled, Result: sgip.RefundResult{
		RefundID: refundID, ChargeID: c.ID, Amount: credit.HostAmount, Credit: credit.Amount, Pending: !credit.Settled,
		Remaining: sgip.Money{Amount: c.Amount.Amount - c.Refunded, Currency: c.Amount.Currency},
	}}, nil
}
