package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// town is a small right game. Its visit page can be taken away.
type town struct {
	mode     sgip.Mode
	platform string
	key      string // the hub's key file
	inbox    *exchange.Inbox
	closed   bool
}

type hubKey struct{ sgip.PublicKey }

func (k hubKey) Key(_ context.Context, id string) (sgip.PublicKey, error) {
	if id != k.ID {
		return sgip.PublicKey{}, sgip.Errorf(sgip.BadSignature, "not the hub's key")
	}
	return k.PublicKey, nil
}

func (hubKey) Admit(context.Context, string, sgip.Envelope) error { return nil }

// open starts the town's inbox under its name.
func (g *town) open(t *testing.T, platform string) {
	t.Helper()
	g.platform, g.key = platform, filepath.Join(t.TempDir(), "hub-key")
	sgipRun(t, "", "keygen", g.key).want(t, 0)
	hub, err := readKey(g.key)
	must(t, err)
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "game.db"))
	must(t, err)
	t.Cleanup(func() { db.Close() })
	must(t, store.Migrate(t.Context(), db))
	g.inbox = exchange.NewInbox(exchange.InboxConfig{
		Self: platform, Mode: g.mode, Store: store.NewExchange(db), Keys: hubKey{hub.Public}, Clock: time.Now,
	})
	g.inbox.Handle(sgip.HubPing, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
		return exchange.Answer{Result: sgip.Ping{Time: sgip.FormatTime(time.Now())}}, nil
	})
	for _, op := range []sgip.Op{sgip.PlayerLookup, sgip.MessageSend} {
		g.inbox.Handle(op, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
			return exchange.Answer{}, sgip.Errorf(sgip.NotFound, "no such player")
		})
	}
}

func (g *town) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/.well-known/sgip.json":
		seed := [32]byte{1}
		own, _ := sgip.NewSigner(seed[:]) // 32 bytes are always a seed
		origin := g.mode.Origin(g.platform)
		body, _ := sgip.Descriptor{SGIP: "0.1", PlatformID: g.platform, Name: "Lagos", Inbox: origin + "/in", Visit: origin + "/visit",
			PublicKeys: []string{own.Public.Text}, Capabilities: sgip.RequiredOps()}.Encode() // plain values always marshal
		w.Write(body)
	case r.URL.Path == "/in":
		body, _ := io.ReadAll(r.Body) // what is cut short isn't signed
		answer := g.inbox.Serve(r.Context(), exchange.Request{Method: r.Method, Target: r.RequestURI,
			Signatures: r.Header.Values(sgip.SignatureHeader), ContentTypes: r.Header.Values("Content-Type"), Body: body})
		w.WriteHeader(answer.Status)
		w.Write(answer.Body)
	case r.URL.Path == "/visit" && !g.closed:
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><title>Lagos</title>"))
	default:
		http.NotFound(w, r)
	}
}

// check runs sgip check by the real clock.
func (g *town) check(t *testing.T, args ...string) ran {
	t.Helper()
	return sgipAt(t, time.Now, "", append([]string{"check", "--hub-key", g.key}, args...)...)
}

func TestCheck_RunLocal(t *testing.T) {
	g := &town{mode: sgip.Mode{Local: true, PlainHTTP: true}}
	server := httptest.NewServer(g)
	defer server.Close()
	g.open(t, strings.Replace(strings.TrimPrefix(server.URL, "http://"), "127.0.0.1", "lagos.localhost", 1))

	t.Run("OK", func(t *testing.T) {
		r := g.check(t, "--local", g.platform)
		r.want(t, 0, "pass  ping ", "pass  visit_query_passport", "warn  visit_headers", g.platform+" conforms")
		if strings.Contains(r.out, "FAIL") {
			t.Error(r.out)
		}
	})
	t.Run("OKJSON", func(t *testing.T) {
		r := g.check(t, "--local", "--json", "--home", "berlin.localhost:1", g.platform)
		var report sgip.CheckReport
		must(t, json.Unmarshal([]byte(r.out), &report))
		if r.status != 0 || !report.Conforms || len(report.Checks) < 12 {
			t.Errorf("status %d, %+v", r.status, report)
		}
	})
	t.Run("ErrAnotherHub", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "key")
		sgipRun(t, "", "keygen", other).want(t, 0)
		sgipAt(t, time.Now, "", "check", "--local", "--hub-key", other, g.platform).
			want(t, 1, "FAIL  ping ", "with the hub's at", "does not conform")
	})
	t.Run("ErrNotLocal", func(t *testing.T) { g.check(t, g.platform).want(t, 2, "need --local") })
	t.Run("ErrNoKey", func(t *testing.T) {
		sgipAt(t, time.Now, "", "check", "--local", "--hub-key", "none", g.platform).want(t, 2, "key file")
	})
	t.Run("ErrClosed", func(t *testing.T) {
		g.closed = true
		g.check(t, "--local", g.platform).want(t, 1, "pass  ping ", "FAIL  visit_page ", "does not conform")
		g.check(t, "--local", "--json", g.platform).want(t, 1, `"conforms": false`)
	})
	t.Run("ErrNobody", func(t *testing.T) {
		server.Close()
		g.check(t, "--local", g.platform).want(t, 2, "platform_offline: the descriptor can't be had: nobody listens there")
	})
}

// Outside local mode: https, with an authority and a resolver of one's own.
func TestCheck_RunHTTPS(t *testing.T) {
	g := &town{}
	server := httptest.NewTLSServer(g) // its certificate is for *.example.com
	defer server.Close()
	g.open(t, "lagos.example.com")
	authority := write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	resolve := "lagos.example.com=" + strings.TrimPrefix(server.URL, "https://")

	t.Run("OK", func(t *testing.T) {
		g.check(t, "--trust-ca", authority, "--resolve", resolve, g.platform).want(t, 0, "lagos.example.com conforms")
	})
	t.Run("ErrTrustCA", func(t *testing.T) {
		g.check(t, "--trust-ca", "none.pem", g.platform).want(t, 2, "--trust-ca")
	})
	t.Run("ErrResolve", func(t *testing.T) {
		g.check(t, "--resolve", "lagos", g.platform).want(t, 2, "--resolve", "HOST=ADDR:PORT")
	})
}
