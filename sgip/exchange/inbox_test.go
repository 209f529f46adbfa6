package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

func delivered(context.Context, exchange.Incoming) (exchange.Answer, error) {
	return exchange.Answer{Result: sgip.MessageResult{Delivered: true}}, nil
}

// TestInbox_Order: each request has the fault of its row and of all rows below,
// and the row's own must be told (contract 5).
func TestInbox_Order(t *testing.T) {
	stranger := signer(t, 9)
	type attempt struct {
		request func(d *desk, body []byte) exchange.Request
		body    func(id string) []byte
	}
	chunkedToo := func(r *exchange.Request) { r.TransferEncoding = true }
	twoHeaders := func(r *exchange.Request) { r.Signatures = append(r.Signatures, r.Signatures[0]) }
	with := func(changes ...func(*exchange.Request)) func(*desk, []byte) exchange.Request {
		return func(d *desk, body []byte) exchange.Request {
			return signed(stranger, d.clock().Add(-time.Hour), newID(), body, changes...)
		}
	}
	late := func(d *desk, body []byte) exchange.Request {
		return signed(d.sign, d.clock().Add(-301*time.Second), newID(), body)
	}
	junk := func(string) []byte { return []byte("{") }
	elsewhere := func(id string) []byte {
		return message(id, func(e *sgip.Envelope) {
			e.From.Player, e.Op, e.To, e.Payload = lena, sgip.HubHello, sgip.Address{Platform: lagos}, []byte(`[]`)
			e.Payload = []byte(`{"text":""}`)
		})
	}
	unknownOp := func(id string) []byte {
		return message(id, func(e *sgip.Envelope) { e.Op, e.Payload = "x-lagos.wave@1", []byte(`{"text":""}`) })
	}
	good := func(d *desk, body []byte) exchange.Request { return d.request(body) }
	for _, c := range []struct {
		name string
		want sgip.Code
		attempt
	}{
		{"method", sgip.NotFound, attempt{with(func(r *exchange.Request) { r.Method = "GET" }, chunkedToo, twoHeaders), junk}},
		{"path", sgip.NotFound, attempt{with(func(r *exchange.Request) { r.Target = "/sgip/Inbox" }, chunkedToo, twoHeaders), junk}},
		{"framing", sgip.InvalidPayload, attempt{with(chunkedToo, twoHeaders), junk}},
		{"header form", sgip.BadSignature, attempt{with(twoHeaders), junk}},
		{"signature", sgip.BadSignature, attempt{with(), junk}},
		{"time", sgip.Expired, attempt{late, junk}},
		{"json", sgip.InvalidPayload, attempt{good, junk}},
		{"sender", sgip.Forbidden, attempt{good, elsewhere}},
		{"target", sgip.Forbidden, attempt{good, func(id string) []byte {
			return message(id, func(e *sgip.Envelope) { e.Op, e.To = sgip.HubHello, sgip.Address{Platform: lagos} })
		}}},
		{"op", sgip.OpUnsupported, attempt{good, unknownOp}},
		{"payload", sgip.InvalidPayload, attempt{good, func(id string) []byte {
			return message(id, func(e *sgip.Envelope) { e.Payload = []byte(`{"text":""}`) })
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			d.Handle(sgip.MessageSend, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
				t.Error("the handler was reached")
				return exchange.Answer{}, nil
			})
			d.want(c.want, c.request(d, c.body(newID())))
		})
	}

	t.Run("nonce before json", func(t *testing.T) {
		d := newDesk(t)
		d.want(sgip.InvalidPayload, signed(d.sign, d.clock(), "01JA2B3C4D5E6F7G8H9J0K1M2N", []byte("{")))
		d.want(sgip.BadSignature, signed(d.sign, d.clock(), "01JA2B3C4D5E6F7G8H9J0K1M2N", []byte("{")))
	})
	t.Run("once-only before op", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		id := newID()
		d.want("", d.request(message(id)))
		d.want(sgip.InvalidPayload, d.request(unknownOp(id)))
	})
}

func TestInbox_Framing(t *testing.T) {
	for name, change := range map[string]func(*exchange.Request){
		"two lengths":         func(r *exchange.Request) { r.ContentLengths = append(r.ContentLengths, r.ContentLengths[0]) },
		"length and chunks":   func(r *exchange.Request) { r.TransferEncoding = true },
		"encoding":            func(r *exchange.Request) { r.ContentEncodings = []string{"identity"} },
		"no type":             func(r *exchange.Request) { r.ContentTypes = nil },
		"two types":           func(r *exchange.Request) { r.ContentTypes = append(r.ContentTypes, "application/json") },
		"other type":          func(r *exchange.Request) { r.ContentTypes = []string{"application/json-patch+json"} },
		"unreadable type":     func(r *exchange.Request) { r.ContentTypes = []string{"application/json; charset"} },
		"absolute target":     func(r *exchange.Request) { r.Target = "http://berlin.example" + path },
		"two slashes":         func(r *exchange.Request) { r.Target = "/" + path },
		"no target":           func(r *exchange.Request) { r.Target = "" },
		"too large, not read": func(r *exchange.Request) { r.TooLarge = true },
	} {
		t.Run("Err "+name, func(t *testing.T) {
			d := newDesk(t)
			d.Handle(sgip.MessageSend, delivered)
			got := d.want(sgip.InvalidPayload, d.request(message(newID()), change))
			if want := map[bool]int{true: 413, false: 400}[strings.HasPrefix(name, "too large")]; got.status != want {
				t.Errorf("status %d, want %d", got.status, want)
			}
			if d.count("exchange_nonces") != 0 {
				t.Error("a nonce was spent")
			}
		})
	}
	for name, change := range map[string]func(*exchange.Request){
		"chunked":        func(r *exchange.Request) { r.ContentLengths, r.TransferEncoding = nil, true },
		"type parameter": func(r *exchange.Request) { r.ContentTypes = []string{"Application/JSON; charset=utf-8"} },
		"query":          func(r *exchange.Request) { r.Target += "?x=1" }, // it isn't signed
	} {
		t.Run("OK "+name, func(t *testing.T) {
			d := newDesk(t)
			d.Handle(sgip.MessageSend, delivered)
			d.want("", d.request(message(newID()), change))
		})
	}
}

func TestInbox_Nonce(t *testing.T) {
	const nonce = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	body := func() []byte { return message(newID()) }

	t.Run("OK per key", func(t *testing.T) {
		other := signer(t, 2)
		d := newDesk(t, func(c *exchange.InboxConfig) { c.Keys = holders{}.add(signer(t, 1)).add(other) })
		d.Handle(sgip.MessageSend, delivered)
		d.want("", signed(d.sign, d.clock(), nonce, body()))
		d.want("", signed(other, d.clock(), nonce, body()))
	})
	t.Run("OK unspent by a bad signature or time", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		forged := signed(signer(t, 9), d.clock(), nonce, body())
		forged.Signatures[0] = strings.Replace(forged.Signatures[0], signer(t, 9).Public.ID, d.sign.Public.ID, 1)
		d.want(sgip.BadSignature, forged)
		d.want(sgip.Expired, signed(d.sign, d.clock().Add(time.Hour), nonce, body()))
		d.want("", signed(d.sign, d.clock(), nonce, body()))
	})
	t.Run("OK forgotten when no ts can be fresh", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.MessageSend, delivered)
		d.want("", signed(d.sign, d.clock().Add(300*time.Second), nonce, body()))
		d.pass(600 * time.Second) // the same ts is still good
		d.want(sgip.BadSignature, signed(d.sign, d.clock().Add(-300*time.Second), nonce, body()))
		d.pass(time.Second)
		d.want("", signed(d.sign, d.clock(), nonce, body()))
	})
	t.Run("ErrAfterRestart", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "desk.db")
		first := deskAt(t, file)
		first.Handle(sgip.MessageSend, delivered)
		first.want("", signed(first.sign, first.clock(), nonce, body()))
		if err := first.db.Close(); err != nil {
			t.Fatal(err)
		}
		second := deskAt(t, file)
		second.Handle(sgip.MessageSend, delivered)
		second.want(sgip.BadSignature, signed(second.sign, second.clock(), nonce, body()))
	})
	t.Run("OK swept by time alone", func(t *testing.T) {
		d := newDesk(t)
		for range 300 {
			d.want(sgip.InvalidPayload, d.request([]byte("{")))
		}
		if n := d.count("exchange_nonces"); n != 300 {
			t.Fatalf("%d nonces, want 300: one was evicted early", n)
		}
		d.pass(time.Hour)
		for range 300 {
			d.want(sgip.InvalidPayload, d.request([]byte("{")))
		}
		if n := d.count("exchange_nonces"); n > 300 {
			t.Errorf("%d nonces: the old ones stayed", n)
		}
	})
}

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

// sweep serves as many requests as it takes until old rows are looked at.
func sweep(d *desk) {
	for range 256 {
		d.want(sgip.InvalidPayload, d.request([]byte("{")))
	}
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

func TestInbox_Panic(t *testing.T) {
	for name, handler := range map[string]func(d *desk) exchange.Handler{
		"in the first step": func(d *desk) exchange.Handler {
			return func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
				d.mark(ctx, "undone")
				panic("ouch")
			}
		},
		"while asking": func(d *desk) exchange.Handler {
			return func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
				return exchange.Answer{Ask: func(context.Context) exchange.Finish { panic("ouch") }}, nil
			}
		},
		"in the second step": func(d *desk) exchange.Handler {
			return func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
				return exchange.Answer{Ask: func(context.Context) exchange.Finish {
					return func(ctx context.Context) (exchange.Answer, error) {
						d.mark(ctx, "undone")
						panic("ouch")
					}
				}}, nil
			}
		},
	} {
		t.Run("Err "+name, func(t *testing.T) {
			d := newDesk(t)
			d.Handle(sgip.MessageSend, handler(d))
			id := newID()
			got := d.want(sgip.Internal, d.request(message(id)))
			if !got.Error.Retryable || strings.Contains(got.raw, "ouch") {
				t.Errorf("told %s", got.raw)
			}
			if n := strings.Count(d.log.String(), "level=ERROR"); n != 1 || !strings.Contains(d.log.String(), id) {
				t.Errorf("logged %d times: %s", n, d.log.String())
			}
			if d.count("exchange_claims") != 0 || len(d.marks()) != 0 {
				t.Error("something was kept")
			}
			if d.count("exchange_nonces") != 1 {
				t.Error("the nonce is unspent again")
			}
			d.Handle(sgip.MessageSend, delivered)
			d.want("", d.request(message(id)))
		})
	}
}

func TestInbox_Way(t *testing.T) {
	env := func(op sgip.Op, from, to string) []byte {
		e, err := sgip.NewEnvelope(newID(), op, sgip.Address{Platform: from}, sgip.Address{Platform: to}, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	answer := func(context.Context, exchange.Incoming) (exchange.Answer, error) { return exchange.Answer{}, nil }
	const wave sgip.Op = "x-lagos.wave@1"

	t.Run("game", func(t *testing.T) {
		d := newDesk(t)
		d.Handle(sgip.HubPing, answer)
		d.Handle(sgip.HubHello, answer) // even if a game did
		d.Handle(wave, answer)
		d.want("", d.request(env(sgip.HubPing, sgip.HubID, berlin)))
		d.want("", d.request(env(wave, lagos, berlin)))
		d.want(sgip.Forbidden, d.request(env(sgip.HubPing, lagos, berlin)))
		d.want(sgip.Forbidden, d.request(env(sgip.WalletDebit, lagos, berlin)))
		d.want(sgip.OpUnsupported, d.request(env(sgip.HubHello, lagos, berlin)))
		d.want(sgip.OpUnsupported, d.request(env("weather.tell@1", lagos, berlin)))
		d.want(sgip.OpUnsupported, d.request(env("hub.ping@2", sgip.HubID, berlin)))
		d.want(sgip.Forbidden, d.request(env(wave, lagos, "accra.example")))
	})
	t.Run("hub", func(t *testing.T) {
		var routed []sgip.Op
		d := newDesk(t, func(c *exchange.InboxConfig) {
			c.Self, c.Keys = sgip.HubID, holders{}.add(signer(t, 1), lagos)
			c.Route = func(_ context.Context, in exchange.Incoming) (exchange.Answer, error) {
				routed = append(routed, in.Op)
				return exchange.Answer{}, nil
			}
		})
		d.Handle(sgip.PlatformDirectory, answer)
		d.Handle(sgip.HubPing, answer)
		d.want("", d.request(env(sgip.PlatformDirectory, lagos, sgip.HubID)))
		d.want("", d.request(env(wave, lagos, berlin)))
		d.want(sgip.OpUnsupported, d.request(env(sgip.HubPing, lagos, sgip.HubID)))
		d.want(sgip.OpUnsupported, d.request(env(sgip.VisitEnd, lagos, sgip.HubID)))
		d.want(sgip.Forbidden, d.request(env(wave, berlin, lagos))) // lagos's key
		d.want(sgip.Forbidden, d.request(env(sgip.HubPing, sgip.HubID, berlin)))
		if fmt.Sprint(routed) != "[x-lagos.wave@1]" {
			t.Errorf("routed %v", routed)
		}
	})
}

// introductions answer for the descriptor of lagos.
type introductions struct {
	keys  []sgip.PublicKey
	err   error
	asked int
}

func (i *introductions) Introduces(op sgip.Op) bool { return op == sgip.HubHello }

func (i *introductions) Keys(context.Context, sgip.Envelope) ([]sgip.PublicKey, error) {
	i.asked++
	return i.keys, i.err
}

func TestInbox_Introductions(t *testing.T) {
	hello := func(change ...func(*sgip.Envelope)) []byte {
		return message(newID(), append([]func(*sgip.Envelope){func(e *sgip.Envelope) {
			e.Op, e.From, e.To, e.Payload = sgip.HubHello, sgip.Address{Platform: lagos}, sgip.Address{Platform: sgip.HubID}, []byte(`{}`)
		}}, change...)...)
	}
	own, stranger := signer(t, 5), signer(t, 9)
	meet := func(t *testing.T) (*desk, *introductions) {
		in := &introductions{keys: []sgip.PublicKey{signer(t, 4).Public, own.Public}}
		d := newDesk(t, func(c *exchange.InboxConfig) {
			c.Self, c.Keys, c.Introductions = sgip.HubID, holders{}.add(signer(t, 1), berlin), in
		})
		d.Handle(sgip.HubHello, func(context.Context, exchange.Incoming) (exchange.Answer, error) { return exchange.Answer{}, nil })
		return d, in
	}
	t.Run("OK", func(t *testing.T) {
		d, _ := meet(t)
		r := signed(own, d.clock(), newID(), hello())
		d.want("", r)
		d.want(sgip.BadSignature, r) // its nonce is spent
	})
	t.Run("ErrEnvelope before anything is fetched", func(t *testing.T) {
		d, in := meet(t)
		for _, body := range [][]byte{
			hello(func(e *sgip.Envelope) { e.Payload = []byte("null") }),
			hello(func(e *sgip.Envelope) { e.ID = "1" }),
			[]byte(`{"op":"hub.hello@1"}`),
		} {
			d.want(sgip.InvalidPayload, signed(stranger, d.clock(), newID(), body))
		}
		if in.asked != 0 {
			t.Error("a descriptor was fetched")
		}
		d.want(sgip.BadSignature, signed(stranger, d.clock(), newID(), []byte("{"))) // who knows what it was
	})
	t.Run("ErrDescriptor before the signature", func(t *testing.T) {
		d, in := meet(t)
		in.err = sgip.Errorf(sgip.PlatformOffline, "not reachable")
		got := d.want(sgip.PlatformOffline, signed(stranger, d.clock(), newID(), hello()))
		if got.ID == nil {
			t.Error("the id could be read")
		}
	})
	t.Run("ErrUnlisted", func(t *testing.T) {
		d, _ := meet(t)
		d.want(sgip.BadSignature, signed(stranger, d.clock(), newID(), hello()))
		d.want(sgip.BadSignature, signed(d.sign, d.clock(), newID(), hello())) // berlin's key
		if d.count("exchange_nonces") != 0 {
			t.Error("a nonce was spent")
		}
	})
	t.Run("ErrSignature before time", func(t *testing.T) {
		d, _ := meet(t)
		r := signed(own, d.clock().Add(-time.Hour), newID(), hello())
		d.want(sgip.Expired, r)
		r.Body = append(r.Body, ' ')
		d.want(sgip.BadSignature, r)
	})
	t.Run("ErrPlayer", func(t *testing.T) {
		d, _ := meet(t)
		d.want(sgip.Forbidden, signed(own, d.clock(), newID(), hello(func(e *sgip.Envelope) { e.From.Player = lena })))
	})
}

type watcher struct{ seen []exchange.Event }

func (w *watcher) Observe(e exchange.Event) { w.seen = append(w.seen, e) }

func TestInbox_Observer(t *testing.T) {
	w := &watcher{}
	d := newDesk(t, func(c *exchange.InboxConfig) { c.Observer = w })
	d.Handle(sgip.MessageSend, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
		return exchange.Answer{Result: map[string]any{"deep": []any{map[string]any{"passport": "secret.secret.secret", "n": 1.0}}}}, nil
	})
	id := newID()
	d.want("", d.request(message(id)))
	forged := d.request(message(id))
	forged.Body = append(forged.Body, ' ')
	d.want(sgip.BadSignature, forged)
	if len(w.seen) != 2 {
		t.Fatalf("%d events", len(w.seen))
	}
	good, bad := w.seen[0], w.seen[1]
	if good.Peer != lagos || good.Op != sgip.MessageSend || good.ID != id || good.Code != "" {
		t.Errorf("%+v", good)
	}
	if got := string(good.Response.JSON()); !strings.Contains(got, `"passport":"•••","n":1`) && !strings.Contains(got, `"n":1,"passport":"•••"`) {
		t.Errorf("response: %s", got)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		printed := fmt.Sprintf(verb, w.seen)
		if strings.Contains(printed, "secret") || strings.Contains(printed, fmt.Sprintf("%x", "secret")) || strings.Contains(printed, "115 101 99") {
			t.Errorf("%s prints a passport", verb)
		}
	}
	if bad.Peer != "" || bad.ID != "" || bad.Code != sgip.BadSignature {
		t.Errorf("a forged request is told as %+v", bad)
	}
}
