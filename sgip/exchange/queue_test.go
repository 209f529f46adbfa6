package exchange_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

func queuedReply(id string) string { return `{"ok":true,"id":"` + id + `","result":{"queued":true}}` }

// TestOutbox_Queued is the sender's side of what the hub holds.
func TestOutbox_Queued(t *testing.T) {
	t.Run("OK told once, then the end", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) {
			if n < 4 {
				return 200, jsonType, queuedReply(p.id)
			}
			return fine(p, n)
		})
		o := newOffice(t, p)
		var told, ended atomic.Int32
		o.OnWaits(sgip.MessageSend, func(ctx context.Context, l exchange.Letter) error {
			told.Add(1)
			return o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", l.ID).Error
		})
		o.On(sgip.MessageSend, func(context.Context, exchange.Letter, sgip.Reply) error {
			ended.Add(1)
			return nil
		})
		o.run()
		id := o.post(exchange.Letter{})
		waitFor(t, "the end", func() bool { o.Wake(berlin); return o.letters() == 0 })
		if told.Load() != 1 || ended.Load() != 1 {
			t.Errorf("told %d times that it waits, %d times how it ended", told.Load(), ended.Load())
		}
		for _, got := range p.seen() {
			if got.id != id || got.body != string(message(id)) {
				t.Errorf("asked again with %s", got.body)
			}
		}
	})
	t.Run("OK told again after a fault", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) { return 200, jsonType, queuedReply(p.id) })
		o := newOffice(t, p)
		var told atomic.Int32
		o.OnWaits(sgip.MessageSend, func(context.Context, exchange.Letter) error {
			switch told.Add(1) {
			case 1:
				return errors.New("not now")
			case 2:
				panic("ouch")
			}
			return nil
		})
		o.run()
		o.post(exchange.Letter{})
		for n := range 2 {
			waitFor(t, "another attempt", func() bool { return attempts(o) == n+1 })
			o.Wake(berlin)
		}
		waitFor(t, "it is told", func() bool { return told.Load() == 3 })
	})
	t.Run("OK those behind follow it to the hub, in order", func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		p := newPeer(t, func(p post, n int) (int, string, string) {
			if away.Load() {
				return 200, jsonType, queuedReply(p.id)
			}
			return fine(p, n)
		})
		o := newOffice(t, p)
		var mu sync.Mutex
		var ended []string
		o.On(sgip.MessageSend, func(_ context.Context, l exchange.Letter, _ sgip.Reply) error {
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, l.ID)
			return nil
		})
		o.run()
		var ids []string
		for range 5 {
			ids = append(ids, o.post(exchange.Letter{Lane: "berlin"}))
		}
		waitFor(t, "all are at the hub", func() bool { return queuedLetters(o) == 5 })
		if got := firstPosts(p); !slices.Equal(got, ids) {
			t.Errorf("sent %v, want %v", got, ids)
		}
		away.Store(false)
		o.Wake(berlin)
		waitFor(t, "all have ended", func() bool { return o.letters() == 0 })
		if !slices.Equal(ended, ids) {
			t.Errorf("ended %v, want %v", ended, ids)
		}
	})
}

func queuedLetters(o *office) (n int) {
	o.db.Conn(context.Background()).Raw("SELECT count(*) FROM exchange_letters WHERE queued").Scan(&n)
	return n
}

// firstPosts are the ids in the order in which they came first.
func firstPosts(p *peer) (ids []string) {
	for _, got := range p.seen() {
		if !slices.Contains(ids, got.id) {
			ids = append(ids, got.id)
		}
	}
	return ids
}

// TestOutbox_Expires is the hub's side: a letter that is given up in the end.
func TestOutbox_Expires(t *testing.T) {
	p := newPeer(t, func(post, int) (int, string, string) { return 502, "text/html", "gateway" })
	o := newOffice(t, p)
	ended := make(chan sgip.Reply, 1)
	o.On(sgip.MessageSend, func(_ context.Context, l exchange.Letter, r sgip.Reply) error {
		ended <- r
		return nil
	})
	o.run()
	o.post(exchange.Letter{ID: lagos + "/1", Expires: o.clock().Add(24 * time.Hour)})
	waitFor(t, "a vain attempt", func() bool { return attempts(o) == 1 })
	o.pass(24*time.Hour - time.Minute)
	waitFor(t, "another", func() bool { return attempts(o) == 2 })
	sent := len(p.seen())
	o.pass(time.Minute)
	r := <-ended
	if r.OK || r.Error.Code != sgip.PlatformOffline || r.Error.Retryable() {
		t.Errorf("ended with %+v", r)
	}
	if len(p.seen()) != sent {
		t.Error("sent after its time")
	}
}

func TestOutbox_Hold(t *testing.T) {
	var held atomic.Bool
	held.Store(true)
	p := newPeer(t, fine)
	o := newOffice(t, p, func(c *exchange.OutboxConfig) { c.Hold = func(exchange.Letter) bool { return held.Load() } })
	o.run()
	id := o.post(exchange.Letter{})
	waitFor(t, "it is held", func() bool { return !due(o) })
	o.Wake(berlin)
	waitFor(t, "it is held again", func() bool { return !due(o) })
	if len(p.seen()) != 0 || attempts(o) != 0 {
		t.Errorf("%d sent, %d attempts", len(p.seen()), attempts(o))
	}
	held.Store(false)
	o.Wake(berlin)
	o.await(id)
}

// mixed sends some platforms nowhere and lets the others answer.
type mixed struct {
	*peer
	hang chan struct{}

	mu    sync.Mutex
	calls map[string]int
}

func (m *mixed) Endpoint(ctx context.Context, platform string) (string, error) {
	m.mu.Lock()
	m.calls[platform]++
	m.mu.Unlock()
	if platform != berlin {
		select {
		case <-m.hang:
		case <-ctx.Done():
		}
		return "", sgip.Errorf(sgip.PlatformOffline, "hangs")
	}
	return m.peer.Endpoint(ctx, platform)
}

func (m *mixed) called(platform string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[platform]
}

// TestOutbox_Slots: what hangs, with more letters than there are slots and than
// are looked at, doesn't hold up the others.
func TestOutbox_Slots(t *testing.T) {
	m := &mixed{peer: newPeer(t, fine), hang: make(chan struct{}), calls: map[string]int{}}
	o := newOffice(t, m, func(c *exchange.OutboxConfig) { c.AtOnce = 8 })
	const dead = "dead.example"
	err := o.db.InTx(t.Context(), func(ctx context.Context) error {
		for range 300 {
			id := newID()
			if err := o.Post(ctx, exchange.Letter{ID: id, To: dead, Op: sgip.MessageSend, Body: message(id)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o.run()
	waitFor(t, "the dead one's slots are full", func() bool { return m.called(dead) == 8 })
	o.await(o.post(exchange.Letter{}))
	if got := m.called(dead); got != 8 {
		t.Errorf("%d letters were on their way to one platform", got)
	}
	close(m.hang)
	// Known to be silent, it is only felt for.
	waitFor(t, "the first have failed", func() bool { return failed(o) >= 8 })
	o.await(o.post(exchange.Letter{}))
}

func failed(o *office) (n int) {
	o.db.Conn(context.Background()).Raw("SELECT count(*) FROM exchange_letters WHERE attempts > 0").Scan(&n)
	return n
}

// TestOutbox_Expect: an answer wakes what an earlier run left waiting.
func TestOutbox_Expect(t *testing.T) {
	p := newPeer(t, fine)
	o := newOffice(t, p)
	id := o.post(exchange.Letter{Attempts: 30}) // its next try is a minute away
	o.run()
	call := newID()
	waitFor(t, "the letter's end", func() bool {
		if _, err := o.Call(t.Context(), berlin, call, message(call)); err != nil {
			t.Fatal(err)
		}
		return o.letters() == 0
	})
	if len(p.seen()) == 0 || id == "" {
		t.Error("nothing was sent")
	}
}
