package conformance_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/conformance"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

var local = sgip.Mode{Local: true, PlainHTTP: true}

func newID() string { return ulid.Make().String() }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newSigner(name string) sgip.Signer {
	seed := sha256.Sum256([]byte(name))
	signer, err := sgip.NewSigner(seed[:])
	if err != nil {
		panic(err)
	}
	return signer
}

// hubKey is the one key that the game takes for the hub's.
type hubKey struct{ sgip.PublicKey }

func (k hubKey) Key(_ context.Context, id string) (sgip.PublicKey, error) {
	if id != k.ID {
		return sgip.PublicKey{}, sgip.Errorf(sgip.BadSignature, "not the hub's key")
	}
	return k.PublicKey, nil
}

func (hubKey) Admit(context.Context, string, sgip.Envelope) error { return nil }

// game is a right game, or one with a flaw: the flaw answers a request itself,
// or has it served by whom it likes.
type game struct {
	t        *testing.T
	platform string
	hub      sgip.Signer
	inbox    *exchange.Inbox
	flaw     flaw
	descend  func(d *sgip.Descriptor) // what is wrong with the descriptor
}

// flaw handles a request in its own way and is true, or leaves it alone.
type flaw func(g *game, w http.ResponseWriter, r *http.Request, body []byte) bool

func newGame(t *testing.T) *game {
	t.Helper()
	return newGameOn(t, openDatabase(t))
}

// openDatabase is a database that many games may share: they know requests by
// nonces and ids that nobody uses twice.
func openDatabase(t *testing.T) *storage.DB {
	t.Helper()
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "game.db"))
	must(t, err)
	t.Cleanup(func() { db.Close() })
	must(t, store.Migrate(t.Context(), db))
	return db
}

func newGameOn(t *testing.T, db *storage.DB) *game {
	t.Helper()
	g := &game{t: t, hub: newSigner("hub")}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	g.platform = strings.Replace(strings.TrimPrefix(server.URL, "http://"), "127.0.0.1", "lagos.localhost", 1)
	g.inbox = exchange.NewInbox(exchange.InboxConfig{
		Self: g.platform, Mode: local, Store: store.NewExchange(db), Keys: hubKey{g.hub.Public}, Clock: time.Now,
	})
	g.inbox.Handle(sgip.HubPing, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
		return exchange.Answer{Result: sgip.Ping{Time: sgip.FormatTime(time.Now())}}, nil
	})
	for _, op := range []sgip.Op{sgip.PlayerLookup, sgip.MessageSend} {
		g.inbox.Handle(op, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
			return exchange.Answer{}, sgip.Errorf(sgip.NotFound, "no such player")
		})
	}
	return g
}

func (g *game) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, sgip.MaxBody+1))
	if err != nil {
		return
	}
	if g.flaw != nil && g.flaw(g, w, r, body) {
		return
	}
	g.serve(w, r, body)
}

// serve is the right game.
func (g *game) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	switch r.URL.Path {
	case "/.well-known/sgip.json":
		w.Header().Set("Content-Type", "application/json")
		w.Write(g.descriptor())
	case "/sgip/inbox":
		answer := g.inbox.Serve(r.Context(), exchange.Request{
			Method: r.Method, Target: r.RequestURI, Signatures: r.Header.Values(sgip.SignatureHeader),
			ContentTypes: r.Header.Values("Content-Type"), Body: body,
		})
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Status)
		w.Write(answer.Body)
	case "/visit":
		pageHeaders(w)
		fmt.Fprint(w, "<!doctype html><title>Lagos</title>")
	default:
		http.NotFound(w, r)
	}
}

func pageHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

func (g *game) descriptor() []byte {
	d := sgip.Descriptor{
		SGIP: sgip.Version, PlatformID: g.platform, Name: "Lagos",
		Inbox: g.url("/sgip/inbox"), Visit: g.url("/visit?lang=en"),
		PublicKeys: []string{newSigner("lagos").Public.Text}, Capabilities: sgip.RequiredOps(), Currencies: []string{"NGN"},
	}
	if g.descend != nil {
		g.descend(&d)
	}
	body, err := d.Encode()
	if err != nil {
		panic(err)
	}
	return body
}

func (g *game) url(path string) string { return local.Origin(g.platform) + path }

// ok answers as if all were well.
func ok(w http.ResponseWriter, body []byte, result string) {
	var env struct {
		ID string `json:"id"`
	}
	// The first value is enough: some flaws are about what else there is.
	_ = json.NewDecoder(bytes.NewReader(body)).Decode(&env)
	id := `null`
	if env.ID != "" {
		id = `"` + env.ID + `"`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"ok":true,"id":%s,"result":%s}`, id, result)
}

func pong(_ *game, w http.ResponseWriter, body []byte) {
	ok(w, body, `{"time":"`+sgip.FormatTime(time.Now())+`"}`)
}

// travellerName stands in the passport alone.
const travellerName = "Ada of the query"

func (g *game) suite(t *testing.T) conformance.Suite {
	t.Helper()
	client, err := outbound.New(outbound.Options{Mode: local, Clock: time.Now})
	must(t, err)
	t.Cleanup(client.Close)
	return conformance.Suite{
		Mode: local, Client: client, Hub: g.hub, Clock: time.Now, NewID: newID,
		Passport: func(host string) (string, string, error) {
			now := time.Now().Unix()
			token, err := sgip.SignPassport(g.hub, sgip.Passport{
				Issuer: sgip.HubID, Subject: "ada", Home: "berlin.localhost", Host: host, Issued: now, Expires: now + 60,
				ID: newID(), VisitID: newID(), Scope: []string{sgip.ScopeVisit}, Name: travellerName,
			})
			return token, travellerName, err
		},
	}
}

func (g *game) check(t *testing.T) sgip.CheckReport {
	t.Helper()
	s := g.suite(t)
	served, err := s.Fetch(t.Context(), g.platform)
	must(t, err)
	report, err := s.Run(t.Context(), g.platform, served)
	must(t, err)
	return report
}
