package exchange_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// post is one request that reached the other side.
type post struct {
	id        string
	body      string
	signature sgip.Signature
	header    http.Header
}

// peer is the other side: a real server on loopback that answers as told.
type peer struct {
	t      testing.TB
	server *httptest.Server

	mu     sync.Mutex
	answer func(p post, n int) (status int, contentType, body string)
	posts  []post
}

func newPeer(t testing.TB, answer func(p post, n int) (int, string, string)) *peer {
	t.Helper()
	p := &peer{t: t, answer: answer}
	p.server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.server.Close)
	return p
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	got := post{body: string(body), header: r.Header}
	if got.signature, err = sgip.ParseSignature(r.Header.Values(sgip.SignatureHeader)); err != nil {
		p.t.Error(err)
	} else if err := got.signature.Verify(signer(p.t, 3).Public, r.Method, r.RequestURI, body); err != nil {
		p.t.Error(err)
	}
	var env struct{ ID string }
	if err := json.Unmarshal(body, &env); err != nil {
		p.t.Error(err)
	}
	got.id = env.ID
	p.mu.Lock()
	p.posts = append(p.posts, got)
	answer, n := p.answer, len(p.posts)
	p.mu.Unlock()
	status, contentType, text := answer(got, n)
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

func (p *peer) seen() []post {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.posts)
}

// Endpoint makes the peer whoever is called.
func (p *peer) Endpoint(context.Context, string) (string, error) {
	port := p.server.Listener.Addr().(*net.TCPAddr).Port
	return fmt.Sprintf("http://berlin.localhost:%d/sgip%%2Finbox", port), nil
}

const jsonType = "application/json; charset=utf-8"

func okReply(id string) string { return `{"ok":true,"id":"` + id + `","result":{"delivered":true}}` }

func errorReply(id string, code sgip.Code, more string) string {
	return `{"ok":false,"id":"` + id + `","error":{"code":"` + string(code) + `","message":"no","retryable":` +
		strconv.FormatBool(code.Transient()) + more + `}}`
}

func fine(p post, _ int) (int, string, string) { return 200, jsonType, okReply(p.id) }

// post office is an outbox over a database of its own.
type office struct {
	*exchange.Outbox
	t     testing.TB
	db    *storage.DB
	store *store.Exchange
	log   *lockedBuffer

	mu    sync.Mutex
	ahead time.Duration
}

// clock is real time, moved on by pass.
func (o *office) clock() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Now().Add(o.ahead)
}

// pass moves the clock on and makes the worker look.
func (o *office) pass(by time.Duration) {
	o.mu.Lock()
	o.ahead += by
	o.mu.Unlock()
	o.Wake("nobody.example")
}

func newOffice(t testing.TB, p exchange.Peer, change ...func(*exchange.OutboxConfig)) *office {
	t.Helper()
	return officeAt(t, filepath.Join(t.TempDir(), "office.db"), p, change...)
}

func officeAt(t testing.TB, file string, p exchange.Peer, change ...func(*exchange.OutboxConfig)) *office {
	t.Helper()
	client, err := outbound.New(outbound.Options{Mode: sgip.Mode{Local: true, PlainHTTP: true}, Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	o := &office{t: t, log: &lockedBuffer{}}
	o.db, o.store = openStore(t, file)
	c := exchange.OutboxConfig{
		Self: lagos, Signer: func() sgip.Signer { return signer(t, 3) }, Client: client, Peer: p, Store: o.store,
		Clock: o.clock, NewID: newID, Log: slog.New(slog.NewTextHandler(o.log, nil)), Timeout: 5 * time.Second,
	}
	for _, f := range change {
		f(&c)
	}
	o.Outbox = exchange.NewOutbox(c)
	return o
}

// run runs the worker until the test ends, or until stop is called.
func (o *office) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- o.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				o.t.Error(err)
			}
		})
	}
	o.t.Cleanup(stop)
	return stop
}

func (o *office) post(l exchange.Letter) string {
	o.t.Helper()
	if l.ID == "" {
		l.ID = newID()
	}
	l.To, l.Op, l.Body = berlin, sgip.MessageSend, message(l.ID)
	if err := o.db.InTx(context.Background(), func(ctx context.Context) error { return o.Post(ctx, l) }); err != nil {
		o.t.Fatal(err)
	}
	return l.ID
}

func (o *office) letters() (n int) {
	o.t.Helper()
	if err := o.db.Conn(context.Background()).Raw("SELECT count(*) FROM exchange_letters").Scan(&n).Error; err != nil {
		o.t.Fatal(err)
	}
	return n
}

func (o *office) await(id string) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := o.Await(ctx, id); err != nil {
		o.t.Fatal(err)
	}
}
