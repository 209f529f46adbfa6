package platform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

var local = sgip.Mode{Local: true, PlainHTTP: true}

// network is a hub that does what a test says, over real HTTP, and one game, Lagos.
type network struct {
	t       testing.TB
	hub     *fakeHub
	seat    *platform.Seat
	town    *town
	store   *store.Platform
	db      *storage.DB
	id      string // of Lagos
	at      string // its inbox's address
	inbox   http.Handler
	mu      sync.Mutex
	now     time.Time
	signers []sgip.Signer
	known   []string // key ids that the hub has told
}

func (n *network) clock() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

func (n *network) pass(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = n.now.Add(d)
}

func (n *network) keys() []sgip.Signer {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.signers
}

// hear is told which keys the hub knows.
func (n *network) hear(keyIDs []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known = keyIDs
}

func (n *network) heard() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known
}

// newNetwork starts both. The game's Run is the test's to start.
func newNetwork(t testing.TB) *network {
	t.Helper()
	n := &network{t: t, now: time.Now().Truncate(time.Second), signers: []sgip.Signer{signer(t, 7)}}
	n.hub = newFakeHub(t, n)
	n.db = openDB(t, "lagos")
	n.store = store.NewPlatform(n.db)
	n.town = newTown(t, n.db)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.handler().ServeHTTP(w, r) }))
	n.id = "lagos.localhost:" + port(server)
	n.at = server.URL + "/sgip/inbox"
	n.restart()
	return n
}

// restart builds the seat anew on the database as it is, as a new process does.
func (n *network) restart() {
	t := n.t
	t.Helper()
	client, err := outbound.New(outbound.Options{Mode: local, Clock: n.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	seat, err := platform.New(platform.Config{
		ID: n.id, HubURL: n.hub.url, Mode: local,
		Template: sgip.Descriptor{
			Name: "Lagos", Inbox: "http://" + n.id + "/sgip/inbox", Visit: "http://" + n.id + "/visit",
			Currencies: []string{"NGN", "lagos:cowrie"},
			Money: &sgip.MoneyOps{SpendingAbroad: &sgip.SpendingAbroad{
				DailyLimits: []sgip.Money{{Amount: 20000000, Currency: "NGN"}}}},
		},
		Signers: n.keys, Registered: n.hear, Client: client, Store: n.store,
		Exchange: store.NewExchange(n.db), InTx: n.db.InTx, Clock: n.clock,
		NewID: func() string { return ulid.Make().String() },
		Log:   slog.New(slog.DiscardHandler), Software: "lagos/1",
	}, n.town)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/sgip/inbox", inboxHandler(seat.Inbox()))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seat, n.inbox = seat, mux
}

// handler is the inbox of the seat that runs now.
func (n *network) handler() http.Handler {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inbox
}

// run starts the game's own work and waits until it is registered.
func (n *network) run() {
	n.t.Helper()
	n.start()
	eventually(n.t, "registered", n.seat.Registered)
}

func (n *network) start() {
	n.t.Helper()
	ctx, stop := context.WithCancel(n.t.Context())
	done := make(chan error, 1)
	go func() { done <- n.seat.Run(ctx) }()
	n.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			n.t.Errorf("run: %v", err)
		}
	})
}

// deliver sends an operation to Lagos as the hub does, for whoever it is from.
func (n *network) deliver(op sgip.Op, from, to sgip.Address, payload any) sgip.Reply {
	n.t.Helper()
	return n.deliverAs(ulid.Make().String(), op, from, to, payload)
}

func (n *network) deliverAs(id string, op sgip.Op, from, to sgip.Address, payload any) sgip.Reply {
	env, err := sgip.NewEnvelope(id, op, from, to, payload)
	if err != nil {
		n.t.Error(err)
		return sgip.Reply{}
	}
	body, err := env.Encode()
	if err != nil {
		n.t.Error(err)
		return sgip.Reply{}
	}
	return post(n.t, n.hub.signer(), n.at, n.clock(), id, body)
}

func (n *network) player(handle string) string { return sgip.PlayerID(handle, n.id) }

// toPlayer addresses one of Lagos' players.
func (n *network) toPlayer(handle string) sgip.Address {
	return sgip.Address{Platform: n.id, Player: n.player(handle)}
}

func post(t testing.TB, s sgip.Signer, at string, now time.Time, id string, body []byte) sgip.Reply {
	request, err := http.NewRequest(http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return sgip.Reply{}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(sgip.SignatureHeader, s.Sign("POST", request.URL.EscapedPath(), now, ulid.Make().String(), body))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return sgip.Reply{}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	reply, err := sgip.ParseReply(text, id, sgip.MaxBody)
	if err != nil {
		t.Errorf("reply %q: %v", text, err)
	}
	return reply
}

// fakeHub answers each op by a function of the test's.
type fakeHub struct {
	url  string
	port string
	n    *network

	mu      sync.Mutex
	key     sgip.Signer
	expires time.Time
	away    bool
	answers map[sgip.Op]func(sgip.Envelope) (any, error)
	seen    []sgip.Envelope

	turnedAway atomic.Int32 // requests while away
}

func newFakeHub(t testing.TB, n *network) *fakeHub {
	t.Helper()
	h := &fakeHub{n: n, key: signer(t, 1), expires: n.now.Add(30 * 24 * time.Hour)}
	h.answers = map[sgip.Op]func(sgip.Envelope) (any, error){sgip.HubHello: h.hello, sgip.VisitRequest: h.visit}
	inbox := exchange.NewInbox(exchange.InboxConfig{
		Self: sgip.HubID, Mode: local, Store: store.NewExchange(openDB(t, "hub")), Keys: h,
		Route: h.handle, Clock: n.clock, Log: slog.New(slog.DiscardHandler),
	})
	for _, op := range []sgip.Op{sgip.HubHello, sgip.PlatformDirectory, sgip.VisitRequest, sgip.WalletBalance, sgip.WalletCharge, sgip.WalletRefund} {
		inbox.Handle(op, h.handle)
	}
	mux := http.NewServeMux()
	mux.Handle("/ops", h.unlessAway(inboxHandler(inbox)))
	mux.Handle("/.well-known/sgip-hub.json", h.unlessAway(http.HandlerFunc(h.keyFile)))
	server := serve(t, mux)
	h.port = port(server)
	h.url = "http://hub.localhost:" + h.port
	return h
}

func (h *fakeHub) unlessAway(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		away := h.away
		h.mu.Unlock()
		if away {
			h.turnedAway.Add(1)
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h *fakeHub) keyFile(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(sgip.HubKey{
		SGIP: sgip.Version, PublicKey: h.key.Public.Text, KeyID: h.key.Public.ID,
		ExpiresAt: h.expires.UTC().Format(time.RFC3339), Ops: h.url + "/ops",
	})
}

// Key knows the keys of Lagos alone.
func (h *fakeHub) Key(_ context.Context, keyID string) (sgip.PublicKey, error) {
	for _, s := range h.n.keys() {
		if s.Public.ID == keyID {
			return s.Public, nil
		}
	}
	return sgip.PublicKey{}, sgip.Errorf(sgip.BadSignature, "unknown key")
}

func (h *fakeHub) Admit(context.Context, string, sgip.Envelope) error { return nil }

func (h *fakeHub) handle(_ context.Context, in exchange.Incoming) (exchange.Answer, error) {
	h.mu.Lock()
	h.seen = append(h.seen, in.Envelope)
	answer := h.answers[in.Op]
	h.mu.Unlock()
	if answer == nil {
		return exchange.Answer{}, sgip.Errorf(sgip.OpUnsupported, "not in this test")
	}
	result, err := answer(in.Envelope)
	// A refund's answer may be another one the next time (contract 4).
	return exchange.Answer{Result: result, Unkept: in.Op == sgip.WalletRefund || result == heldByHub}, err
}

func (h *fakeHub) answer(op sgip.Op, f func(sgip.Envelope) (any, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[op] = f
}

func (h *fakeHub) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
}

func (h *fakeHub) signer() sgip.Signer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.key
}

// got lists the envelopes of op that have come, each attempt of its own.
func (h *fakeHub) got(op sgip.Op) []sgip.Envelope {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []sgip.Envelope
	for _, e := range h.seen {
		if e.Op == op {
			all = append(all, e)
		}
	}
	return all
}

func (h *fakeHub) hello(e sgip.Envelope) (any, error) {
	return sgip.HelloResult{
		PlatformID: e.From.Platform, KeyIDs: []string{h.n.keys()[0].Public.ID},
		RegisteredAt: h.n.clock().UTC().Format(time.RFC3339),
	}, nil
}

// visit issues passports for a visit in Berlin.
func (h *fakeHub) visit(e sgip.Envelope) (any, error) {
	var p sgip.VisitRequestPayload
	if err := e.Decode(local, &p); err != nil {
		return nil, err
	}
	handle, _, _ := strings.Cut(e.From.Player, "@")
	if p.VisitID == "" {
		p.VisitID = ulid.Make().String()
	}
	now := h.n.clock()
	token, err := sgip.SignPassport(h.signer(), sgip.Passport{
		Issuer: sgip.HubID, Subject: handle, Home: e.From.Platform, Host: p.Host,
		Issued: now.Unix(), Expires: now.Add(sgip.PassportLife).Unix(),
		ID: ulid.Make().String(), VisitID: p.VisitID, Scope: []string{sgip.ScopeVisit},
	})
	origin := "http://" + p.Host
	return sgip.VisitRequestResult{
		VisitID: p.VisitID, Passport: token, ExpiresAt: now.Add(sgip.PassportLife).Unix(),
		LaunchURL:  origin + "/visit?home=" + e.From.Platform + "&visit=" + p.VisitID,
		HostOrigin: origin, Embed: sgip.Embed{Allowed: true},
	}, err
}

func openDB(t testing.TB, name string) *storage.DB {
	t.Helper()
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), name+".db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return db
}

func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func port(s *httptest.Server) string {
	_, p, _ := net.SplitHostPort(s.Listener.Addr().String())
	return p
}

func signer(t testing.TB, seed byte) sgip.Signer {
	t.Helper()
	s, err := sgip.NewSigner([]byte{seed, 31: 9})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute) // far more than it takes on a busy machine
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func wantCode(t testing.TB, err error, code sgip.Code) {
	t.Helper()
	if got := sgip.CodeOf(err); got != code {
		t.Fatalf("code %q (%v), want %q", got, err, code)
	}
}

// refused is a reply's code, "" for ok.
func refused(r sgip.Reply) sgip.Code {
	if r.OK {
		return ""
	}
	return r.Error.Code
}

// heldByHub is the result of what the hub holds for an offline game.
var heldByHub = struct {
	Queued bool `json:"queued"`
}{true}
