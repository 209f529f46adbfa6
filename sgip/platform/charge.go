package platform

import (
	"context"
	"fmt"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// Spendable asks, as host, what a guest can still spend here, in this game's
// currencies (wallet.balance@1). The refusals are the hub's: Forbidden for a
// visit without pay or one that is over.
func (s *Seat) Spendable(ctx context.Context, visitID string) ([]sgip.Money, error) {
	var result sgip.Spendable
	err := s.ask(ctx, sgip.WalletBalance, "", sgip.VisitQuery{VisitID: visitID}, &result)
	return result.Spendable, err
}

// Charge writes down, as host, that a guest buys something (wallet.charge@1), in
// the transaction that writes the sale. chargeID is a ULID of the caller's and
// the envelope's id. It is asked with the same bytes, through restarts, until an
// ok or a refusal that isn't retryable; that is told to Seller, once.
func (s *Seat) Charge(ctx context.Context, chargeID, visitID string, amount sgip.Money, description string) error {
	body, err := s.encode(chargeID, sgip.WalletCharge, "", sgip.Address{Platform: sgip.HubID}, nil,
		sgip.ChargePayload{VisitID: visitID, Amount: amount, Description: description})
	if err != nil {
		return err
	}
	return s.post(ctx, exchange.Letter{ID: chargeID, Op: sgip.WalletCharge, Body: body})
}

// charged tells the seller how a charge ended. An ok that isn't about this
// charge is a fault of the hub's: the letter stays and is asked again.
func (s *Seat) charged(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
	if s.seller == nil {
		return fmt.Errorf("charge %s: the game has no Seller", l.ID)
	}
	var result sgip.ChargeResult
	if r.Error == nil {
		if err := sgip.DecodeResult(s.c.Mode, sgip.WalletCharge, r, &result); err != nil {
			return fmt.Errorf("read charge result: %w", err)
		}
		if result.ChargeID != l.ID {
			return fmt.Errorf("charge %s: the hub answered about %s", l.ID, result.ChargeID)
		}
	}
	if err := s.seller.Charged(ctx, l.ID, result, r.Error); err != nil {
		return fmt.Errorf("tell seller: %w", err)
	}
	return nil
}
