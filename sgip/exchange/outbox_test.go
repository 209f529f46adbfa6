package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

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

func TestOutbox_Call(t *testing.T) {
	id := newID()
	for name, c := range map[string]struct {
		status      int
		contentType string
		body        string
		want        sgip.Code // "" for ok
		offline     bool      // the error, not a reply
	}{
		"OK":                       {200, jsonType, okReply(id), "", false},
		"OK whatever the status":   {500, jsonType, okReply(id), "", false},
		"ErrDefinite":              {404, jsonType, errorReply(id, sgip.NotFound, ""), sgip.NotFound, false},
		"ErrNullID":                {400, jsonType, strings.Replace(errorReply(id, sgip.InvalidPayload, ""), `"`+id+`"`, "null", 1), sgip.InvalidPayload, false},
		"ErrUnknownCode":           {418, jsonType, errorReply(id, "teapot", ""), "teapot", false},
		"ErrInternal":              {500, jsonType, errorReply(id, sgip.Internal, ""), sgip.Internal, false},
		"ErrBadSignature":          {401, jsonType, errorReply(id, sgip.BadSignature, ""), sgip.PlatformOffline, true},
		"ErrExpired":               {401, jsonType, errorReply(id, sgip.Expired, ""), sgip.PlatformOffline, true},
		"ErrOtherID":               {200, jsonType, okReply(newID()), sgip.PlatformOffline, true},
		"ErrNotJSON":               {502, "text/html", "<h1>Bad Gateway</h1>", sgip.PlatformOffline, true},
		"ErrJSONByAnotherName":     {200, "text/plain", okReply(id), sgip.PlatformOffline, true},
		"ErrRedirect":              {302, "", "", sgip.PlatformOffline, true},
		"ErrTooLarge":              {200, jsonType, okReply(id) + strings.Repeat(" ", sgip.MaxBody), sgip.PlatformOffline, true},
		"ErrTwice the same member": {200, jsonType, `{"ok":true,"ok":true,"id":"` + id + `","result":{}}`, sgip.PlatformOffline, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t, func(post, int) (int, string, string) { return c.status, c.contentType, c.body })
			w := &watcher{}
			var refused []string
			o := newOffice(t, p, func(c *exchange.OutboxConfig) {
				c.Observer, c.Refused = w, func(platform string) { refused = append(refused, platform) }
			})
			r, err := o.Call(t.Context(), berlin, id, message(id))
			if c.offline {
				if sgip.CodeOf(err) != sgip.PlatformOffline {
					t.Errorf("%+v, %v", r, err)
				}
			} else if err != nil || r.OK != (c.want == "") || !r.OK && r.Error.Code != c.want {
				t.Errorf("%+v, %v", r, err)
			}
			if signatureRefused := name == "ErrBadSignature" || name == "ErrExpired"; signatureRefused != (len(refused) == 1) {
				t.Errorf("refused by %v", refused)
			}
			if len(p.seen()) != 1 || p.seen()[0].body != string(message(id)) {
				t.Errorf("sent %v", p.seen())
			}
			if len(w.seen) != 1 || !w.seen[0].Out || w.seen[0].Peer != berlin || w.seen[0].Op != sgip.MessageSend {
				t.Errorf("seen %+v", w.seen)
			}
		})
	}
	t.Run("OK fresh ts and nonce, same bytes", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		for range 3 {
			if _, err := o.Call(t.Context(), berlin, id, message(id)); err != nil {
				t.Fatal(err)
			}
		}
		nonces := map[string]bool{}
		for _, got := range p.seen() {
			nonces[got.signature.Nonce] = true
			if got.body != string(message(id)) || got.header.Get("Content-Type") != "application/json" || got.header.Get("Accept-Encoding") != "" {
				t.Errorf("%+v", got)
			}
		}
		if len(nonces) != 3 {
			t.Errorf("nonces: %v", nonces)
		}
	})
	t.Run("ErrSlowBody", func(t *testing.T) {
		stop := make(chan struct{})
		p := newPeer(t, func(post, int) (int, string, string) { <-stop; return 200, jsonType, okReply(id) })
		defer close(stop)
		o := newOffice(t, p, func(c *exchange.OutboxConfig) { c.Timeout = 50 * time.Millisecond })
		if _, err := o.Call(t.Context(), berlin, id, message(id)); sgip.CodeOf(err) != sgip.PlatformOffline {
			t.Error(err)
		}
	})
	t.Run("ErrNobodyThere", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		p.server.Close()
		if _, err := o.Call(t.Context(), berlin, id, message(id)); sgip.CodeOf(err) != sgip.PlatformOffline {
			t.Error(err)
		}
	})
	t.Run("ErrNoEndpoint", func(t *testing.T) {
		o := newOffice(t, nowhere{})
		if _, err := o.Call(t.Context(), berlin, id, message(id)); sgip.CodeOf(err) != sgip.PlatformOffline {
			t.Error(err)
		}
	})
}

type nowhere struct{}

func (nowhere) Endpoint(context.Context, string) (string, error) {
	return "", sgip.Errorf(sgip.NotFound, "No platform")
}

func TestOutbox_Post(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		var got []string
		o.On(sgip.MessageSend, func(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
			got = append(got, fmt.Sprint(l.ID, l.Attempts, r.OK))
			return o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", l.ID).Error
		})
		o.run()
		id := o.post(exchange.Letter{})
		o.await(id)
		if len(got) != 1 || got[0] != fmt.Sprint(id, 1, true) || o.letters() != 0 {
			t.Errorf("%v, %d letters left", got, o.letters())
		}
		o.await(id) // a letter that is gone has ended
	})
	t.Run("OK nothing is sent for a transaction undone", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		o.run()
		undone := errors.New("undone")
		err := o.db.InTx(t.Context(), func(ctx context.Context) error {
			l := exchange.Letter{ID: newID(), To: berlin, Op: sgip.MessageSend, Body: message(newID())}
			return errors.Join(o.Post(ctx, l), undone)
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		o.await(o.post(exchange.Letter{})) // another one goes out meanwhile
		if len(p.seen()) != 1 {
			t.Errorf("%d sent", len(p.seen()))
		}
	})
	t.Run("OK tried until definite, with the same bytes", func(t *testing.T) {
		codes := []string{"", string(sgip.Internal), string(sgip.PlatformOffline), "queued", string(sgip.RateLimited), "junk"}
		p := newPeer(t, func(p post, n int) (int, string, string) {
			switch {
			case n > len(codes)-1:
				return 404, jsonType, errorReply(p.id, sgip.NotFound, "")
			case codes[n] == "queued":
				return 200, jsonType, `{"ok":true,"id":"` + p.id + `","result":{"queued":true}}`
			case codes[n] == "junk":
				return 502, "text/html", "<h1>Bad Gateway</h1>"
			case codes[n] == string(sgip.RateLimited):
				return 429, jsonType, errorReply(p.id, sgip.RateLimited, `,"retry_after":3600`)
			}
			return 500, jsonType, errorReply(p.id, sgip.Code(codes[n]), "")
		})
		o := newOffice(t, p)
		ended := make(chan sgip.Reply, 1)
		o.On(sgip.MessageSend, func(_ context.Context, l exchange.Letter, r sgip.Reply) error {
			ended <- r
			return nil
		})
		o.run()
		o.post(exchange.Letter{})
		for n := range len(codes) - 1 {
			waitFor(t, "another attempt", func() bool { return attempts(o) == n+1 })
			if n == 3 { // rate limited for an hour: the waits that are usual don't do
				o.pass(59 * time.Minute)
				if due(o) {
					t.Error("retry_after isn't honoured")
				}
			}
			o.pass(2 * time.Minute)
		}
		if r := <-ended; r.Error.Code != sgip.NotFound {
			t.Errorf("%+v", r)
		}
		for _, got := range p.seen() {
			if got.body != p.seen()[0].body {
				t.Error("an attempt had other bytes")
			}
		}
	})
	t.Run("OK a voided charge's answer ends it", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) {
			return 503, jsonType, strings.Replace(errorReply(p.id, sgip.PlatformOffline, ""), `"retryable":true`, `"retryable":false`, 1)
		})
		o := newOffice(t, p)
		o.run()
		o.await(o.post(exchange.Letter{}))
	})
	t.Run("OK until ok, each under a new id after an answer", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) {
			switch n {
			case 1:
				return 502, "text/html", "gateway" // no answer: the same id again
			case 2:
				return 403, jsonType, errorReply(p.id, sgip.Forbidden, "")
			case 3:
				return 500, jsonType, errorReply(p.id, sgip.Internal, "")
			}
			return 200, jsonType, okReply(p.id)
		})
		o := newOffice(t, p)
		names := make(chan string, 1)
		o.On(sgip.MessageSend, func(_ context.Context, l exchange.Letter, r sgip.Reply) error { names <- l.ID; return nil })
		o.run()
		id := o.post(exchange.Letter{Until: exchange.UntilOK})
		for n := range 3 {
			waitFor(t, "another attempt", func() bool { return attempts(o) == n+1 })
			o.pass(2 * time.Minute)
		}
		if name := <-names; name != id {
			t.Errorf("the letter ended as %s", name)
		}
		ids := p.seen()
		if ids[0].id != id || ids[1].id != id || ids[2].id == id || ids[3].id == ids[2].id {
			t.Errorf("ids: %s %s %s %s", ids[0].id, ids[1].id, ids[2].id, ids[3].id)
		}
		for _, got := range ids {
			if !strings.Contains(got.body, `"payload":{"text":"How far?"}`) {
				t.Errorf("another payload: %s", got.body)
			}
		}
	})
	t.Run("OK handler's error or panic keeps the letter", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		n := 0
		o.On(sgip.MessageSend, func(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
			if err := o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", l.ID).Error; err != nil {
				return err
			}
			switch n++; n {
			case 1:
				return errors.New("not now")
			case 2:
				panic("ouch")
			}
			return nil
		})
		o.run()
		id := o.post(exchange.Letter{})
		for tries := 1; tries < 3; tries++ {
			waitFor(t, "another attempt", func() bool { return attempts(o) == tries })
			o.Wake(berlin)
		}
		o.await(id)
		var marks int
		o.db.Conn(t.Context()).Raw("SELECT count(*) FROM marks").Scan(&marks)
		if marks != 1 || len(p.seen()) != 3 {
			t.Errorf("%d marks, %d attempts", marks, len(p.seen()))
		}
	})
	t.Run("ErrSameLetterTwice", func(t *testing.T) {
		o := newOffice(t, nowhere{})
		id := o.post(exchange.Letter{})
		err := o.db.InTx(t.Context(), func(ctx context.Context) error {
			return o.Post(ctx, exchange.Letter{ID: id, To: berlin, Op: sgip.MessageSend, Body: message(id)})
		})
		if !storage.IsUnique(err) {
			t.Error(err)
		}
	})
}

// attempts is how often the one letter has been tried.
func attempts(o *office) (n int) {
	o.db.Conn(context.Background()).Raw("SELECT coalesce(max(attempts), -1) FROM exchange_letters").Scan(&n)
	return n
}

func due(o *office) bool {
	letters, err := o.store.DueLetters(context.Background(), o.clock(), 1)
	return err != nil || len(letters) > 0
}

func TestOutbox_Lanes(t *testing.T) {
	var mu sync.Mutex
	now, most := map[string]int{}, map[string]int{}
	var order []string
	lane := func(body string) string {
		var env struct {
			Payload struct{ Text string }
		}
		_ = json.Unmarshal([]byte(body), &env)
		return env.Payload.Text
	}
	p := newPeer(t, func(p post, n int) (int, string, string) {
		name := lane(p.body)
		mu.Lock()
		now[name]++
		now["all"]++
		most[name] = max(most[name], now[name])
		most["all"] = max(most["all"], now["all"])
		order = append(order, p.id)
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			now[name]--
			now["all"]--
		}()
		if n == 1 {
			return 500, jsonType, errorReply(p.id, sgip.Internal, "") // the head of a lane keeps the rest waiting
		}
		return fine(p, n)
	})
	o := newOffice(t, p)
	var ids, first []string
	for n := range 30 {
		id, name := newID(), []string{"a", "b", ""}[n%3]
		body := message(id, func(e *sgip.Envelope) { e.Payload = []byte(`{"text":"` + name + `"}`) })
		err := o.db.InTx(t.Context(), func(ctx context.Context) error {
			return o.Post(ctx, exchange.Letter{ID: id, To: berlin, Op: sgip.MessageSend, Body: body, Lane: name})
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		if name == "a" {
			first = append(first, id)
		}
	}
	o.run()
	waitFor(t, "all are sent", func() bool { o.Wake(berlin); return o.letters() == 0 })
	mu.Lock()
	defer mu.Unlock()
	if most["a"] > 1 || most["b"] > 1 {
		t.Errorf("at one time: %v", most)
	}
	var ofFirst []string
	for _, id := range slices.Compact(order) {
		if slices.Contains(first, id) && !slices.Contains(ofFirst, id) {
			ofFirst = append(ofFirst, id)
		}
	}
	if !slices.Equal(ofFirst, first) {
		t.Errorf("lane a went %v, want %v", ofFirst, first)
	}
	if len(order) != len(ids)+1 {
		t.Errorf("%d attempts", len(order))
	}
}

func TestOutbox_Run(t *testing.T) {
	t.Run("OK letters survive a restart", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "office.db")
		first := officeAt(t, file, nowhere{})
		stop := first.run()
		id := first.post(exchange.Letter{})
		waitFor(t, "a vain attempt", func() bool { return attempts(first) == 1 })
		stop()
		if err := first.db.Close(); err != nil {
			t.Fatal(err)
		}
		p := newPeer(t, fine)
		second := officeAt(t, file, p)
		second.run()
		second.await(id)
		if p.seen()[0].id != id {
			t.Errorf("sent %s", p.seen()[0].id)
		}
	})
	t.Run("OK drains", func(t *testing.T) {
		before := goleak.IgnoreCurrent()
		gate := make(chan struct{})
		p := newPeer(t, func(p post, n int) (int, string, string) { <-gate; return fine(p, n) })
		o := newOffice(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- o.Run(ctx) }()
		id := o.post(exchange.Letter{})
		waitFor(t, "the attempt", func() bool { return len(p.seen()) == 1 })
		cancel()
		select {
		case <-done:
			t.Error("returned before the attempt had ended")
		default:
		}
		close(gate)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if there, err := o.store.HasLetter(t.Context(), id); there || err != nil {
			t.Error("the answer wasn't written down")
		}
		p.server.Close()
		_ = o.db.Close()
		goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"))
	})
	t.Run("OK an answer wakes what waits", func(t *testing.T) {
		away := true
		var mu sync.Mutex
		p := newPeer(t, func(p post, n int) (int, string, string) {
			mu.Lock()
			defer mu.Unlock()
			if away {
				return 502, "text/html", "gateway"
			}
			return fine(p, n)
		})
		o := newOffice(t, p, func(c *exchange.OutboxConfig) { c.MaxWait = time.Hour })
		o.run()
		id := o.post(exchange.Letter{})
		for n := range 5 {
			waitFor(t, "a vain attempt", func() bool { return attempts(o) == n+1 })
			if n < 4 {
				o.Wake(berlin)
			}
		}
		mu.Lock()
		away = false
		mu.Unlock()
		call := newID()
		if _, err := o.Call(t.Context(), berlin, call, message(call)); err != nil {
			t.Fatal(err)
		}
		o.await(id) // long before its own time
	})
	t.Run("ErrAwaitEnds", func(t *testing.T) {
		o := newOffice(t, nowhere{})
		id := o.post(exchange.Letter{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := o.Await(ctx, id); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestOutbox_MeetsInbox sends letters through a real server into a real inbox,
// which answers each once although attempts are many.
func TestOutbox_MeetsInbox(t *testing.T) {
	d := newDesk(t, func(c *exchange.InboxConfig) {
		c.Keys, c.Path, c.Clock = holders{}.add(signer(t, 3)), "/sgip%2Finbox", time.Now
	})
	d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
		d.mark(ctx, in.ID)
		return delivered(ctx, in)
	})
	p := newPeer(t, nil)
	n := 0
	var mu sync.Mutex
	p.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		response := d.Serve(r.Context(), exchange.Request{
			Method: r.Method, Target: r.RequestURI, Signatures: r.Header.Values(sgip.SignatureHeader),
			ContentTypes: r.Header.Values("Content-Type"), Body: body,
		})
		mu.Lock()
		n++
		lost := n%3 == 0
		mu.Unlock()
		if lost { // the answer gets lost on its way
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(response.Status)
		_, _ = w.Write(response.Body)
	})
	o := newOffice(t, p)
	o.run()
	for range 60 {
		o.post(exchange.Letter{})
	}
	waitFor(t, "all are answered", func() bool { o.Wake(berlin); return o.letters() == 0 })
	if got := len(d.marks()); got != 60 {
		t.Errorf("%d messages arrived, want 60", got)
	}
}
