package exchange_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

func TestInbox_Nonce(t *testing.T) {
	const nonce = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	body := func() []byte { return message(newID()) }

	t.Run("OK per key", func(t *testing.T) {
		other := signer(t, 2)
		d := newDesk(t, func(c *exchange.InboxConfig) { c.Keys = holders{}.add(signer(t, 1)).add(other) })
		d.Handle(sgip.MessageSend, delivered)
		d.want("", signed(d.sign, d.clock(), nonce, body()))
		d.want("", signed(other, d.clock(), nonce, body()))
	})
	t.Run("OK unspent by a bad signature or time", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		forged := signed(signer(t, 9), d.clock(), nonce, body())
		forged.Signatures[0] = strings.Replace(forged.Signatures[0], signer(t, 9).Public.ID, d.sign.Public.ID, 1)
		d.want(sgip.BadSignature, forged)
		d.want(sgip.Expired, signed(d.sign, d.clock().Add(time.Hour), nonce, body()))
		d.want("", signed(d.sign, d.clock(), nonce, body()))
	})
	t.Run("OK forgotten when no ts can be fresh", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		d.want("", signed(d.sign, d.clock().Add(300*time.Second), nonce, body()))
		d.pass(600 * time.Second) // the same ts is still good
		d.want(sgip.BadSignature, signed(d.sign, d.clock().Add(-300*time.Second), nonce, body()))
		d.pass(time.Second)
		d.want("", signed(d.sign, d.clock(), nonce, body()))
	})
	t.Run("ErrAfterRestart", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "desk.db")
		first := deskAt(t, file)
		first.Handle(sgip.MessageSend, delivered)
		first.want("", signed(first.sign, first.clock(), nonce, body()))
		if err := first.db.Close(); err != nil {
			t.Fatal(err)
		}
		second := deskAt(t, file)
		second.Handle(sgip.MessageSend, delivered)
		second.want(sgip.BadSignature, signed(second.sign, second.clock(), nonce, body()))
	})
	t.Run("OK swept by time alone", func(t *testing.T) {
		d := newDesk(t)
		for range 300 {
			d.want(sgip.InvalidPayload, d.request([]byte("{")))
		}
		if n := d.count("exchange_nonces"); n != 300 {
			t.Fatalf("%d nonces, want 300: one was evicted early", n)
		}
		d.pass(time.Hour)
		for range 300 {
			d.want(sgip.InvalidPayload, d.request([]byte("{")))
		}
		if n := d.count("exchange_nonces"); n > 300 {
			t.Errorf("%d nonces: the old ones stayed", n)
		}
	})
}

// sweep serves as many requests as it takes until old rows are looked at.
func sweep(d *desk) {
	for range 256 {
		d.want(sgip.InvalidPayload, d.request([]byte("{")))
	}
}
