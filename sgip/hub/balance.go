package hub

import (
	"context"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// balance answers wallet.balance@1: what can still be spent in each of the
// host's currencies. The host never learns the home balance itself (7.4).
func (h *Hub) balance(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var q sgip.VisitQuery
	if err := in.Decode(h.mode, &q); err != nil {
		return exchange.Answer{}, err
	}
	p, err := h.openPurse(ctx, in.From.Platform, q.VisitID)
	if err != nil {
		return exchange.Answer{}, err
	}
	if len(p.rates) == 0 {
		return exchange.Answer{Result: sgip.Spendable{Spendable: []sgip.Money{}}}, nil
	}
	env, err := sgip.NewEnvelope(h.newID(), sgip.WalletRead, address(), sgip.Address{Platform: p.visit.Home, Player: p.visit.Player},
		sgip.ReadPayload{Player: p.visit.Player, Currency: p.visit.Budget.Currency})
	if err != nil {
		return exchange.Answer{}, err
	}
	body, err := env.Encode()
	if err != nil {
		return exchange.Answer{}, err
	}
	return exchange.Answer{Ask: func(ctx context.Context) exchange.Finish {
		reply, err := h.outbox.Call(ctx, p.visit.Home, env.ID, body)
		return func(ctx context.Context) (exchange.Answer, error) {
			if err := refusal(p.visit.Home, reply, err); err != nil {
				return exchange.Answer{}, err
			}
			return h.spendable(ctx, p, reply)
		}
	}}, nil
}

// spendable is the lowest of balance, budget, daily limit and inflow, converted.
func (h *Hub) spendable(ctx context.Context, p purse, reply sgip.Reply) (exchange.Answer, error) {
	var read sgip.WalletResult
	err := sgip.DecodeResult(h.mode, sgip.WalletRead, reply, &read)
	if err != nil || read.Balance.Currency != p.visit.Budget.Currency {
		return exchange.Answer{}, sgip.Errorf(sgip.PlatformOffline, "%s gave no balance that can be read", p.visit.Home)
	}
	result := sgip.Spendable{Spendable: []sgip.Money{}}
	for _, entry := range p.rates {
		homeLeft, inflowLeft, err := h.left(ctx, p, entry)
		if err != nil {
			return exchange.Answer{}, err
		}
		shown := entry.Rate().Shown(sgip.Money{Amount: min(read.Balance.Amount, homeLeft), Currency: entry.Give.Currency})
		shown.Amount = min(shown.Amount, inflowLeft)
		result.Spendable = append(result.Spendable, shown)
	}
	return exchange.Answer{Result: result}, nil
}
