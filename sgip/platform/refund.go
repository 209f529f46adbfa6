package platform

import (
	"context"
	"encoding/json"
	"fmt"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// Refund writes down, as host, that a purchase is given back (wallet.refund@1),
// in the transaction that notes the wish. refundID is a ULID of the caller's and
// the envelope's id; amount is a part of the price, nil for all that remains. It
// is asked with the same bytes, through restarts, until the home game has the
// money or the hub refuses for good; that is told to Refunder, once.
func (s *Seat) Refund(ctx context.Context, refundID, chargeID string, amount *sgip.Money) error {
	body, err := s.encode(refundID, sgip.WalletRefund, "", sgip.Address{Platform: sgip.HubID}, nil,
		sgip.RefundPayload{ChargeID: chargeID, Amount: amount})
	if err != nil {
		return err
	}
	return s.post(ctx, exchange.Letter{ID: refundID, Op: sgip.WalletRefund, Body: body})
}

// refunded tells the game how a refund ended. While the credit is still on its
// way the hub answers pending, which is no end. An ok that isn't about this
// refund is a fault of the hub's: the letter stays and is asked again.
func (s *Seat) refunded(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
	if s.refunder == nil {
		return fmt.Errorf("refund %s: the game has no Refunder", l.ID)
	}
	var asked struct {
		Payload sgip.RefundPayload `json:"payload"`
	}
	if err := json.Unmarshal(l.Body, &asked); err != nil {
		return fmt.Errorf("read own letter: %w", err)
	}
	var result sgip.RefundResult
	if r.Error == nil {
		if err := sgip.DecodeResult(s.c.Mode, sgip.WalletRefund, r, &result); err != nil {
			return fmt.Errorf("read refund result: %w", err)
		}
		if result.RefundID != l.ID || result.ChargeID != asked.Payload.ChargeID {
			return fmt.Errorf("refund %s of %s: the hub answered about %s of %s", l.ID, asked.Payload.ChargeID, result.RefundID, result.ChargeID)
		}
		if result.Pending {
			return exchange.ErrNotYet
		}
	}
	if err := s.refunder.Refunded(ctx, l.ID, asked.Payload.ChargeID, result, r.Error); err != nil {
		return fmt.Errorf("tell refunder: %w", err)
	}
	return nil
}
