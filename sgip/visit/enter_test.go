package visit_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

// TestEnter_WrongPassport holds each wrong passport to its code, and wants no
// guest record and no arrival of any of them.
func TestEnter_WrongPassport(t *testing.T) {
	h := newHost(t)
	good := h.passport()
	header := func(change ...func(map[string]any)) map[string]any {
		m := map[string]any{"alg": "EdDSA", "typ": "JWT", "kid": h.hub.Public.ID}
		for _, c := range change {
			c(m)
		}
		return m
	}
	claims := func(change ...func(map[string]any)) map[string]any {
		m := map[string]any{
			"iss": good.Issuer, "sub": good.Subject, "home": good.Home, "aud": good.Host,
			"iat": good.Issued, "exp": good.Expires, "jti": good.ID,
			"visit_id": good.VisitID, "scope": good.Scope,
		}
		for _, c := range change {
			c(m)
		}
		return m
	}
	set := func(key string, value any) func(map[string]any) { return func(m map[string]any) { m[key] = value } }
	without := func(key string) func(map[string]any) { return func(m map[string]any) { delete(m, key) } }
	signed := func(c map[string]any) string { return raw(hubSeed, header(), c) }
	whole := h.sign(good)
	bit := []byte(whole)
	bit[len(bit)-10] ^= 1

	for _, c := range []struct {
		name, token string
		code        sgip.Code
	}{
		{"Nothing", "", sgip.BadSignature},
		{"NotAToken", "hello", sgip.BadSignature},
		{"TwoParts", whole[:strings.LastIndex(whole, ".")], sgip.BadSignature},
		{"Oversized", signed(claims(set("name", "T"), set("x", strings.Repeat("y", sgip.MaxPassport)))), sgip.BadSignature},
		{"Forged", raw(otherSeed, header(), claims()), sgip.BadSignature},
		{"OtherKeyID", raw(otherSeed, header(set("kid", "0011223344556677")), claims()), sgip.BadSignature},
		{"Tampered", string(bit), sgip.BadSignature},
		{"AlgNone", strings.Join(strings.Split(raw(hubSeed, header(set("alg", "none")), claims()), ".")[:2], ".") + ".", sgip.BadSignature},
		{"AlgHS256", raw(hubSeed, header(set("alg", "HS256")), claims()), sgip.BadSignature},
		{"NoAlg", raw(hubSeed, header(without("alg")), claims()), sgip.BadSignature},
		{"OtherType", raw(hubSeed, header(set("typ", "JWS")), claims()), sgip.BadSignature},
		{"NoType", raw(hubSeed, header(without("typ")), claims()), sgip.BadSignature},
		{"NoKeyID", raw(hubSeed, header(without("kid")), claims()), sgip.BadSignature},
		{"Crit", raw(hubSeed, header(set("crit", []string{"exp"})), claims()), sgip.BadSignature},
		{"Padded", whole + "=", sgip.BadSignature},
		{"LineBreak", whole[:30] + "\n" + whole[30:], sgip.BadSignature},
		{"Twice", raw(hubSeed, header(), `{"sub":"tunde","sub":"ada"}`), sgip.BadSignature},

		{"Expired", signed(claims(set("iat", good.Issued-900), set("exp", good.Issued))), sgip.Expired},
		{"Misaddressed", signed(claims(set("aud", "oslo.example"))), sgip.Forbidden},
		{"OtherHome", h.sign(h.passport(func(p *sgip.Passport) { p.Home, p.VisitID = "oslo.example", good.VisitID })), sgip.Forbidden},
		{"OtherVisit", h.sign(h.passport()), sgip.Forbidden},

		{"OtherIssuer", signed(claims(set("iss", lagos))), sgip.InvalidPayload},
		{"SeveralHosts", signed(claims(set("aud", []string{berlin, lagos}))), sgip.InvalidPayload},
		{"NoExp", signed(claims(without("exp"))), sgip.InvalidPayload},
		{"FractionalExp", signed(claims(set("exp", float64(good.Expires)-0.5))), sgip.InvalidPayload},
		{"TooLong", signed(claims(set("exp", good.Issued+901))), sgip.InvalidPayload},
		{"Backwards", signed(claims(set("iat", good.Expires))), sgip.InvalidPayload},
		{"NoScope", signed(claims(without("scope"))), sgip.InvalidPayload},
		{"NoVisitScope", signed(claims(set("scope", []string{"pay"}))), sgip.InvalidPayload},
		{"PayWithoutBudget", signed(claims(set("scope", []string{"visit", "pay"}))), sgip.InvalidPayload},
		{"OddHandle", signed(claims(set("sub", "Tunde O"))), sgip.InvalidPayload},
		{"OddVisit", signed(claims(set("visit_id", "1"))), sgip.InvalidPayload},
		{"NullName", signed(claims(set("name", nil))), sgip.InvalidPayload},
		{"TagInName", signed(claims(set("name", "<b>T</b>"))), sgip.InvalidPayload},
	} {
		t.Run("Err"+c.name, func(t *testing.T) {
			_, err := h.Enter(t.Context(), visit.Enter{Passport: c.token, Home: good.Home, VisitID: good.VisitID})
			wantCode(t, err, c.code)
		})
	}
	t.Run("OKNoRecord", func(t *testing.T) {
		guests, err := h.Active(t.Context())
		if err != nil || len(guests) != 0 || len(h.stage.arrived) != 0 {
			t.Fatalf("guests %v, arrivals %v, %v", guests, h.stage.arrived, err)
		}
		if r, err := h.store.Visit(t.Context(), good.VisitID); r != nil || err != nil {
			t.Fatalf("record %v, %v", r, err)
		}
	})
	t.Run("OKTheRightOne", func(t *testing.T) {
		if _, err := h.enter(good, ""); err != nil {
			t.Fatal(err)
		}
	})
}

func TestEnter_Start(t *testing.T) {
	h := newHost(t)
	p := h.passport(func(p *sgip.Passport) {
		p.Scope = []string{sgip.ScopeVisit, sgip.ScopePay}
		p.Budget = &sgip.Money{Amount: 900, Currency: "NGN"}
	})
	s := h.mustEnter(p, "")
	want := visit.GuestHeader{ID: "tunde@lagos.example", Name: "Tunde", Avatar: "🧢", Home: lagos}
	if s.Guest != want || s.ExpiresAt != p.Expires || s.Token == "" {
		t.Fatalf("session %+v", s)
	}
	g, err := h.Guest(t.Context(), s.Token)
	if err != nil || g.ID != want.ID || g.VisitID != p.VisitID || *g.Budget != *p.Budget || !maps.Equal(g.Stats, p.Stats) {
		t.Fatalf("guest %+v, %v", g, err)
	}
	if len(h.stage.arrived) != 1 || h.stage.arrived[0].ID != want.ID {
		t.Fatalf("arrivals %v", h.stage.arrived)
	}
	t.Run("OKShownByHandle", func(t *testing.T) {
		s := h.mustEnter(h.passport(func(p *sgip.Passport) { p.Subject, p.Name, p.Avatar, p.Stats = "ada", "", "", nil }), "")
		if s.Guest.Name != "ada" {
			t.Fatalf("name %q", s.Guest.Name)
		}
		if g, err := h.Guest(t.Context(), s.Token); err != nil || g.Stats != nil {
			t.Fatalf("stats made up: %v, %v", g.Stats, err)
		}
	})
	t.Run("OKTokenNotStored", func(t *testing.T) {
		if err := h.db.Close(); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Dir(h.db.Path()) + "/*")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil || strings.Contains(string(text), s.Token) {
				t.Fatalf("%s holds the guest token (%v)", f, err)
			}
		}
	})
}

func TestEnter_Again(t *testing.T) {
	later := func(h *host, p sgip.Passport, d time.Duration) sgip.Passport {
		h.pass(d)
		p.Issued, p.Expires, p.ID = p.Issued+int64(d.Seconds()), p.Expires+int64(d.Seconds()), ulid.Make().String()
		return p
	}
	t.Run("OKRefresh", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		first := h.mustEnter(p, "")
		p2 := later(h, p, 10*time.Minute)
		second := h.mustEnter(p2, first.Token)
		if second.Token != first.Token || second.ExpiresAt != p2.Expires || len(h.stage.arrived) != 1 {
			t.Fatalf("%+v then %+v, %d arrivals", first, second, len(h.stage.arrived))
		}
		if again := h.mustEnter(p, first.Token); again.ExpiresAt != p2.Expires {
			t.Fatalf("an older passport shortened the visit to %d", again.ExpiresAt)
		}
	})
	t.Run("OKMove", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		first := h.mustEnter(p, "")
		second := h.mustEnter(p, "")
		if second.Token == first.Token {
			t.Fatal("the token did not change")
		}
		_, err := h.Guest(t.Context(), first.Token)
		wantCode(t, err, sgip.Forbidden)
		_, err = h.enter(p, first.Token)
		wantCode(t, err, sgip.Forbidden)
		if _, err := h.Guest(t.Context(), second.Token); err != nil {
			t.Fatal(err)
		}
		if len(h.stage.arrived) != 1 || len(h.seat.letters) != 0 {
			t.Fatalf("%d arrivals, %d ends", len(h.stage.arrived), len(h.seat.letters))
		}
	})
	t.Run("OKNewVisitEndsTheEarlier", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		first := h.mustEnter(p, "")
		p2 := later(h, h.passport(), time.Minute)
		second := h.mustEnter(p2, "")
		if second.Guest != first.Guest {
			t.Fatalf("identity changed: %+v, %+v", first.Guest, second.Guest)
		}
		_, err := h.Guest(t.Context(), first.Token)
		wantCode(t, err, sgip.Forbidden)
		if len(h.seat.letters) != 1 || h.seat.letters[0].VisitID != p.VisitID || h.seat.letters[0].StayedSeconds != 60 {
			t.Fatalf("ends %+v", h.seat.letters)
		}
		_, err = h.enter(p, "")
		wantCode(t, err, sgip.Forbidden)
	})
	t.Run("ErrOlderVisit", func(t *testing.T) {
		h := newHost(t)
		old := h.passport()
		s := h.mustEnter(later(h, h.passport(), time.Minute), "")
		_, err := h.enter(old, "")
		wantCode(t, err, sgip.Forbidden)
		if _, err := h.Guest(t.Context(), s.Token); err != nil {
			t.Fatalf("the newer visit ended: %v", err)
		}
	})
	t.Run("ErrSomeoneElse", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		h.mustEnter(p, "")
		p.Subject = "ada"
		_, err := h.enter(p, "")
		wantCode(t, err, sgip.Forbidden)
	})
	t.Run("ErrEnded", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		s := h.mustEnter(p, "")
		if err := h.Leave(t.Context(), p.VisitID, sgip.EndLeft); err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{"", s.Token} {
			_, err := h.enter(p, token)
			wantCode(t, err, sgip.Forbidden)
		}
		_, err := h.Guest(t.Context(), s.Token)
		wantCode(t, err, sgip.Forbidden)
	})
}
