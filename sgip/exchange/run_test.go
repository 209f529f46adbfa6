package exchange_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

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
}

func TestOutbox_Wake(t *testing.T) {
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
		o := newOffice(t, p)
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
