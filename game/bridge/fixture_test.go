package bridge_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	starter "sgip.example/starter"
	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	gamestore "sgip.example/starter/game/store"
	"sgip.example/starter/game/worlds"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
	"sgip.example/starter/sgip/visit"
)

const (
	berlinID = "berlin.localhost:8082"
	lagosID  = "lagos.localhost:8081"
	tunde    = game.PersonID("tunde@" + lagosID)
)

var local = sgip.Mode{Local: true, PlainHTTP: true}

func newID() string { return ulid.Make().String() }

// berlin is the town with its bridge and its seat, on a real database; the hub
// does what a test says.
type berlin struct {
	t    *testing.T
	db   *storage.DB
	hub  *fakeHub
	town *game.Town
	link *bridge.Bridge
	seat *platform.Seat
	stop func()

	mu    sync.Mutex
	ahead time.Duration
}

func newBerlin(t *testing.T) *berlin {
	t.Helper()
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "berlin.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if err := gamestore.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	b := &berlin{t: t, db: db, hub: newFakeHub(t), stop: func() {}}
	t.Cleanup(func() { b.stop() })
	b.build()
	if err := b.town.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// clock is real time, moved on by pass.
func (b *berlin) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.ahead)
}

func (b *berlin) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ahead += d
}

// build wires the town anew on the database as it is, as a new process does.
func (b *berlin) build() {
	t := b.t
	t.Helper()
	folder, err := worlds.Load("berlin")
	if err != nil {
		t.Fatal(err)
	}
	for i := range folder.World.Places { // open at all hours, so that no test waits for a door
		folder.World.Places[i].Hours = nil
	}
	at := bridge.Place{ID: berlinID, Origin: "http://" + berlinID, Mode: local, Peers: map[string]string{"lagos": lagosID}}
	template, _, err := bridge.Template(starter.DescriptorTemplate(), folder.World, folder.Network, at)
	if err != nil {
		t.Fatal(err)
	}
	client, err := outbound.New(outbound.Options{Mode: local, Clock: b.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	signer, err := sgip.NewSigner([]byte{2, 31: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.town = game.New(folder.World, gamestore.New(b.db), b.db.InTx, b.clock, newID, rand.Reader)
	b.link = bridge.New(bridge.Config{Town: b.town, InTx: b.db.InTx, NewID: newID, Descriptor: template})
	b.seat, err = platform.New(platform.Config{
		ID: berlinID, HubURL: b.hub.url, Mode: local, Template: template,
		Signers: func() []sgip.Signer { return []sgip.Signer{signer} }, Client: client,
		Store: store.NewPlatform(b.db), Exchange: store.NewExchange(b.db), InTx: b.db.InTx,
		Clock: b.clock, NewID: newID, Log: slog.New(slog.DiscardHandler),
	}, b.link)
	if err != nil {
		t.Fatal(err)
	}
	b.link.Connect(b.seat, nil)
}

// run sends what is to be sent, until the test ends or stop is called.
func (b *berlin) run() {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	seat := b.seat
	go func() { done <- seat.Run(ctx) }()
	b.stop = func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Error(err)
		}
		b.stop = func() {}
	}
}

// guest is Tunde on a visit with a budget that Berlin takes, unless changed.
func (b *berlin) guest(change ...func(*visit.Guest)) visit.Guest {
	b.t.Helper()
	g := visit.Guest{VisitID: newID(), ID: string(tunde), Handle: "tunde", Home: lagosID, Name: "Tunde",
		Stats: map[string]int{"hunger": 50, "fun": 40}, Budget: &sgip.Money{Amount: 1_000_000, Currency: "NGN"}}
	for _, c := range change {
		c(&g)
	}
	if err := b.db.InTx(b.t.Context(), func(ctx context.Context) error { return b.link.Arrive(ctx, g) }); err != nil {
		b.t.Fatal(err)
	}
	return g
}

func (b *berlin) walk(to string) {
	b.t.Helper()
	out, err := b.town.Go(b.t.Context(), tunde, to, "walk")
	if err != nil {
		b.t.Fatal(err)
	}
	b.pass(out.Until.Sub(b.clock()) + time.Millisecond)
}

func (b *berlin) depart(g visit.Guest) {
	b.t.Helper()
	if err := b.db.InTx(b.t.Context(), func(ctx context.Context) error {
		_, err := b.link.Depart(ctx, g, sgip.EndLeft)
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *berlin) sale(id string) game.Sale {
	b.t.Helper()
	s, err := b.town.Sale(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *berlin) query(text string) (n int64) {
	b.t.Helper()
	if err := b.db.Conn(b.t.Context()).Raw(text).Scan(&n).Error; err != nil {
		b.t.Fatal(err)
	}
	return n
}

func (b *berlin) exec(text string) {
	b.t.Helper()
	if err := b.db.InTx(b.t.Context(), func(ctx context.Context) error { return b.db.Tx(ctx).Exec(text).Error }); err != nil {
		b.t.Fatal(err)
	}
}

// eventually waits until something holds, while the town's clock goes on.
func (b *berlin) eventually(what string, holds func() bool) {
	b.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			b.t.Fatalf("never %s", what)
		}
		b.pass(time.Second)
		time.Sleep(5 * time.Millisecond)
	}
}

// fakeHub answers by what a test says. It doesn't look at signatures: what is
// tested is what the town makes of its answers.
type fakeHub struct {
	url string
	key sgip.Signer

	mu     sync.Mutex
	answer func(e sgip.Envelope, nth int) (any, error) // nil: the answer is lost
	seen   []string                                    // bodies
}

func newFakeHub(t *testing.T) *fakeHub {
	t.Helper()
	h := &fakeHub{}
	var err error
	if h.key, err = sgip.NewSigner([]byte{1, 31: 1}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	h.url = "http://hub.localhost:" + port
	mux.HandleFunc("/.well-known/sgip-hub.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(sgip.HubKey{SGIP: sgip.Version, PublicKey: h.key.Public.Text, KeyID: h.key.Public.ID,
			ExpiresAt: time.Now().Add(30 * 24 * time.Hour).UTC().Format(time.RFC3339), Ops: h.url + "/ops"})
	})
	mux.HandleFunc("/ops", h.ops)
	return h
}

func (h *fakeHub) ops(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var e sgip.Envelope
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply, ok := h.decide(e, string(body))
	if !ok {
		http.Error(w, "gone", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status())
	_, _ = w.Write(reply.Encode())
}

func (h *fakeHub) decide(e sgip.Envelope, body string) (sgip.Reply, bool) {
	if e.Op == sgip.HubHello {
		return okReply(e.ID, sgip.HelloResult{PlatformID: e.From.Platform, KeyIDs: []string{"0"}, RegisteredAt: "2026-01-01T00:00:00Z"}), true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, body)
	nth := 0
	for _, b := range h.seen {
		if b == body {
			nth++
		}
	}
	if h.answer == nil {
		return sgip.Reply{}, false
	}
	result, err := h.answer(e, nth)
	switch {
	case err != nil:
		return sgip.ErrorReply(e.ID, err), true
	case result == nil:
		return sgip.Reply{}, false
	}
	return okReply(e.ID, result), true
}

func okReply(id string, result any) sgip.Reply {
	r, err := sgip.OKReply(id, result)
	if err != nil {
		return sgip.ErrorReply(id, err)
	}
	return r
}

// answers sets what the hub says from now on; nil loses every answer.
func (h *fakeHub) answers(f func(e sgip.Envelope, nth int) (any, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = f
}

// asked are the envelopes of op that came, each once, and how often they came.
func (h *fakeHub) asked(op sgip.Op) (all []sgip.Envelope, times int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := map[string]bool{}
	for _, body := range h.seen {
		var e sgip.Envelope
		if json.Unmarshal([]byte(body), &e) != nil || e.Op != op {
			continue
		}
		times++
		if !known[body] {
			known[body] = true
			all = append(all, e)
		}
	}
	return all, times
}

// settle confirms every charge and every refund.
func settle(e sgip.Envelope, _ int) (any, error) {
	switch e.Op {
	case sgip.WalletCharge:
		var p sgip.ChargePayload
		err := e.Decode(local, &p)
		return sgip.ChargeResult{ChargeID: e.ID, Amount: p.Amount, Debit: sgip.Money{Amount: p.Amount.Amount * 500, Currency: "NGN"}}, err
	case sgip.WalletRefund:
		return refundOf(e, false)
	}
	return nil, sgip.Errorf(sgip.OpUnsupported, "not in this test")
}

func refundOf(e sgip.Envelope, pending bool) (any, error) {
	var p sgip.RefundPayload
	err := e.Decode(local, &p)
	return sgip.RefundResult{RefundID: e.ID, ChargeID: p.ChargeID, Amount: sgip.Money{Amount: 1, Currency: "EUR"},
		Credit: sgip.Money{Amount: 500, Currency: "NGN"}, Remaining: sgip.Money{Currency: "EUR"}, Pending: pending}, err
}

// deliver brings an operation to the town's inbox, signed by the hub.
func (b *berlin) deliver(op sgip.Op, player string, payload any) sgip.Reply {
	b.t.Helper()
	id := newID()
	env, err := sgip.NewEnvelope(id, op, sgip.Address{Platform: sgip.HubID}, sgip.Address{Platform: berlinID, Player: player}, payload)
	if err != nil {
		b.t.Fatal(err)
	}
	body, err := env.Encode()
	if err != nil {
		b.t.Fatal(err)
	}
	answer := b.seat.Inbox().Serve(b.t.Context(), exchange.Request{
		Method: http.MethodPost, Target: "/sgip/inbox", Body: body, ContentTypes: []string{"application/json"},
		Signatures: []string{b.hub.key.Sign(http.MethodPost, "/sgip/inbox", b.clock(), newID(), body)},
	})
	reply, err := sgip.ParseReply(answer.Body, id, sgip.MaxBody)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply
}
