package platform_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// refund asks for one in a transaction, as a game does.
func (n *network) refund(t *testing.T, amount *sgip.Money) (refundID, chargeID string) {
	t.Helper()
	refundID, chargeID = newID(), newID()
	if err := n.db.InTx(t.Context(), func(ctx context.Context) error {
		return n.seat.Refund(ctx, refundID, chargeID, amount)
	}); err != nil {
		t.Fatal(err)
	}
	return refundID, chargeID
}

// giveBack settles any refund.
func giveBack(e sgip.Envelope) (any, error) {
	var p sgip.RefundPayload
	err := e.Decode(local, &p)
	amount := sgip.Money{Amount: 5, Currency: "NGN"}
	if p.Amount != nil {
		amount = *p.Amount
	}
	return sgip.RefundResult{RefundID: e.ID, ChargeID: p.ChargeID, Amount: amount,
		Credit: sgip.Money{Amount: 50, Currency: "NOK"}, Remaining: sgip.Money{Currency: "NGN"}}, err
}

// pending says that the money is still on its way.
func pending(e sgip.Envelope) (any, error) {
	result, err := giveBack(e)
	r := result.(sgip.RefundResult)
	r.Pending = true
	return r, err
}

func TestRefund(t *testing.T) {
	n := newNetwork(t)
	n.run()
	wait := func(t *testing.T, id string, want sgip.Code) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := n.seat.Await(ctx, id); err != nil {
			t.Fatal(err)
		}
		if code, ok := n.town.ended(n.town.refunded, id); !ok || code != want {
			t.Fatalf("ended %v with %q, want %q", ok, code, want)
		}
	}
	t.Run("OK", func(t *testing.T) {
		n.hub.answer(sgip.WalletRefund, giveBack)
		id, charge := n.refund(t, nil)
		wait(t, id, "")
		got := n.hub.got(sgip.WalletRefund)
		var p sgip.RefundPayload
		if err := got[0].Decode(local, &p); err != nil || got[0].ID != id || p.ChargeID != charge || p.Amount != nil {
			t.Fatalf("asked %+v, %v", p, err)
		}
		if back := n.town.creditOf(id); back != (sgip.Money{Amount: 50, Currency: "NOK"}) {
			t.Fatalf("told %v", back)
		}
	})
	t.Run("OKPart", func(t *testing.T) {
		n.hub.answer(sgip.WalletRefund, giveBack)
		id, _ := n.refund(t, &sgip.Money{Amount: 2, Currency: "NGN"})
		wait(t, id, "")
	})
	t.Run("OKPendingIsNoEnd", func(t *testing.T) {
		var asked atomic.Int32
		n.hub.answer(sgip.WalletRefund, func(e sgip.Envelope) (any, error) {
			if asked.Add(1) <= 2 {
				return pending(e)
			}
			return giveBack(e)
		})
		id, _ := n.refund(t, nil)
		eventually(t, "asked again", func() bool {
			n.pass(time.Second) // the waits are measured by the game's clock
			if _, ended := n.town.ended(n.town.refunded, id); ended && asked.Load() < 3 {
				t.Fatal("told although the money is still on its way")
			}
			return asked.Load() >= 3
		})
		wait(t, id, "")
	})
	t.Run("ErrRefused", func(t *testing.T) {
		for _, code := range []sgip.Code{sgip.Forbidden, sgip.LimitReached, sgip.NotFound} {
			n.hub.answer(sgip.WalletRefund, func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(code, "no") })
			id, _ := n.refund(t, nil)
			wait(t, id, code)
		}
	})
	t.Run("OKAnotherRefundsAnswerIsNone", func(t *testing.T) {
		var asked atomic.Int32
		n.hub.answer(sgip.WalletRefund, func(e sgip.Envelope) (any, error) {
			result, err := giveBack(e)
			r := result.(sgip.RefundResult)
			switch asked.Add(1) {
			case 1:
				r.ChargeID, r.Credit.Amount = newID(), 1
			case 2:
				r.RefundID, r.Credit.Amount = newID(), 2
			}
			return r, err
		})
		id, _ := n.refund(t, nil)
		eventually(t, "asked again", func() bool { n.pass(time.Second); return asked.Load() >= 3 })
		wait(t, id, "")
		if back := n.town.creditOf(id); back.Amount != 50 {
			t.Fatalf("told %v", back)
		}
	})
	t.Run("ErrForm", func(t *testing.T) {
		err := n.db.InTx(t.Context(), func(ctx context.Context) error {
			return n.seat.Refund(ctx, newID(), newID(), &sgip.Money{Amount: 0, Currency: "NGN"})
		})
		wantCode(t, err, sgip.InvalidPayload)
	})
}

func TestRefund_SentOnceTheGameRuns(t *testing.T) {
	n := newNetwork(t)
	id, _ := n.refund(t, nil)
	n.hub.answer(sgip.WalletRefund, giveBack)
	n.run() // only now does anyone send
	eventually(t, "given back", func() bool { _, ok := n.town.ended(n.town.refunded, id); return ok })
}
