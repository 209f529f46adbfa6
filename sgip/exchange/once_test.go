package exchange_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

func TestInbox_Once(t *testing.T) {
	t.Run("OK same answer, one effect", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
			d.mark(ctx, in.ID)
			return delivered(ctx, in)
		})
		body := message(newID())
		first := d.want("", d.request(body))
		if again := d.want("", d.request(body)); again.raw != first.raw || again.status != first.status {
			t.Errorf("first %s, then %s", first.raw, again.raw)
		}
		if got := d.marks(); len(got) != 1 {
			t.Errorf("took effect %d times", len(got))
		}
	})
	t.Run("OK ids are the sender's own", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		id := newID()
		d.want("", d.request(message(id)))
		d.want("", d.request(message(id, func(e *sgip.Envelope) {
			e.From = sgip.Address{Platform: "accra.example", Player: "ada@accra.example"}
		})))
	})
	t.Run("ErrOtherBody", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		body := message(newID())
		d.want("", d.request(body))
		d.want(sgip.InvalidPayload, d.request(append(body, ' ')))
	})
}

func TestInbox_Refusal(t *testing.T) {
	t.Run("ErrRefusalKept", func(t *testing.T) {
		d := newDesk(t)
		refuse := true
		d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
			d.mark(ctx, "undone")
			if refuse {
				return exchange.Answer{}, sgip.Errorf(sgip.NotFound, "No player")
			}
			return delivered(ctx, in)
		})
		body := message(newID())
		d.want(sgip.NotFound, d.request(body))
		refuse = false
		d.want(sgip.NotFound, d.request(body))
		if len(d.marks()) != 0 {
			t.Error("what the refused handler wrote stayed")
		}
	})
	t.Run("ErrKeepWrites", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
			d.mark(ctx, "kept")
			return exchange.Answer{}, exchange.Keep(sgip.Errorf(sgip.InsufficientFunds, "too poor"))
		})
		d.want(sgip.InsufficientFunds, d.request(message(newID())))
		if len(d.marks()) != 1 {
			t.Error("what Keep was to keep is gone")
		}
	})
	t.Run("ErrKeepAs", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
			d.mark(ctx, "kept")
			return exchange.Answer{}, exchange.KeepAs(&sgip.Error{Code: sgip.PlatformOffline, Final: true}, sgip.Errorf(sgip.Forbidden, "void"))
		})
		id := newID()
		body := message(id)
		d.want(sgip.PlatformOffline, d.request(body))
		d.want(sgip.InvalidPayload, d.request(append(message(id), ' ')))
		for range 2 {
			d.want(sgip.Forbidden, d.request(body))
		}
		if len(d.marks()) != 1 {
			t.Error("the handler ran again")
		}
	})
	t.Run("ErrTransientNotKept", func(t *testing.T) {
		for _, transient := range []error{
			sgip.Errorf(sgip.PlatformOffline, "away"), sgip.Errorf(sgip.RateLimited, "too many"), errors.New("disk"),
			&sgip.Error{Code: sgip.PlatformOffline, Final: true}, exchange.Keep(sgip.Errorf(sgip.PlatformOffline, "void")),
		} {
			d := newDesk(t)
			err := transient
			d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
				if err != nil {
					return exchange.Answer{}, err
				}
				return delivered(ctx, in)
			})
			body := message(newID())
			d.want(sgip.CodeOf(err), d.request(body))
			err = nil
			d.want("", d.request(body))
		}
	})
}

func TestInbox_Kept(t *testing.T) {
	t.Run("OK unkept", func(t *testing.T) {
		d := newDesk(t)
		var n atomic.Int32
		d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
			return exchange.Answer{Result: map[string]bool{"queued": n.Add(1) == 1}, Unkept: true}, nil
		})
		body := message(newID())
		first, second := d.want("", d.request(body)), d.want("", d.request(body))
		if string(first.Result) != `{"queued":true}` || string(second.Result) != `{"queued":false}` {
			t.Errorf("%s, %s", first.raw, second.raw)
		}
	})
	t.Run("OK wallet answers kept for ever, others for 48 h", func(t *testing.T) {
		d := newDesk(t)
		var n atomic.Int32
		count := func(context.Context, exchange.Incoming) (exchange.Answer, error) {
			return exchange.Answer{Result: map[string]int32{"n": n.Add(1)}}, nil
		}
		d.Handle(sgip.MessageSend, count)
		d.Handle(sgip.WalletRead, count)
		read := message(newID(), func(e *sgip.Envelope) {
			e.Op, e.From = sgip.WalletRead, sgip.Address{Platform: sgip.HubID}
			e.Payload = []byte(`{"player":"` + lena + `","currency":"EUR"}`)
		})
		text := message(newID())
		d.want("", d.request(read))
		d.want("", d.request(text))
		d.pass(49 * time.Hour)
		sweep(d)
		d.want("", d.request(text))
		if n.Load() != 2 {
			t.Error("an answer was forgotten within 49 hours")
		}
		d.pass(1000 * time.Hour)
		sweep(d)
		d.want("", d.request(read))
		if n.Load() != 2 {
			t.Error("a wallet's answer was forgotten")
		}
		d.want("", d.request(text))
		if n.Load() != 3 {
			t.Error("an old answer is kept for ever")
		}
	})
}

func TestInbox_Parallel(t *testing.T) {
	for name, ask := range map[string]bool{"one step": false, "two steps": true} {
		t.Run("OK 40 duplicates, "+name, func(t *testing.T) {
			d := newDesk(t)
			var asked atomic.Int32
			gate := make(chan struct{})
			d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
				d.mark(ctx, in.ID)
				answer := exchange.Answer{Result: map[string]int32{"n": asked.Add(1)}}
				if !ask {
					return answer, nil
				}
				return exchange.Answer{Ask: func(context.Context) exchange.Finish {
					<-gate
					return func(context.Context) (exchange.Answer, error) { return answer, nil }
				}}, nil
			})
			body := message(newID())
			var wg sync.WaitGroup
			var mu sync.Mutex
			answers := map[string]int{}
			for range 40 {
				wg.Go(func() {
					got := d.want("", d.request(body))
					mu.Lock()
					defer mu.Unlock()
					answers[got.raw]++
				})
			}
			waitFor(t, "all nonces are spent", func() bool { return d.count("exchange_nonces") == 40 })
			close(gate)
			wg.Wait()
			if len(answers) != 1 || asked.Load() != 1 || len(d.marks()) != 1 {
				t.Errorf("answers %v, asked %d times, %d effects", answers, asked.Load(), len(d.marks()))
			}
		})
	}
	t.Run("ErrTransientSharedAndReleased", func(t *testing.T) {
		d := newDesk(t)
		gate := make(chan struct{})
		var asked atomic.Int32
		d.Handle(sgip.MessageSend, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
			return exchange.Answer{Ask: func(context.Context) exchange.Finish {
				if asked.Add(1) > 1 {
					return func(ctx context.Context) (exchange.Answer, error) { return delivered(ctx, exchange.Incoming{}) }
				}
				<-gate
				return func(context.Context) (exchange.Answer, error) {
					return exchange.Answer{}, sgip.Errorf(sgip.PlatformOffline, "away")
				}
			}}, nil
		})
		body := message(newID())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { d.want(sgip.PlatformOffline, d.request(body)) })
		}
		waitFor(t, "all wait", func() bool { return d.count("exchange_nonces") == 10 })
		close(gate)
		wg.Wait()
		d.want("", d.request(body))
	})
}

func TestInbox_Resume(t *testing.T) {
	// The first run is cut off while it asks: its inbox is left alone.
	file := filepath.Join(t.TempDir(), "desk.db")
	first := deskAt(t, file)
	stuck, gate := make(chan struct{}), make(chan struct{})
	first.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
		return exchange.Answer{Ask: func(context.Context) exchange.Finish {
			close(stuck)
			<-gate
			return func(context.Context) (exchange.Answer, error) { return exchange.Answer{}, errors.New("killed") }
		}}, nil
	})
	body := message(newID())
	var wg sync.WaitGroup
	wg.Go(func() { first.want(sgip.Internal, first.request(body)) })
	<-stuck
	if err := first.db.Close(); err != nil {
		t.Fatal(err)
	}
	close(gate)
	wg.Wait()

	second := deskAt(t, file)
	var asked atomic.Int32
	second.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
		if string(in.Body) != string(body) || in.KeyID != second.sign.Public.ID || in.From.Player != tunde {
			t.Errorf("taken up with %q", in.Body)
		}
		return exchange.Answer{Ask: func(context.Context) exchange.Finish {
			asked.Add(1)
			return func(ctx context.Context) (exchange.Answer, error) {
				second.mark(ctx, "once")
				return delivered(ctx, in)
			}
		}}, nil
	})
	if err := second.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	second.want("", second.request(body))
	if err := second.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked.Load() != 1 || len(second.marks()) != 1 {
		t.Errorf("asked %d times, %d effects", asked.Load(), len(second.marks()))
	}
}
