package platform_test

import (
	"slices"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// TestSeat_BacksOff: what the hub doesn't want to be asked for a while isn't
// asked, and says how long.
func TestSeat_BacksOff(t *testing.T) {
	n := newNetwork(t)
	n.hub.answer(sgip.WalletBalance, func(sgip.Envelope) (any, error) {
		return nil, &sgip.Error{Code: sgip.RateLimited, Message: "too many", RetryAfter: 40}
	})
	ask := func() *sgip.Error {
		_, err := n.seat.Spendable(t.Context(), newID())
		wantCode(t, err, sgip.RateLimited)
		return sgip.AsError(err)
	}
	ask()
	n.pass(10 * time.Second)
	for range 3 {
		if got := ask(); got.RetryAfter != 30 || !got.Retryable() {
			t.Errorf("told %+v", got)
		}
	}
	if got := len(n.hub.got(sgip.WalletBalance)); got != 1 {
		t.Errorf("the hub was asked %d times", got)
	}
	n.hub.answer(sgip.WalletBalance, func(sgip.Envelope) (any, error) { return sgip.Spendable{Spendable: []sgip.Money{}}, nil })
	n.pass(30 * time.Second)
	if _, err := n.seat.Spendable(t.Context(), newID()); err != nil {
		t.Error(err)
	}
}

// TestSeat_Confirms: a hub may have read the descriptor of a moment before, so a
// change is told twice; and the keys that it knows are heard.
func TestSeat_Confirms(t *testing.T) {
	n := newNetwork(t)
	n.run()
	hellos := func() int { return len(n.hub.got(sgip.HubHello)) }
	eventually(t, "said a second time", func() bool { return hellos() >= 2 })
	if got := n.heard(); !slices.Equal(got, []string{n.keys()[0].Public.ID}) {
		t.Errorf("heard of %v", got)
	}
	settled := hellos()
	n.mu.Lock()
	n.signers = append(n.signers, signer(t, 8))
	n.mu.Unlock()
	eventually(t, "said twice more", func() bool { return hellos() >= settled+2 })
}
