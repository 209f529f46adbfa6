package hub_test

import (
	"context"
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
	"pgregory.net/rapid"

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
	logs  *logs
	wrong []func(*hub.Config) // what is otherwise about this hub

	mu      sync.Mutex
	key     sgip.Signer
	hub     *hub.Hub
	db      *storage.DB
	server  *httptest.Server
	stop    context.CancelFunc
	stopped chan struct{}
}

func newNetwork(t *testing.T, wrong ...func(*hub.Config)) *network {
	t.Helper()
	n := &network{t: t, clock: &clock{}, dir: t.TempDir(), key: newSigner("hub"), logs: &logs{}, wrong: wrong}
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
	c := hub.Config{
		PublicURL: n.publicURL(), Mode: local, Signer: n.signer, Client: client,
		Store: store.NewHub(db), Exchange: store.NewExchange(db), InTx: db.InTx,
		Clock: n.clock.now, NewID: newID, Stat: func(id string) bool { return id == "hunger" || id == "mood" },
		Log: slog.New(slog.NewTextHandler(n.logs, nil)),
	}
	for _, change := range n.wrong {
		change(&c)
	}
	h, err := hub.New(c)
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

// signer is the hub's key file.
func (n *network) signer() sgip.Signer {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.key
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
	if r.URL.Path == "/.well-known/sgip-hub.json" {
		file, err := h.KeyFile(r.Context())
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(file)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, sgip.MaxBody+1))
	if err != nil {
		return
	}
	res := h.Inbox().Serve(context.WithoutCancel(r.Context()), requestOf(r, body))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(res.Status)
	_, _ = w.Write(res.Body)
}

// requestOf is a request as an inbox takes it.
func requestOf(r *http.Request, body []byte) exchange.Request {
	return exchange.Request{
		Method: r.Method, Target: r.RequestURI, Signatures: r.Header.Values(sgip.SignatureHeader),
		ContentTypes: r.Header.Values("Content-Type"), ContentEncodings: r.Header.Values("Content-Encoding"),
		ContentLengths: []string{strconv.FormatInt(r.ContentLength, 10)}, TransferEncoding: len(r.TransferEncoding) > 0,
		Body: body, TooLarge: len(body) > sgip.MaxBody, Source: r.RemoteAddr,
	}
}

func result[T any](t rapid.TB, op sgip.Op, r sgip.Reply) T {
	t.Helper()
	var v T
	if err := sgip.DecodeResult(local, op, r, &v); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return v
}

func wantCode(t rapid.TB, r sgip.Reply, code sgip.Code) {
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

func waitUntil(t rapid.TB, what string, holds func() bool) {
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

func contains[T comparable](list []T, v T) bool { return slices.Contains(list, v) }
