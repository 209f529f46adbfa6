package platform_test

import (
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// passport is Lena's, to Lagos.
func (n *network) passport(s sgip.Signer) (string, sgip.Passport) {
	n.t.Helper()
	p := sgip.Passport{
		Issuer: sgip.HubID, Subject: "lena", Home: oslo, Host: n.id,
		Issued: n.clock().Unix(), Expires: n.clock().Unix() + 900,
		ID: newID(), VisitID: newID(), Scope: []string{sgip.ScopeVisit},
	}
	token, err := sgip.SignPassport(s, p)
	if err != nil {
		n.t.Fatal(err)
	}
	return token, p
}

func TestCheckPassport(t *testing.T) {
	want := func(t *testing.T, n *network, token string, code sgip.Code) {
		t.Helper()
		_, err := n.seat.CheckPassport(t.Context(), token)
		wantCode(t, err, code)
	}
	t.Run("OKSeenBeforeUntilItExpires", func(t *testing.T) {
		n := newNetwork(t)
		token, p := n.passport(n.hub.key)
		for range 2 {
			got, err := n.seat.CheckPassport(t.Context(), token)
			if err != nil || got.VisitID != p.VisitID || got.Guest() != "lena@"+oslo {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		n.pass(900*time.Second - 1)
		want(t, n, token, "")
		n.pass(1)
		want(t, n, token, sgip.Expired)
	})
	t.Run("ErrTamperedAfterItWasSeen", func(t *testing.T) {
		n := newNetwork(t)
		token, _ := n.passport(n.hub.key)
		want(t, n, token, "")
		bent := []byte(token)
		bent[len(bent)-8] ^= 3
		want(t, n, string(bent), sgip.BadSignature)
	})
	t.Run("ErrKeyReplacedEarly", func(t *testing.T) {
		n := newNetwork(t)
		old, _ := n.passport(n.hub.key)
		want(t, n, old, "")
		n.hub.change(func() { n.hub.key = signer(t, 2) })
		fresh, _ := n.passport(n.hub.key)
		want(t, n, fresh, "")
		want(t, n, old, sgip.BadSignature) // although it was seen before
	})
	t.Run("ErrKeyExpired", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.change(func() { n.hub.expires = n.clock().Add(time.Minute) })
		token, _ := n.passport(n.hub.key)
		want(t, n, token, "")
		n.hub.change(func() { n.hub.away = true })
		n.pass(time.Minute)
		want(t, n, token, sgip.PlatformOffline) // although it was seen before
	})
	t.Run("ErrNoKeyToBeHad", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.change(func() { n.hub.away = true })
		token, _ := n.passport(n.hub.key)
		want(t, n, token, sgip.PlatformOffline)
	})
	t.Run("ErrOtherHost", func(t *testing.T) {
		n := newNetwork(t)
		_, p := n.passport(n.hub.key)
		p.Host = oslo
		token, err := sgip.SignPassport(n.hub.key, p)
		if err != nil {
			t.Fatal(err)
		}
		want(t, n, token, sgip.Forbidden)
		want(t, n, token, sgip.Forbidden)
	})
}
