package platform_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func TestCharge(t *testing.T) {
	n := newNetwork(t)
	n.run()
	charge := func(t *testing.T) string {
		t.Helper()
		id := newID()
		if err := n.db.InTx(t.Context(), func(ctx context.Context) error {
			return n.seat.Charge(ctx, id, newID(), sgip.Money{Amount: 5, Currency: "NGN"}, "Suya")
		}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	wait := func(t *testing.T, id string, want sgip.Code) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := n.seat.Await(ctx, id); err != nil {
			t.Fatal(err)
		}
		if code, ok := n.town.ended(n.town.charged, id); !ok || code != want {
			t.Fatalf("ended %v with %q, want %q", ok, code, want)
		}
	}
	t.Run("OK", func(t *testing.T) {
		n.hub.answer(sgip.WalletCharge, confirm)
		wait(t, charge(t), "")
	})
	t.Run("ErrRefused", func(t *testing.T) {
		n.hub.answer(sgip.WalletCharge, func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(sgip.LimitReached, "over the budget") })
		wait(t, charge(t), sgip.LimitReached)
	})
	t.Run("ErrVoided", func(t *testing.T) {
		n.hub.answer(sgip.WalletCharge, func(sgip.Envelope) (any, error) {
			return nil, &sgip.Error{Code: sgip.PlatformOffline, Message: "voided", Final: true}
		})
		wait(t, charge(t), sgip.PlatformOffline)
	})
	t.Run("OKAskedAgainWithTheSameBytes", func(t *testing.T) {
		var asked atomic.Int32
		n.hub.answer(sgip.WalletCharge, func(e sgip.Envelope) (any, error) {
			if asked.Add(1) == 1 {
				return nil, sgip.Errorf(sgip.PlatformOffline, "still being decided")
			}
			return confirm(e)
		})
		id := charge(t)
		eventually(t, "asked again", func() bool {
			n.pass(time.Second) // the waits are measured by the game's clock
			return asked.Load() >= 2
		})
		wait(t, id, "")
	})
	t.Run("ErrForm", func(t *testing.T) {
		err := n.db.InTx(t.Context(), func(ctx context.Context) error {
			return n.seat.Charge(ctx, newID(), newID(), sgip.Money{Amount: 0, Currency: "NGN"}, "Air")
		})
		wantCode(t, err, sgip.InvalidPayload)
	})
}

func TestCharge_SentOnceTheGameRuns(t *testing.T) {
	n := newNetwork(t)
	id := newID()
	err := n.db.InTx(t.Context(), func(ctx context.Context) error {
		return n.seat.Charge(ctx, id, newID(), sgip.Money{Amount: 5, Currency: "NGN"}, "Waffle")
	})
	if err != nil {
		t.Fatal(err)
	}
	n.hub.answer(sgip.WalletCharge, confirm)
	n.run() // only now does anyone send
	eventually(t, "confirmed", func() bool { _, ok := n.town.ended(n.town.charged, id); return ok })
	if got := n.hub.got(sgip.WalletCharge); got[0].ID != id {
		t.Fatalf("the charge id is not the envelope id: %s", got[0].ID)
	}
}

// confirm settles any charge.
func confirm(e sgip.Envelope) (any, error) {
	var p sgip.ChargePayload
	err := e.Decode(local, &p)
	return sgip.ChargeResult{ChargeID: e.ID, Amount: p.Amount, Debit: sgip.Money{Amount: 50, Currency: "NOK"}}, err
}
