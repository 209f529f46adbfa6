package platform_test

import (
	"slices"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

func TestSeat_Descriptor(t *testing.T) {
	n := newNetwork(t)
	t.Run("OK", func(t *testing.T) {
		d, err := sgip.ParseDescriptor(local, n.id, n.seat.Descriptor(), true)
		if err != nil {
			t.Fatal(err)
		}
		want := []sgip.Op{sgip.HubPing, sgip.PlayerLookup, sgip.MessageSend, sgip.PlayerProfile, sgip.InviteSend, sgip.PlaceStatus,
			sgip.VisitEnd, sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit}
		if !slices.Equal(d.Capabilities, want) || d.PlatformID != n.id || !slices.Equal(d.PublicKeys, []string{n.signers[0].Public.Text}) {
			t.Fatalf("descriptor %+v", d)
		}
	})
	config := func() platform.Config {
		return platform.Config{
			ID: n.id, HubURL: n.hub.url, Mode: local, Signers: n.keys, Clock: n.clock,
			Template: sgip.Descriptor{Name: "Lagos", Inbox: "http://" + n.id + "/in", Visit: "http://" + n.id + "/visit"},
		}
	}
	t.Run("OKOnlyWhatIsThere", func(t *testing.T) {
		seat, err := platform.New(config(), struct{ platform.Game }{n.town})
		if err != nil {
			t.Fatal(err)
		}
		d, err := sgip.ParseDescriptor(local, n.id, seat.Descriptor(), true)
		if err != nil || !slices.Equal(d.Capabilities, sgip.RequiredOps()) {
			t.Fatalf("capabilities %v, %v", d.Capabilities, err)
		}
	})
	t.Run("ErrURLOffDomain", func(t *testing.T) {
		c := config()
		c.Template.Visit = "http://oslo.localhost/visit"
		if _, err := platform.New(c, n.town); err == nil {
			t.Fatal("no error")
		}
	})
	t.Run("ErrSpendingWithoutWallet", func(t *testing.T) {
		c := config()
		c.Template.Currencies = []string{"NGN"}
		c.Template.Money = &sgip.MoneyOps{SpendingAbroad: &sgip.SpendingAbroad{DailyLimits: []sgip.Money{{Amount: 1, Currency: "NGN"}}}}
		if _, err := platform.New(c, struct{ platform.Game }{n.town}); err == nil {
			t.Fatal("no error")
		}
	})
	t.Run("ErrHub", func(t *testing.T) {
		for _, url := range []string{"", "hub.example", "https://hub.example/ops", "://"} {
			c := config()
			c.HubURL = url
			if _, err := platform.New(c, n.town); err == nil {
				t.Fatalf("no error for %q", url)
			}
		}
	})
	t.Run("ErrNoKey", func(t *testing.T) {
		c := config()
		c.Signers = func() []sgip.Signer { return nil }
		if _, err := platform.New(c, n.town); err == nil {
			t.Fatal("no error")
		}
	})
}

func TestSeat_Hello(t *testing.T) {
	hellos := func(n *network) int { return len(n.hub.got(sgip.HubHello)) }
	t.Run("OKOnceTheHubIsThere", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.change(func() { n.hub.away = true })
		if n.seat.Registered() {
			t.Fatal("registered before hello")
		}
		n.start()
		eventually(t, "turned away", func() bool { return n.hub.turnedAway.Load() > 0 })
		n.hub.change(func() { n.hub.away = false })
		eventually(t, "registered", func() bool {
			n.pass(time.Second) // the key's waits are measured by the game's clock
			return n.seat.Registered()
		})
	})
	t.Run("OKAfterARefusal", func(t *testing.T) {
		n := newNetwork(t)
		refusals := 0
		n.hub.answer(sgip.HubHello, func(e sgip.Envelope) (any, error) {
			if refusals++; refusals < 3 {
				return nil, sgip.Errorf(sgip.InvalidPayload, "money.accepts: a ring")
			}
			return n.hub.hello(e)
		})
		n.run()
	})
	t.Run("OKAgainAfterARotation", func(t *testing.T) {
		n := newNetwork(t)
		n.run()
		before := hellos(n)
		n.mu.Lock()
		n.signers = []sgip.Signer{signer(t, 8), n.signers[0]}
		n.mu.Unlock()
		eventually(t, "said hello again", func() bool { return hellos(n) > before && n.seat.Registered() })
	})
	t.Run("OKAgainWhenForgotten", func(t *testing.T) {
		n := newNetwork(t)
		n.run()
		before := hellos(n)
		n.hub.answer(sgip.WalletBalance, func(sgip.Envelope) (any, error) {
			return nil, sgip.Errorf(sgip.BadSignature, "unknown key")
		})
		_, err := n.seat.Spendable(t.Context(), newID())
		wantCode(t, err, sgip.PlatformOffline)
		eventually(t, "said hello again", func() bool { return hellos(n) > before })
	})
}

func TestSeat_Ping(t *testing.T) {
	n := newNetwork(t)
	var ping sgip.Ping
	reply := n.deliver(sgip.HubPing, hubAddress, sgip.Address{Platform: n.id}, struct{}{})
	if err := sgip.DecodeResult(local, sgip.HubPing, reply, &ping); err != nil || ping.Software != "lagos/1" {
		t.Fatalf("%+v, %v", ping, err)
	}
}

func TestSeat_Undeclared(t *testing.T) {
	n := newNetwork(t)
	wantRefused(t, n.deliver("x-lagos.wave@1", sgip.Address{Platform: oslo}, sgip.Address{Platform: n.id}, struct{}{}), sgip.OpUnsupported)
	wantRefused(t, n.deliver(sgip.HubPing, hubAddress, sgip.Address{Platform: oslo}, struct{}{}), sgip.Forbidden)
}

// TestSeat_StrangeKey wants requests signed by anyone but the hub refused, and
// the hub's new key accepted at once.
func TestSeat_StrangeKey(t *testing.T) {
	n := newNetwork(t)
	ping := func(s sgip.Signer) sgip.Code {
		id := newID()
		env, err := sgip.NewEnvelope(id, sgip.HubPing, hubAddress, sgip.Address{Platform: n.id}, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		body, err := env.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return refused(post(t, s, n.at, n.clock(), id, body))
	}
	if got := ping(n.hub.key); got != "" {
		t.Fatalf("the hub: %q", got)
	}
	n.hub.change(func() { n.hub.key = signer(t, 2) })
	if got := ping(n.hub.key); got != "" {
		t.Fatalf("the hub's new key: %q", got)
	}
	for _, s := range []sgip.Signer{signer(t, 1), n.signers[0], signer(t, 99)} {
		if got := ping(s); got != sgip.BadSignature {
			t.Fatalf("key %s: %q", s.Public.ID, got)
		}
	}
}
