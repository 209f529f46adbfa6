package platform

import (
	"context"
	"slices"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// read answers wallet.read@1.
func (s *Seat) read(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.ReadPayload
	if err := in.Decode(s.c.Mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	handle, err := s.spender(in, p.Player)
	if err != nil {
		return exchange.Answer{}, err
	}
	if err := s.spendable(p.Currency); err != nil {
		return exchange.Answer{}, err
	}
	balance, err := s.wallet.Balance(ctx, handle, p.Currency)
	if err != nil {
		return exchange.Answer{}, uniform(err, p.Player)
	}
	return balanceAnswer(balance, p.Currency), nil
}

// debit answers wallet.debit@1: it takes the amount once for each charge id,
// whatever the envelope id (contract 7.4).
func (s *Seat) debit(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.DebitPayload
	if err := in.Decode(s.c.Mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	handle, err := s.spender(in, p.Player)
	if err != nil {
		return exchange.Answer{}, err
	}
	kept, first, err := s.c.Store.ClaimDebit(ctx, Debit{DebitPayload: p, State: DebitAsked, At: s.c.Clock()})
	if err != nil {
		return exchange.Answer{}, err
	}
	if !first {
		if err := debitAgain(kept, p); err != nil {
			return exchange.Answer{}, err
		}
		return s.todaysBalance(ctx, handle, p.Amount.Currency)
	}
	if err := s.take(ctx, handle, p); err != nil {
		refusal := sgip.AsError(err)
		if refusal.Code.Transient() {
			return exchange.Answer{}, err // nothing is decided: the hub will void it
		}
		if err := s.c.Store.DecideDebit(ctx, p.ChargeID, DebitRefused, refusal); err != nil {
			return exchange.Answer{}, err
		}
		return exchange.Answer{}, exchange.Keep(refusal)
	}
	if err := s.c.Store.DecideDebit(ctx, p.ChargeID, DebitTaken, nil); err != nil {
		return exchange.Answer{}, err
	}
	return s.todaysBalance(ctx, handle, p.Amount.Currency)
}

// take asks the game, in a savepoint of its own, so that a refusal undoes
// whatever the game wrote on the way to it.
func (s *Seat) take(ctx context.Context, handle string, p sgip.DebitPayload) error {
	if err := s.spendable(p.Amount.Currency); err != nil {
		return err
	}
	err := s.c.InTx(ctx, func(ctx context.Context) error {
		return s.wallet.Take(ctx, handle, Purchase{
			ChargeID: p.ChargeID, VisitID: p.VisitID, Host: p.Host,
			Amount: p.Amount, HostAmount: p.HostAmount, Description: p.Description,
		})
	})
	return uniform(err, p.Player)
}

// debitAgain is the outcome of a charge id that the book knows; nil when the
// money was taken.
func debitAgain(kept Debit, p sgip.DebitPayload) error {
	switch {
	case kept.State == DebitBarred || kept.State == DebitVoided:
		return sgip.Errorf(sgip.Forbidden, "charge %s has been voided", p.ChargeID)
	case kept.DebitPayload != p:
		return sgip.Errorf(sgip.InvalidPayload, "payload.charge_id: already used for another debit")
	case kept.State == DebitRefused:
		return sgip.Errorf(kept.Code, "%s", kept.Message)
	default:
		return nil
	}
}

// credit answers wallet.credit@1: it gives back once for each refund id. A
// credit for a debit that took nothing is recorded, moves nothing and bars the
// charge id, so that a late debit can't land after its void (7.4).
func (s *Seat) credit(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.CreditPayload
	if err := in.Decode(s.c.Mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	handle, err := s.spender(in, p.Player)
	if err != nil {
		return exchange.Answer{}, err
	}
	debit, unseen, err := s.c.Store.ClaimDebit(ctx, Debit{
		DebitPayload: sgip.DebitPayload{ChargeID: p.ChargeID, Player: p.Player, Host: p.Host},
		State:        DebitBarred, At: s.c.Clock(),
	})
	if err != nil {
		return exchange.Answer{}, err
	}
	tookMoney := !unseen && (debit.State == DebitTaken || debit.State == DebitVoided)
	claim := Credit{CreditPayload: p, At: s.c.Clock()}
	if tookMoney {
		claim.Moved = p.Amount.Amount
	}
	kept, first, err := s.c.Store.ClaimCredit(ctx, claim)
	if err != nil {
		return exchange.Answer{}, err
	}
	if !first && !sameCredit(kept.CreditPayload, p) {
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "payload.refund_id: already used for another credit")
	}
	if first {
		if err := s.apply(ctx, handle, debit, tookMoney, p); err != nil {
			return exchange.Answer{}, err // refused credits aren't remembered
		}
	}
	return s.todaysBalance(ctx, handle, p.Amount.Currency)
}

// apply is the first and only effect of a credit.
func (s *Seat) apply(ctx context.Context, handle string, debit Debit, tookMoney bool, p sgip.CreditPayload) error {
	if !tookMoney {
		return s.c.Store.DecideDebit(ctx, p.ChargeID, DebitBarred, nil)
	}
	if debit.Player != p.Player || debit.Host != p.Host || debit.Amount.Currency != p.Amount.Currency {
		return sgip.Errorf(sgip.InvalidPayload, "player, host and currency must be those of debit %s", p.ChargeID)
	}
	ok, err := s.c.Store.GiveBack(ctx, p.ChargeID, p.Amount.Amount)
	if err != nil {
		return err
	}
	if !ok {
		return sgip.Errorf(sgip.InvalidPayload, "payload.amount: more than debit %s has left", p.ChargeID)
	}
	if p.Reason == sgip.CreditVoid {
		if err := s.c.Store.DecideDebit(ctx, p.ChargeID, DebitVoided, nil); err != nil {
			return err
		}
	}
	if p.Amount.Amount == 0 {
		return nil
	}
	return s.give(ctx, handle, debit, p)
}

// give hands the money to the game. A player who is gone gets nothing, and the
// credit still stands as answered (contract 7.4).
func (s *Seat) give(ctx context.Context, handle string, debit Debit, p sgip.CreditPayload) error {
	purchase := Purchase{
		ChargeID: p.ChargeID, RefundID: p.RefundID, VisitID: debit.VisitID, Host: p.Host,
		Amount: p.Amount, Description: debit.Description, Reason: p.Reason,
	}
	if p.HostAmount != nil {
		purchase.HostAmount = *p.HostAmount
	}
	err := s.c.InTx(ctx, func(ctx context.Context) error { return s.wallet.Give(ctx, handle, purchase) })
	if err != nil && sgip.CodeOf(err) != sgip.NotFound {
		return err
	}
	return nil
}

func sameCredit(a, b sgip.CreditPayload) bool {
	if (a.HostAmount == nil) != (b.HostAmount == nil) {
		return false
	}
	if a.HostAmount != nil && *a.HostAmount != *b.HostAmount {
		return false
	}
	a.HostAmount, b.HostAmount = nil, nil
	return a == b
}

// spender is the handle of payload.player, which must be to.player (7.4).
func (s *Seat) spender(in exchange.Incoming, player string) (string, error) {
	handle, ok := s.own(player)
	if !ok || in.To.Player != player {
		return "", sgip.Errorf(sgip.InvalidPayload, "payload.player: must match to.player")
	}
	return handle, nil
}

// spendable wants a currency that players of this game may spend abroad.
func (s *Seat) spendable(currency string) error {
	if _, ok := s.c.Template.DailyLimit(currency); ok {
		return nil
	}
	if slices.Contains(s.c.Template.Currencies, currency) {
		return sgip.Errorf(sgip.Forbidden, "%s is not spent abroad", currency)
	}
	return sgip.Errorf(sgip.InvalidPayload, "currency: this game has no %q", currency)
}

// todaysBalance answers a debit or credit; a player who is gone has nothing.
func (s *Seat) todaysBalance(ctx context.Context, handle, currency string) (exchange.Answer, error) {
	balance, err := s.wallet.Balance(ctx, handle, currency)
	if err != nil && sgip.CodeOf(err) != sgip.NotFound {
		return exchange.Answer{}, err
	}
	return balanceAnswer(balance, currency), nil
}

// balanceAnswer reports arrears as zero (7.4).
func balanceAnswer(balance int64, currency string) exchange.Answer {
	return exchange.Answer{Result: sgip.WalletResult{Balance: sgip.Money{
		Amount: min(max(balance, 0), sgip.MaxAmount), Currency: currency,
	}}}
}
