package hub_test

import (
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// TestKeyFile_Rotate: a key replaced beside the running hub is in use everywhere
// at once, and published with an expiry of its own.
func TestKeyFile_Rotate(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	berlin.on(sgip.MessageSend, func(sgip.Envelope) (any, error) { return sgip.MessageResult{Delivered: true}, nil })
	published := func() sgip.HubKey {
		h, _ := n.running()
		body, err := h.KeyFile(t.Context())
		must(t, err)
		key, _, err := sgip.ParseHubKey(body)
		must(t, err)
		return key
	}
	n.clock.advance(20 * 24 * time.Hour)
	before := published()
	next := newSigner("the hub's next")
	n.mu.Lock()
	n.key = next
	n.mu.Unlock()
	waitUntil(t, "passports are signed with it", func() bool {
		token := lagos.visit("tunde", berlin, nil).Passport
		_, err := sgip.VerifyPassport(local, next.Public, token, berlin.id, n.clock.now())
		return err == nil
	})
	wantCode(t, lagos.post(lagos.message(berlin, "How far?")), "")
	verified(t, next, berlin.got(sgip.MessageSend)[0])
	after := published()
	if after.KeyID != next.Public.ID || after.KeyID == before.KeyID {
		t.Errorf("published %+v", after)
	}
	expires, err := sgip.ParseTime(after.ExpiresAt)
	must(t, err)
	if left := expires.Sub(n.clock.now()); left < 29*24*time.Hour || left > 30*24*time.Hour {
		t.Errorf("a new key's expiry is %s away", left)
	}
	n.crash()
	n.start()
	if got := published(); got != after {
		t.Errorf("after a restart %+v, before it %+v", got, after)
	}
}
