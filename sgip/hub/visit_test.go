package hub_test

import (
	"net/url"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func (n *network) passport(token string, host *game) sgip.Passport {
	n.t.Helper()
	p, err := sgip.VerifyPassport(local, n.key.Public, token, host.id, n.clock.now())
	must(n.t, err)
	return p
}

func TestVisitRequest_First(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	t.Run("OK", func(t *testing.T) {
		env := lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id, Profile: &sgip.Profile{
			Name: "Tunde", Avatar: "🙂", Stats: map[string]int{"hunger": 40, "glamour": 90}}})
		got := result[sgip.VisitRequestResult](t, sgip.VisitRequest, lagos.post(env))
		p := n.passport(got.Passport, berlin)
		if p.Guest() != lagos.player("tunde").Player || p.VisitID != got.VisitID || p.Expires-p.Issued != 900 || got.ExpiresAt != p.Expires ||
			p.Name != "Tunde" || p.Avatar != "🙂" || p.MayPay() || len(p.Scope) != 1 {
			t.Errorf("passport %+v", p)
		}
		if len(p.Stats) != 1 || p.Stats["hunger"] != 40 {
			t.Errorf("stats %v, want the registered one alone", p.Stats)
		}
		launch, err := url.Parse(got.LaunchURL)
		must(t, err)
		q := launch.Query()
		if q.Get("home") != lagos.id || q.Get("visit") != got.VisitID || got.HostOrigin != "http://"+berlin.id || !got.Embed.Allowed {
			t.Errorf("launch %s at %s, embed %v", got.LaunchURL, got.HostOrigin, got.Embed)
		}
		if len(got.Passport) > sgip.MaxPassport {
			t.Errorf("passport of %d bytes", len(got.Passport))
		}
	})
	t.Run("OKPayBringsVisit", func(t *testing.T) {
		budget := ngn(1_000_000)
		p := n.passport(lagos.visit("tunde", berlin, &budget).Passport, berlin)
		if !p.MayPay() || !contains(p.Scope, sgip.ScopeVisit) || *p.Budget != budget {
			t.Errorf("passport %+v", p)
		}
	})
	t.Run("OKKeepsTheVisitURLsQuery", func(t *testing.T) {
		berlin.change(func(d *sgip.Descriptor) {
			d.Visit = "http://www." + berlin.id + "/in?lang=de"
			d.Embed = &sgip.Embed{Allowed: false}
		})
		got := lagos.visit("tunde", berlin, nil)
		launch, err := url.Parse(got.LaunchURL)
		must(t, err)
		if launch.Query().Get("lang") != "de" || launch.Query().Get("visit") != got.VisitID || got.HostOrigin != "http://www."+berlin.id || got.Embed.Allowed {
			t.Errorf("launch %s at %s, embed %v", got.LaunchURL, got.HostOrigin, got.Embed)
		}
	})
	budget, none, euros := ngn(1_000), ngn(0), eur(5)
	pay := []string{sgip.ScopePay}
	for name, c := range map[string]struct {
		payload sgip.VisitRequestPayload
		code    sgip.Code
	}{
		"ErrUnknownHost":       {sgip.VisitRequestPayload{Host: "ghost.localhost"}, sgip.NotFound},
		"ErrAtHome":            {sgip.VisitRequestPayload{Host: lagos.id}, sgip.InvalidPayload},
		"ErrScope":             {sgip.VisitRequestPayload{Host: berlin.id, Scope: []string{"fly"}}, sgip.InvalidPayload},
		"ErrPayWithoutBudget":  {sgip.VisitRequestPayload{Host: berlin.id, Scope: pay}, sgip.InvalidPayload},
		"ErrBudgetWithoutPay":  {sgip.VisitRequestPayload{Host: berlin.id, Budget: &budget}, sgip.InvalidPayload},
		"ErrBudgetOfNothing":   {sgip.VisitRequestPayload{Host: berlin.id, Scope: pay, Budget: &none}, sgip.InvalidPayload},
		"ErrCurrencyRefused":   {sgip.VisitRequestPayload{Host: berlin.id, Scope: pay, Budget: &euros}, sgip.Forbidden},
		"ErrUnknownVisit":      {sgip.VisitRequestPayload{Host: berlin.id, VisitID: newID()}, sgip.NotFound},
		"ErrVisitIDFormOnPath": {sgip.VisitRequestPayload{Host: berlin.id, VisitID: "tunde"}, sgip.InvalidPayload},
	} {
		t.Run(name, func(t *testing.T) { wantCode(t, lagos.post(lagos.visitEnvelope("tunde", c.payload)), c.code) })
	}
	t.Run("ErrNoTraveller", func(t *testing.T) {
		wantCode(t, lagos.send(sgip.VisitRequest, hubAddress, sgip.VisitRequestPayload{Host: berlin.id}), sgip.InvalidPayload)
	})
	t.Run("ErrNotWelcome", func(t *testing.T) {
		berlin.change(func(d *sgip.Descriptor) { d.Visitors = &sgip.Visitors{From: &[]string{"accra.localhost"}} })
		wantCode(t, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id})), sgip.Forbidden)
	})
}

func TestVisitRequest_Refresh(t *testing.T) {
	refresh := func(g *game, handle string, host *game, id string) sgip.Reply {
		return g.post(g.visitEnvelope(handle, sgip.VisitRequestPayload{Host: host.id, VisitID: id}))
	}
	t.Run("OKKeepsBudgetScopeAndProfile", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		budget, more := ngn(1_000_000), ngn(2_000_000)
		first := result[sgip.VisitRequestResult](t, sgip.VisitRequest, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{
			Host: berlin.id, Scope: []string{sgip.ScopePay}, Budget: &budget, Profile: &sgip.Profile{Name: "Tunde"}})))
		n.clock.advance(10 * time.Minute)
		got := result[sgip.VisitRequestResult](t, sgip.VisitRequest, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{
			Host: berlin.id, VisitID: first.VisitID, Budget: &more, Scope: []string{sgip.ScopeVisit}})))
		p := n.passport(got.Passport, berlin)
		if p.VisitID != first.VisitID || *p.Budget != budget || !p.MayPay() || p.Name != "Tunde" || got.ExpiresAt <= first.ExpiresAt {
			t.Errorf("refreshed to %+v", p)
		}
	})
	t.Run("ErrNotYours", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		accra := n.game("accra")
		wantCode(t, accra.hello(), "")
		id := lagos.visit("tunde", berlin, nil).VisitID
		wantCode(t, refresh(lagos, "ada", berlin, id), sgip.Forbidden)
		wantCode(t, refresh(accra, "tunde", berlin, id), sgip.Forbidden)
		wantCode(t, refresh(lagos, "tunde", accra, id), sgip.Forbidden)
		wantCode(t, refresh(lagos, "tunde", berlin, id), "")
	})
	t.Run("ErrExpired", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		id := lagos.visit("tunde", berlin, nil).VisitID
		n.clock.advance(901 * time.Second)
		wantCode(t, refresh(lagos, "tunde", berlin, id), sgip.Forbidden)
	})
	t.Run("ErrEndedByANewVisit", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		first := lagos.visit("tunde", berlin, nil).VisitID
		adas := lagos.visit("ada", berlin, nil).VisitID
		second := lagos.visit("tunde", berlin, nil).VisitID
		wantCode(t, refresh(lagos, "tunde", berlin, first), sgip.Forbidden)
		wantCode(t, refresh(lagos, "tunde", berlin, second), "")
		wantCode(t, refresh(lagos, "ada", berlin, adas), "")
	})
	t.Run("ErrNoLongerWelcome", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		id := lagos.visit("tunde", berlin, nil).VisitID
		berlin.change(func(d *sgip.Descriptor) { d.Visitors = &sgip.Visitors{Except: &[]string{lagos.id}} })
		wantCode(t, refresh(lagos, "tunde", berlin, id), sgip.Forbidden)
	})
}

func TestVisitEnd_Route(t *testing.T) {
	end := func(host *game, to sgip.Address, id string) sgip.Reply {
		return host.send(sgip.VisitEnd, to, sgip.VisitEndPayload{VisitID: id, Reason: sgip.EndLeft})
	}
	accepted := func(sgip.Envelope) (any, error) {
		return sgip.VisitEndResult{Accepted: sgip.Accepted{Stats: map[string]int{"mood": 5}}}, nil
	}
	t.Run("OK", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		lagos.on(sgip.VisitEnd, accepted)
		id := lagos.visit("tunde", berlin, nil).VisitID
		got := result[sgip.VisitEndResult](t, sgip.VisitEnd, end(berlin, lagos.player("tunde"), id))
		if got.Accepted.Stats["mood"] != 5 {
			t.Errorf("accepted %+v", got)
		}
		wantCode(t, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id, VisitID: id})), sgip.Forbidden)
	})
	t.Run("OKEndedByTheHubStillRouted", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		lagos.on(sgip.VisitEnd, accepted)
		first := lagos.visit("tunde", berlin, nil).VisitID
		lagos.visit("tunde", berlin, nil)
		wantCode(t, end(berlin, lagos.player("tunde"), first), "")
		if len(lagos.got(sgip.VisitEnd)) != 1 {
			t.Error("its souvenirs never came home")
		}
	})
	t.Run("OKOverThoughHomeIsAway", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		budget := ngn(1_000_000)
		id := lagos.visit("tunde", berlin, &budget).VisitID
		lagos.on(sgip.VisitEnd, hangUp)
		if reply := end(berlin, lagos.player("tunde"), id); !reply.Queued() {
			t.Errorf("not held for Lagos: %+v", reply)
		}
		wantCode(t, berlin.charge(id, eur(100)), sgip.Forbidden)
	})
	t.Run("OKOverThoughUndeclared", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		lagos.change(func(d *sgip.Descriptor) {
			d.Capabilities = append(sgip.RequiredOps(), sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit)
		})
		budget := ngn(1_000_000)
		id := lagos.visit("tunde", berlin, &budget).VisitID
		wantCode(t, end(berlin, lagos.player("tunde"), id), sgip.OpUnsupported)
		wantCode(t, berlin.charge(id, eur(100)), sgip.Forbidden)
	})
	t.Run("Err", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		accra := n.game("accra")
		wantCode(t, accra.hello(), "")
		id := lagos.visit("tunde", berlin, nil).VisitID
		wantCode(t, end(berlin, lagos.player("tunde"), newID()), sgip.NotFound)
		wantCode(t, end(accra, lagos.player("tunde"), id), sgip.Forbidden)
		wantCode(t, end(berlin, lagos.player("ada"), id), sgip.Forbidden)
		wantCode(t, end(berlin, sgip.Address{Platform: lagos.id}, id), sgip.Forbidden)
		wantCode(t, end(berlin, accra.player("tunde"), id), sgip.Forbidden)
		wantCode(t, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id, VisitID: id})), "")
	})
}

func TestKeyFile_Renew(t *testing.T) {
	n := newNetwork(t)
	file := func() (sgip.HubKey, time.Time) {
		h, _ := n.running()
		body, err := h.KeyFile(t.Context())
		must(t, err)
		k, key, err := sgip.ParseHubKey(body)
		must(t, err)
		expires, err := k.Expires()
		must(t, err)
		if key.ID != n.key.Public.ID || k.Ops != n.publicURL()+"/ops" {
			t.Fatalf("key file %+v", k)
		}
		return k, expires
	}
	_, first := file()
	if left := first.Sub(n.clock.now()); left < 29*24*time.Hour || left > 30*24*time.Hour {
		t.Errorf("a life of %s", left)
	}
	n.clock.advance(24 * time.Hour)
	if _, same := file(); !same.Equal(first) {
		t.Error("moved on after a day")
	}
	n.crash()
	n.start()
	if _, same := file(); !same.Equal(first) {
		t.Error("moved on by a restart")
	}
	n.clock.advance(20 * 24 * time.Hour)
	if _, later := file(); !later.After(first) {
		t.Error("not renewed while in use")
	}
	t.Run("OKNoPassportOutlivesTheKey", func(t *testing.T) {
		lagos, berlin := n.pair()
		// A clock set forward within a chore's turn: the passport ends with the key.
		_, expires := file()
		n.clock.set(expires.Add(-100 * time.Second))
		got := lagos.visit("tunde", berlin, nil)
		known := n.query("SELECT expires_at FROM hub_own_keys WHERE key_id = ?", n.key.Public.ID) / 1000
		if got.ExpiresAt > known {
			t.Errorf("passport until %d, key until %d", got.ExpiresAt, known)
		}
	})
}
