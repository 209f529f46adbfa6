package hub_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// letterbox is a game's door for messages: shut, nobody answers; open, it notes
// what it takes.
type letterbox struct {
	mu    sync.Mutex
	open  bool
	taken []string
}

func (b *letterbox) answer(env sgip.Envelope) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open {
		return hangUp(env)
	}
	b.taken = append(b.taken, env.ID)
	return sgip.MessageResult{Delivered: true}, nil
}

func (b *letterbox) set(open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = open
}

func (b *letterbox) got() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.taken)
}

// shut puts a letterbox on a game, for all that may be queued.
func (g *game) shut() *letterbox {
	b := &letterbox{}
	g.on(sgip.MessageSend, b.answer)
	return b
}

func (g *game) message(to *game, text string) sgip.Envelope {
	env := g.envelope(sgip.MessageSend, to.player("lena"), sgip.MessagePayload{Text: text})
	env.From = g.player("tunde")
	return env
}

func wantQueued(t *testing.T, r sgip.Reply) {
	t.Helper()
	if !r.Queued() {
		t.Fatalf("%+v, want queued", r)
	}
}

func TestQueue_Deliver(t *testing.T) {
	// held leaves three messages of Tunde's for Berlin, which doesn't answer.
	held := func(t *testing.T) (n *network, lagos, berlin *game, box *letterbox, sent []sgip.Envelope) {
		n = newNetwork(t)
		lagos, berlin = n.pair()
		box = berlin.shut()
		for i := range 3 {
			env := lagos.message(berlin, fmt.Sprint(i))
			wantQueued(t, lagos.post(env))
			wantQueued(t, lagos.post(env)) // the same id, while it waits
			sent = append(sent, env)
		}
		return n, lagos, berlin, box, sent
	}
	arrived := func(t *testing.T, lagos *game, box *letterbox, sent []sgip.Envelope) {
		t.Helper()
		var ids []string
		for _, env := range sent {
			ids = append(ids, env.ID)
		}
		waitUntil(t, "all are delivered", func() bool { return len(box.got()) >= len(sent) })
		for _, env := range sent {
			waitUntil(t, "its sender learns it", func() bool { return !lagos.post(env).Queued() })
			if got := result[sgip.MessageResult](t, sgip.MessageSend, lagos.post(env)); !got.Delivered {
				t.Errorf("%+v", got)
			}
		}
		if got := box.got(); !slices.Equal(got, ids) {
			t.Errorf("delivered %v, want each once in order %v", got, ids)
		}
	}
	t.Run("OKAtHello", func(t *testing.T) {
		_, lagos, berlin, box, sent := held(t)
		box.set(true)
		wantCode(t, berlin.hello(), "")
		arrived(t, lagos, box, sent)
	})
	t.Run("OKWhenItAnswers", func(t *testing.T) {
		n, lagos, berlin, box, sent := held(t)
		// Ten more would fail, so that the next try of its own is far off.
		n.postpone()
		berlin.on(sgip.PlayerLookup, refuses(sgip.NotFound))
		box.set(true)
		wantCode(t, lagos.lookup(berlin, "lena"), sgip.NotFound)
		arrived(t, lagos, box, sent)
	})
	t.Run("OKAfterARestart", func(t *testing.T) {
		n, lagos, berlin, box, sent := held(t)
		n.crash()
		n.start()
		for _, env := range sent {
			wantQueued(t, lagos.post(env))
		}
		n.postpone()
		box.set(true)
		wantCode(t, berlin.hello(), "")
		arrived(t, lagos, box, sent)
	})
	t.Run("OKTheNextJoinsTheEnd", func(t *testing.T) {
		n, lagos, berlin, box, sent := held(t)
		n.postpone()
		box.set(true) // Berlin would take it, but nobody has told the hub
		next := lagos.message(berlin, "last")
		wantQueued(t, lagos.post(next))
		wantCode(t, berlin.hello(), "")
		arrived(t, lagos, box, append(sent, next))
	})
	t.Run("OKOtherPairsDontWait", func(t *testing.T) {
		n, _, berlin, box, _ := held(t)
		n.postpone()
		accra := n.game("accra")
		wantCode(t, accra.hello(), "")
		box.set(true)
		wantCode(t, accra.post(accra.message(berlin, "Ete sen")), "")
	})
	t.Run("OKByteForByte", func(t *testing.T) {
		_, _, berlin, box, sent := held(t)
		box.set(true)
		wantCode(t, berlin.hello(), "")
		waitUntil(t, "all are delivered", func() bool { return len(box.got()) == len(sent) })
		for _, in := range berlin.got(sgip.MessageSend) {
			i := slices.IndexFunc(sent, func(env sgip.Envelope) bool { return env.ID == in.ID })
			body, err := sent[i].Encode()
			must(t, err)
			if string(in.body) != string(body) {
				t.Errorf("sent %s\ngot %s", body, in.body)
			}
		}
	})
	t.Run("OKRefusalIsTheEnd", func(t *testing.T) {
		_, lagos, berlin, _, sent := held(t)
		berlin.on(sgip.MessageSend, refuses(sgip.NotFound))
		wantCode(t, berlin.hello(), "")
		waitUntil(t, "the refusal has come", func() bool { return !lagos.post(sent[0]).Queued() })
		wantCode(t, lagos.post(sent[0]), sgip.NotFound)
	})
	t.Run("ErrOtherBody", func(t *testing.T) {
		_, lagos, berlin, box, sent := held(t)
		other := sent[0]
		other.Payload = []byte(`{"text":"other"}`)
		wantCode(t, lagos.post(other), sgip.InvalidPayload)
		box.set(true)
		wantCode(t, berlin.hello(), "")
		arrived(t, lagos, box, sent)
	})
	t.Run("ErrExpired", func(t *testing.T) {
		n, lagos, berlin, box, sent := held(t)
		n.clock.advance(24*time.Hour + time.Minute)
		n.postponeUntil(time.Time{})
		for _, env := range sent {
			waitUntil(t, "it is given up", func() bool { return !lagos.post(env).Queued() })
			for range 2 {
				reply := lagos.post(env)
				wantCode(t, reply, sgip.PlatformOffline)
				if reply.Error.Retryable() {
					t.Error("must not be retryable")
				}
			}
		}
		box.set(true)
		wantCode(t, berlin.hello(), "")
		wantCode(t, lagos.post(lagos.message(berlin, "new")), "")
		if got := box.got(); len(got) != 1 {
			t.Errorf("%d delivered, want the new one alone", len(got))
		}
	})
	t.Run("OKHeldBeforeItExpires", func(t *testing.T) {
		n, lagos, berlin, box, sent := held(t)
		n.clock.advance(24*time.Hour - time.Minute)
		box.set(true)
		wantCode(t, berlin.hello(), "")
		arrived(t, lagos, box, sent)
	})
}

// postpone puts off every letter, as many vain attempts would.
func (n *network) postpone() { n.postponeUntil(n.clock.now().Add(time.Hour)) }

func (n *network) postponeUntil(due time.Time) {
	n.t.Helper()
	_, db := n.running()
	// Once more, since an attempt under way may write its own.
	waitUntil(n.t, "nothing is under way", func() bool {
		must(n.t, db.InTx(n.t.Context(), func(ctx context.Context) error {
			return db.Tx(ctx).Exec("UPDATE exchange_letters SET due_at = ?, attempts = 30", due.UnixMilli()).Error
		}))
		return n.query("SELECT count(*) FROM exchange_letters WHERE attempts <> 30") == 0
	})
}

func TestQueue_Bounds(t *testing.T) {
	fill := func(t *testing.T, n *network, target *game, lane string, letters int) {
		t.Helper()
		_, db := n.running()
		far := n.clock.now().Add(time.Hour).UnixMilli()
		must(t, db.InTx(t.Context(), func(ctx context.Context) error {
			for i := range letters {
				err := db.Tx(ctx).Exec(`INSERT INTO exchange_letters (id, platform, op, envelope_id, body, until, lane, attempts, posted_at, due_at)
					VALUES (?, ?, 'message.send@1', '', '{}', 0, ?, 1, 0, ?)`, fmt.Sprintf("x%s/%d", lane, i), target.id, lane, far).Error
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for name, c := range map[string]struct {
		lane func(lagos, berlin *game) string
		most int
	}{
		"ErrPairFull":   {func(lagos, berlin *game) string { return "queue/" + lagos.id + "/" + berlin.id }, 500},
		"ErrTargetFull": {func(_, berlin *game) string { return "queue/accra.localhost/" + berlin.id }, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t)
			lagos, berlin := n.pair()
			berlin.shut()
			fill(t, n, berlin, c.lane(lagos, berlin), c.most-1)
			wantQueued(t, lagos.post(lagos.message(berlin, "the last that fits")))
			reply := lagos.post(lagos.message(berlin, "one too many"))
			wantCode(t, reply, sgip.PlatformOffline)
			if !reply.Error.Retryable() {
				t.Error("there may be room later")
			}
		})
	}
}

// TestQueue_OneHangs: a game that takes connections and never answers holds up
// nobody else, however much waits for it.
func TestQueue_OneHangs(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	accra := n.game("accra")
	wantCode(t, accra.hello(), "")
	var asking sync.WaitGroup
	t.Cleanup(asking.Wait)
	gate := make(chan struct{})
	t.Cleanup(func() { close(gate) }) // first of all: the servers wait for it when they close
	berlin.on(sgip.MessageSend, func(env sgip.Envelope) (any, error) {
		<-gate
		return hangUp(env)
	})
	for i := range 40 {
		asking.Go(func() { lagos.post(lagos.message(berlin, fmt.Sprint(i))) })
	}
	waitUntil(t, "Berlin hangs on all of them", func() bool { return len(berlin.got(sgip.MessageSend)) == 40 })
	accra.on(sgip.MessageSend, func(sgip.Envelope) (any, error) { return sgip.MessageResult{Delivered: true}, nil })
	wantCode(t, lagos.post(lagos.message(accra, "How far?")), "")
	wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, struct{}{}), "")
}
