package hub_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"sgip.example/starter/sgip"
)

func (g *game) refund(chargeID string, amount *sgip.Money) sgip.Reply {
	g.n.t.Helper()
	return g.post(g.refundEnvelope(chargeID, amount))
}

func (g *game) refundEnvelope(chargeID string, amount *sgip.Money) sgip.Envelope {
	return g.envelope(sgip.WalletRefund, hubAddress, sgip.RefundPayload{ChargeID: chargeID, Amount: amount})
}

// bought charges and gives the charge's id.
func (g *game) bought(visit string, amount sgip.Money) string {
	g.n.t.Helper()
	return result[sgip.ChargeResult](g.n.t, sgip.WalletCharge, g.charge(visit, amount)).ChargeID
}

func TestRefund_Give(t *testing.T) {
	t.Run("OKPartsAndRest", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0] = accepts(lagos, 10, 3, 1_000) })
		id := berlin.bought(visit, eur(10)) // 10 × 10 ÷ 3, rounded up: 34
		part := eur(3)
		env := berlin.refundEnvelope(id, &part)
		got := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.post(env))
		want := sgip.RefundResult{RefundID: env.ID, ChargeID: id, Amount: eur(3), Credit: ngn(10), Remaining: eur(7)}
		if got != want {
			t.Errorf("refund %+v, want %+v", got, want)
		}
		n.wantCounted(24, 7)
		rest := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.refund(id, nil))
		if rest.Amount != eur(7) || rest.Credit != ngn(24) || rest.Remaining != eur(0) {
			t.Errorf("the rest %+v, want whatever remains of the debit", rest)
		}
		n.wantCounted(0, 0)
		credits := lagos.got(sgip.WalletCredit)
		first := payloadOf[sgip.CreditPayload](t, credits[0])
		if len(credits) != 2 || first.RefundID != env.ID || first.Reason != sgip.CreditRefund || first.Amount != ngn(10) || *first.HostAmount != eur(3) {
			t.Errorf("%d credits, the first %+v", len(credits), first)
		}
		if again := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.post(env)); again != got || len(lagos.got(sgip.WalletCredit)) != 2 {
			t.Error("a repeat must get the first answer")
		}
		wantCode(t, berlin.refund(id, nil), sgip.LimitReached)
	})
	t.Run("OKShareOfZero", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0] = accepts(lagos, 1, 100, 1_000) })
		id := berlin.bought(visit, eur(100)) // costs 1
		part := eur(60)
		got := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.refund(id, &part))
		if got.Credit != ngn(0) || got.Pending || got.Remaining != eur(40) || len(lagos.got(sgip.WalletCredit)) != 0 {
			t.Errorf("refund %+v after %d credits, want none", got, len(lagos.got(sgip.WalletCredit)))
		}
		n.wantCounted(1, 40)
		if rest := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.refund(id, nil)); rest.Credit != ngn(1) {
			t.Errorf("the rest %+v", rest)
		}
		n.wantCounted(0, 0)
	})
	t.Run("OKFreesTheBudget", func(t *testing.T) {
		n := newNetwork(t)
		_, berlin, visit := n.trip(50_000)
		id := berlin.bought(visit, eur(100))
		wantCode(t, berlin.charge(visit, eur(1)), sgip.LimitReached)
		wantCode(t, berlin.refund(id, nil), "")
		wantCode(t, berlin.charge(visit, eur(100)), "")
	})
	t.Run("OKAfterTheVisit", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		id := berlin.bought(visit, eur(100))
		lagos.visit("tunde", berlin, nil)
		n.clock.advance(23 * time.Hour)
		wantCode(t, berlin.refund(id, nil), "")
	})
}

func TestRefund_Pending(t *testing.T) {
	t.Run("OKPendingThenSettled", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		id := berlin.bought(visit, eur(100))
		lagos.on(sgip.WalletCredit, hangUp)
		env := berlin.refundEnvelope(id, nil)
		got := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.post(env))
		if !got.Pending || got.Credit != ngn(50_000) || got.Remaining != eur(0) {
			t.Errorf("refund %+v, want it pending", got)
		}
		n.wantCounted(50_000, 100)
		wantCode(t, berlin.refund(id, nil), sgip.LimitReached)
		n.crash()
		n.start()
		lagos.on(sgip.WalletCredit, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(1)}, nil })
		waitUntil(t, "the credit is settled", func() bool { return n.counted("budget") == 0 })
		if again := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.post(env)); again.Pending || again.Credit != ngn(50_000) {
			t.Errorf("asked again: %+v", again)
		}
		part := eur(1)
		other := env
		other.Payload = berlin.refundEnvelope(id, &part).Payload
		wantCode(t, berlin.post(other), sgip.InvalidPayload)
	})
}

func TestRefund_Refuse(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(10_000_000)
	accra := n.game("accra")
	wantCode(t, accra.hello(), "")
	id := berlin.bought(visit, eur(100))
	more, dollars, nothing := eur(101), sgip.Money{Amount: 1, Currency: "USD"}, eur(0)
	t.Run("ErrUnknownCharge", func(t *testing.T) { wantCode(t, berlin.refund(newID(), nil), sgip.NotFound) })
	t.Run("ErrAnotherHosts", func(t *testing.T) { wantCode(t, accra.refund(id, nil), sgip.NotFound) })
	t.Run("ErrMoreThanRemains", func(t *testing.T) { wantCode(t, berlin.refund(id, &more), sgip.LimitReached) })
	t.Run("ErrCurrency", func(t *testing.T) { wantCode(t, berlin.refund(id, &dollars), sgip.InvalidPayload) })
	t.Run("ErrNothing", func(t *testing.T) { wantCode(t, berlin.refund(id, &nothing), sgip.InvalidPayload) })
	t.Run("ErrNull", func(t *testing.T) {
		wantCode(t, berlin.send(sgip.WalletRefund, hubAddress, map[string]any{"charge_id": id, "amount": nil}), sgip.InvalidPayload)
	})
	t.Run("ErrFailed", func(t *testing.T) {
		lagos.on(sgip.WalletDebit, refuses(sgip.InsufficientFunds))
		env := berlin.chargeEnvelope(visit, eur(1))
		wantCode(t, berlin.post(env), sgip.InsufficientFunds)
		wantCode(t, berlin.refund(env.ID, nil), sgip.Forbidden)
	})
	t.Run("ErrVoid", func(t *testing.T) {
		lagos.on(sgip.WalletDebit, hangUp)
		env := berlin.chargeEnvelope(visit, eur(1))
		wantCode(t, berlin.post(env), sgip.PlatformOffline)
		wantCode(t, berlin.refund(env.ID, nil), sgip.Forbidden)
	})
	t.Run("ErrStillBeingDecided", func(t *testing.T) {
		asked, release := make(chan struct{}), make(chan struct{})
		lagos.on(sgip.WalletDebit, func(sgip.Envelope) (any, error) {
			close(asked)
			<-release
			return sgip.WalletResult{Balance: ngn(1)}, nil
		})
		env := berlin.chargeEnvelope(visit, eur(1))
		done := make(chan sgip.Reply, 1)
		go func() { done <- berlin.post(env) }()
		<-asked
		refund := berlin.refundEnvelope(env.ID, nil)
		reply := berlin.post(refund)
		wantCode(t, reply, sgip.PlatformOffline)
		if !reply.Error.Retryable() {
			t.Error("must be retryable")
		}
		close(release)
		wantCode(t, <-done, "")
		wantCode(t, berlin.post(refund), "")
	})
	t.Run("ErrIDTaken", func(t *testing.T) {
		env := accra.refundEnvelope(id, nil)
		env.ID = id
		wantCode(t, accra.post(env), sgip.Forbidden)
	})
	t.Run("ErrAfterADay", func(t *testing.T) {
		n.clock.advance(24*time.Hour + time.Second)
		wantCode(t, berlin.refund(id, nil), sgip.Forbidden)
	})
}

// TestRefund_NoDrift refunds charges in random parts at random rates: a part
// never gives back more than its share, and together they give back the debit.
func TestRefund_NoDrift(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(sgip.MaxAmount)
	lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = sgip.MaxAmount })
	rapid.Check(t, func(r *rapid.T) {
		rate := accepts(lagos, rapid.Int64Range(1, 1_000_000).Draw(r, "give"), rapid.Int64Range(1, 1_000_000).Draw(r, "get"), sgip.MaxAmount)
		berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0] = rate })
		price := rapid.Int64Range(1, 1_000_000).Draw(r, "price")
		visit = lagos.visit("tunde", berlin, &sgip.Money{Amount: sgip.MaxAmount, Currency: "NGN"}).VisitID
		charged := result[sgip.ChargeResult](t, sgip.WalletCharge, berlin.charge(visit, eur(price)))
		left, back := price, int64(0)
		for left > 0 {
			part := eur(rapid.Int64Range(1, left).Draw(r, "part"))
			got := result[sgip.RefundResult](t, sgip.WalletRefund, berlin.refund(charged.ChargeID, &part))
			left, back = left-part.Amount, back+got.Credit.Amount
			if got.Remaining.Amount != left || (left > 0 && back > charged.Debit.Amount) {
				r.Fatalf("%d of %d back, %d of %d left", back, charged.Debit.Amount, left, price)
			}
		}
		if back != charged.Debit.Amount {
			r.Fatalf("charged %d, gave back %d", charged.Debit.Amount, back)
		}
		n.wantCounted(0, 0)
	})
}
