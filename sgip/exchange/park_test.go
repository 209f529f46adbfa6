package exchange_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

func TestInbox_Park(t *testing.T) {
	pending := exchange.Answer{Result: map[string]bool{"queued": true}, Unkept: true}
	parking := func(d *desk, asking bool) {
		d.Handle(sgip.MessageSend, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
			if !asking {
				return pending, nil
			}
			return exchange.Answer{Ask: func(context.Context) exchange.Finish {
				return func(context.Context) (exchange.Answer, error) { return pending, nil }
			}}, nil
		})
	}
	for name, asking := range map[string]bool{"one step": false, "two steps": true} {
		t.Run("ErrOtherBody, "+name, func(t *testing.T) {
			d := newDesk(t)
			parking(d, asking)
			body := message(newID())
			d.want("", d.request(body))
			d.want(sgip.InvalidPayload, d.request(append(body, ' ')))
			if got := d.want("", d.request(body)); string(got.Result) != `{"queued":true}` {
				t.Errorf("the first body gets %s", got.raw)
			}
		})
		t.Run("OK settled, "+name, func(t *testing.T) {
			d := newDesk(t)
			parking(d, asking)
			id := newID()
			body := message(id)
			d.want("", d.request(body))
			gone := &sgip.Error{Code: sgip.PlatformOffline, Final: true, Message: "too late"}
			err := d.db.InTx(t.Context(), func(ctx context.Context) error {
				return d.Settle(ctx, lagos, id, sgip.MessageSend, sgip.ErrorReply(id, gone))
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got := d.want(sgip.PlatformOffline, d.request(body)); got.Error.Retryable {
					t.Errorf("settled as final, answered %s", got.raw)
				}
			}
		})
		t.Run("OK not taken up at start, "+name, func(t *testing.T) {
			d := newDesk(t)
			parking(d, asking)
			d.want("", d.request(message(newID())))
			d.Handle(sgip.MessageSend, func(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
				t.Error("what waits was taken up")
				return delivered(ctx, in)
			})
			if err := d.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Run("OK a transient answer leaves it parked", func(t *testing.T) {
		for name, asking := range map[string]bool{"one step": false, "two steps": true} {
			t.Run(name, func(t *testing.T) {
				d := newDesk(t)
				parking(d, false)
				body := message(newID())
				d.want("", d.request(body))
				away := sgip.Errorf(sgip.Internal, "just now not")
				d.Handle(sgip.MessageSend, func(context.Context, exchange.Incoming) (exchange.Answer, error) {
					if !asking {
						return exchange.Answer{}, away
					}
					return exchange.Answer{Ask: func(context.Context) exchange.Finish {
						return func(context.Context) (exchange.Answer, error) { return exchange.Answer{}, away }
					}}, nil
				})
				d.want(sgip.Internal, d.request(body))
				d.want(sgip.InvalidPayload, d.request(append(body, ' ')))
			})
		}
	})
	t.Run("OK forgotten in the end", func(t *testing.T) {
		d := newDesk(t)
		parking(d, false)
		d.want("", d.request(message(newID())))
		d.pass(1000 * time.Hour)
		d.Handle(sgip.MessageSend, delivered)
		sweep(d)
		var parked int
		d.db.Conn(t.Context()).Raw("SELECT count(*) FROM exchange_claims WHERE reply IS NULL").Scan(&parked)
		if parked != 0 {
			t.Errorf("%d still wait", parked)
		}
	})
}

func TestInbox_Throttle(t *testing.T) {
	var counted atomic.Int32
	var full atomic.Bool
	d := newDesk(t, func(c *exchange.InboxConfig) {
		c.Throttle = func(platform string, op sgip.Op) error {
			if platform != lagos || op != sgip.MessageSend {
				t.Errorf("counted for %s, %s", platform, op)
			}
			counted.Add(1)
			if full.Load() {
				return &sgip.Error{Code: sgip.RateLimited, Message: "too many", RetryAfter: 7}
			}
			return nil
		}
	})
	d.Handle(sgip.MessageSend, delivered)
	t.Run("OK what is answered already isn't counted", func(t *testing.T) {
		body := message(newID())
		d.want("", d.request(body))
		d.want("", d.request(body))
		if got := counted.Load(); got != 1 {
			t.Errorf("counted %d times", got)
		}
	})
	t.Run("ErrTooMany", func(t *testing.T) {
		full.Store(true)
		body := message(newID())
		request := d.request(body)
		got := d.want(sgip.RateLimited, request)
		if got.status != 429 || !got.Error.Retryable {
			t.Errorf("%s", got.raw)
		}
		d.want(sgip.BadSignature, request) // its nonce is spent
		full.Store(false)
		d.want("", d.request(body)) // but the envelope isn't
	})
	t.Run("ErrBadSignatureFirst", func(t *testing.T) {
		before := counted.Load()
		bad := signed(signer(t, 9), d.clock(), newID(), message(newID()))
		d.want(sgip.BadSignature, bad)
		if counted.Load() != before {
			t.Error("a stranger has used up a rate")
		}
	})
}
