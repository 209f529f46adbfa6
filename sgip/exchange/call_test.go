package exchange_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

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
}

func TestOutbox_CallAttempt(t *testing.T) {
	id := newID()
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
