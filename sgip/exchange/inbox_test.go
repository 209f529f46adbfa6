package exchange_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

func delivered(context.Context, exchange.Incoming) (exchange.Answer, error) {
	return exchange.Answer{Result: sgip.MessageResult{Delivered: true}}, nil
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

func (i *introductions) Keys(context.Context, sgip.Envelope, string) ([]sgip.PublicKey, error) {
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
