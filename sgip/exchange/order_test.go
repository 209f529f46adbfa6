package exchange_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

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
