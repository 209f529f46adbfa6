package hub_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// patience is how long something that must come true is waited for; only a hang
// reaches it.
const patience = 30 * time.Second

func newID() string { return ulid.Make().String() }

// clock is the real one, moved on by hand.
type clock struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
}

// set moves the clock to a time, from which it runs on.
func (c *clock) set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = time.Until(to)
}

// network is a hub on a real database behind a real HTTP server, with games
// that are small servers of their own.
type network struct {
	t     *testing.T
	clock *clock
	dir   string
	key   sgip.Signer

	mu      sync.Mutex
	hub     *hub.Hub
	db      *storage.DB
	server  *httptest.Server
	stop    context.CancelFunc
	stopped chan struct{}
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{t: t, clock: &clock{}, dir: t.TempDir(), key: newSigner("hub")}
	n.server = httptest.NewServer(http.HandlerFunc(n.serve))
	t.Cleanup(n.server.Close)
	n.start()
	t.Cleanup(n.crash)
	return n
}

func newSigner(name string) sgip.Signer {
	seed := sha256.Sum256([]byte(name))
	signer, err := sgip.NewSigner(seed[:])
	if err != nil {
		panic(err)
	}
	return signer
}

var local = sgip.Mode{Local: true, PlainHTTP: true}

// start opens the database and runs a new hub on it.
func (n *network) start() {
	n.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	db, err := storage.Open(ctx, filepath.Join(n.dir, "hub.db"))
	must(n.t, err)
	must(n.t, store.Migrate(ctx, db))
	client, err := outbound.New(outbound.Options{Mode: local, Clock: n.clock.now})
	must(n.t, err)
	h, err := hub.New(hub.Config{
		PublicURL: n.publicURL(), Mode: local, Signer: func() sgip.Signer { return n.key }, Client: client,
		Store: store.NewHub(db), Exchange: store.NewExchange(db), InTx: db.InTx,
		Clock: n.clock.now, NewID: newID, Stat: func(id string) bool { return id == "hunger" || id == "mood" },
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	must(n.t, err)
	_, err = h.KeyFile(ctx)
	must(n.t, err)
	stopped := make(chan struct{})
	n.mu.Lock()
	n.hub, n.db, n.stop, n.stopped = h, db, cancel, stopped
	n.mu.Unlock()
	go func() {
		defer close(stopped)
		defer client.Close()
		err := h.Run(ctx)
		if now, _ := n.running(); err != nil && now == h {
			n.t.Errorf("hub ended: %v", err)
		}
	}()
}

// publicURL is the server's by the name that local mode gives it.
func (n *network) publicURL() string {
	return strings.Replace(n.server.URL, "127.0.0.1", "hub.localhost", 1)
}

// crash takes the database away from the running hub, whatever it is doing, and
// forgets all that it knew.
func (n *network) crash() {
	n.mu.Lock()
	db, stop, stopped := n.db, n.stop, n.stopped
	n.hub, n.db = nil, nil
	n.mu.Unlock()
	if db == nil {
		return
	}
	_ = db.Close()
	stop()
	<-stopped
}

func (n *network) running() (*hub.Hub, *storage.DB) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hub, n.db
}

// query reads one number from the hub's database.
func (n *network) query(text string, args ...any) int64 {
	n.t.Helper()
	_, db := n.running()
	var v int64
	must(n.t, db.Conn(n.t.Context()).Raw(text, args...).Scan(&v).Error)
	return v
}

func (n *network) serve(w http.ResponseWriter, r *http.Request) {
	h, _ := n.running()
	if h == nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, sgip.MaxBody+1))
	if err != nil {
		return
	}
	res := h.Inbox().Serve(context.WithoutCancel(r.Context()), exchange.Request{
		Method: r.Method, Target: r.RequestURI, Signatures: r.Header.Values(sgip.SignatureHeader),
		ContentTypes: r.Header.Values("Content-Type"), ContentEncodings: r.Header.Values("Content-Encoding"),
		ContentLengths: []string{strconv.FormatInt(r.ContentLength, 10)}, TransferEncoding: len(r.TransferEncoding) > 0,
		Body: body, TooLarge: len(body) > sgip.MaxBody, Source: r.RemoteAddr,
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(res.Status)
	_, _ = w.Write(res.Body)
}

// game is a platform made of a small HTTP server. Its inbox answers by op.
type game struct {
	n      *network
	id     string
	signer sgip.Signer
	server *httptest.Server

	mu         sync.Mutex
	descriptor sgip.Descriptor
	raw        http.HandlerFunc // serves the descriptor instead, if set
	fetches    int
	answers    map[sgip.Op]answer
	inbox      []received
}

// answer decides what a game's inbox replies.
type answer func(env sgip.Envelope) (result any, err error)

// received is an envelope that a game's inbox took, with its exact bytes.
type received struct {
	sgip.Envelope
	body   []byte
	header http.Header
}

func (n *network) game(name string) *game {
	n.t.Helper()
	g := &game{n: n, signer: newSigner(name), answers: map[sgip.Op]answer{}}
	g.server = httptest.NewServer(http.HandlerFunc(g.serve))
	n.t.Cleanup(g.server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(g.server.URL, "http://"), ":")
	g.id = name + ".localhost:" + port
	g.descriptor = sgip.Descriptor{
		SGIP: "0.1", PlatformID: g.id, Name: name, Inbox: g.url("/sgip/inbox"), Visit: g.url("/visit"),
		PublicKeys: []string{g.signer.Public.Text}, Capabilities: append(sgip.RequiredOps(), sgip.VisitEnd), Currencies: []string{},
	}
	return g
}

func (g *game) url(path string) string { return "http://" + g.id + path }

// lagos lets its players spend naira abroad.
func (n *network) lagos() *game {
	g := n.game("lagos")
	g.descriptor.Currencies = []string{"NGN"}
	g.descriptor.Capabilities = append(g.descriptor.Capabilities, sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit)
	g.descriptor.Money = &sgip.MoneyOps{SpendingAbroad: &sgip.SpendingAbroad{DailyLimits: []sgip.Money{ngn(20_000_000)}}}
	has := func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(50_000_000)}, nil }
	g.answers[sgip.WalletRead], g.answers[sgip.WalletDebit], g.answers[sgip.WalletCredit] = has, has, has
	return g
}

// berlin takes the money of Lagos: 500,000 kobo buy 1,000 cents.
func (n *network) berlin(home *game) *game {
	g := n.game("berlin")
	g.descriptor.Currencies = []string{"EUR", "USD"}
	g.descriptor.Money = &sgip.MoneyOps{Accepts: []sgip.Accepts{accepts(home, 500_000, 1_000, 200_000)}}
	return g
}

func accepts(home *game, give, get, inflow int64) sgip.Accepts {
	return sgip.Accepts{From: home.id, Give: ngn(give), Get: eur(get), DailyInflowLimit: eur(inflow)}
}

func ngn(amount int64) sgip.Money { return sgip.Money{Amount: amount, Currency: "NGN"} }
func eur(amount int64) sgip.Money { return sgip.Money{Amount: amount, Currency: "EUR"} }

func (g *game) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/sgip.json" {
		g.mu.Lock()
		g.fetches++
		raw, d := g.raw, g.descriptor
		g.mu.Unlock()
		if raw != nil {
			raw(w, r)
			return
		}
		body, _ := d.Encode()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
		return
	}
	body, _ := io.ReadAll(r.Body)
	env, err := sgip.ParseEnvelope(local, body)
	if err != nil {
		g.n.t.Errorf("%s got what isn't an envelope: %v", g.id, err)
		return
	}
	g.mu.Lock()
	g.inbox = append(g.inbox, received{Envelope: env, body: body, header: r.Header.Clone()})
	reply := g.answers[env.Op]
	g.mu.Unlock()
	if reply == nil {
		reply = func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(sgip.OpUnsupported, "no %s here", env.Op) }
	}
	result, err := reply(env)
	if raw, ok := result.(rawAnswer); ok {
		raw(w, r)
		return
	}
	out := sgip.ErrorReply(env.ID, err)
	if err == nil {
		out, err = sgip.OKReply(env.ID, result)
		must(g.n.t, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(out.Status())
	_, _ = w.Write(out.Encode())
}

// rawAnswer answers by hand, with no reply of section 5.
type rawAnswer func(w http.ResponseWriter, r *http.Request)

// hangUp closes the connection without an answer.
func hangUp(sgip.Envelope) (any, error) {
	return rawAnswer(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), nil
}

func refuses(code sgip.Code) answer {
	return func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(code, "says %s", code) }
}

func (g *game) on(op sgip.Op, a answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers[op] = a
}

// change edits the descriptor and says hello again, after the last fetch is too
// old to be used once more.
func (g *game) change(edit func(d *sgip.Descriptor)) {
	g.n.t.Helper()
	g.mu.Lock()
	edit(&g.descriptor)
	g.mu.Unlock()
	g.n.clock.advance(6 * time.Second)
	wantCode(g.n.t, g.send(sgip.HubHello, hubAddress, struct{}{}), "")
}

// got lists the envelopes of an op that the game's inbox took.
func (g *game) got(op sgip.Op) []received {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []received
	for _, in := range g.inbox {
		if in.Op == op {
			list = append(list, in)
		}
	}
	return list
}

func (g *game) fetched() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fetches
}

var hubAddress = sgip.Address{Platform: sgip.HubID}

func (g *game) player(handle string) sgip.Address {
	return sgip.Address{Platform: g.id, Player: sgip.PlayerID(handle, g.id)}
}

// envelope builds one from the game itself.
func (g *game) envelope(op sgip.Op, to sgip.Address, payload any) sgip.Envelope {
	env, err := sgip.NewEnvelope(newID(), op, sgip.Address{Platform: g.id}, to, payload)
	must(g.n.t, err)
	return env
}

// send sends a fresh envelope from the game itself.
func (g *game) send(op sgip.Op, to sgip.Address, payload any) sgip.Reply {
	g.n.t.Helper()
	return g.post(g.envelope(op, to, payload))
}

func (g *game) hello() sgip.Reply {
	g.n.t.Helper()
	return g.send(sgip.HubHello, hubAddress, struct{}{})
}

// post signs an envelope with the game's key and sends it to the hub.
func (g *game) post(env sgip.Envelope) sgip.Reply {
	g.n.t.Helper()
	return g.postAs(g.signer, env)
}

func (g *game) postAs(signer sgip.Signer, env sgip.Envelope) sgip.Reply {
	g.n.t.Helper()
	body, err := env.Encode()
	must(g.n.t, err)
	return g.postBytes(signer, env.ID, body)
}

func (g *game) postBytes(signer sgip.Signer, id string, body []byte) sgip.Reply {
	g.n.t.Helper()
	req, err := http.NewRequest(http.MethodPost, g.n.server.URL+hub.OpsPath, bytes.NewReader(body))
	must(g.n.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sgip.SignatureHeader, signer.Sign(http.MethodPost, hub.OpsPath, g.n.clock.now(), newID(), body))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return sgip.ErrorReply(id, sgip.Wrap(sgip.PlatformOffline, err, "no hub"))
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	must(g.n.t, err)
	reply, err := sgip.ParseReply(answer, id, sgip.MaxHubReply)
	if err != nil {
		return sgip.ErrorReply(id, sgip.Wrap(sgip.PlatformOffline, err, "no answer: "+strconv.Itoa(res.StatusCode)))
	}
	return reply
}

// visit asks for a visit of a player of g to host, with an optional budget.
func (g *game) visit(handle string, host *game, budget *sgip.Money) sgip.VisitRequestResult {
	g.n.t.Helper()
	p := sgip.VisitRequestPayload{Host: host.id, Budget: budget}
	if budget != nil {
		p.Scope = []string{sgip.ScopePay}
	}
	return result[sgip.VisitRequestResult](g.n.t, sgip.VisitRequest, g.post(g.visitEnvelope(handle, p)))
}

func (g *game) visitEnvelope(handle string, p sgip.VisitRequestPayload) sgip.Envelope {
	env := g.envelope(sgip.VisitRequest, hubAddress, p)
	env.From = g.player(handle)
	return env
}

func (g *game) charge(visitID string, amount sgip.Money) sgip.Reply {
	g.n.t.Helper()
	return g.post(g.chargeEnvelope(visitID, amount))
}

func (g *game) chargeEnvelope(visitID string, amount sgip.Money) sgip.Envelope {
	return g.envelope(sgip.WalletCharge, hubAddress, sgip.ChargePayload{VisitID: visitID, Amount: amount, Description: "Currywurst"})
}

// pair registers Lagos and Berlin.
func (n *network) pair() (lagos, berlin *game) {
	n.t.Helper()
	lagos = n.lagos()
	berlin = n.berlin(lagos)
	for _, g := range []*game{lagos, berlin} {
		wantCode(n.t, g.hello(), "")
	}
	return lagos, berlin
}

func result[T any](t *testing.T, op sgip.Op, r sgip.Reply) T {
	t.Helper()
	var v T
	if err := sgip.DecodeResult(local, op, r, &v); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return v
}

func wantCode(t *testing.T, r sgip.Reply, code sgip.Code) {
	t.Helper()
	switch {
	case r.OK && code == "":
	case r.OK:
		t.Fatalf("ok with %s, want %s", r.Result, code)
	case r.Error.Code != code:
		t.Fatalf("%s, want %q", r.Error, code)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("never came true: %s", what)
		case <-tick.C:
		}
	}
}

func payloadOf[T any](t *testing.T, in received) T {
	t.Helper()
	var v T
	must(t, json.Unmarshal(in.Payload, &v))
	return v
}

// verified checks that the hub's key signed what a game took.
func verified(t *testing.T, key sgip.Signer, in received) {
	t.Helper()
	sig, err := sgip.ParseSignature(in.header.Values(sgip.SignatureHeader))
	must(t, err)
	must(t, sig.Verify(key.Public, http.MethodPost, "/sgip/inbox", in.body))
}

func randomAmount(most int64) int64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	n := int64(0)
	for _, x := range b[:7] {
		n = n<<8 | int64(x)
	}
	return 1 + n%most
}

func contains[T comparable](list []T, v T) bool { return slices.Contains(list, v) }
