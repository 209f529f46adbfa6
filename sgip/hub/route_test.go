package hub_test

import (
	"bytes"
	"net/http"
	"testing"

	"sgip.example/starter/sgip"
)

func TestRoute_Forward(t *testing.T) {
	t.Run("OKByteForByte", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		berlin.on(sgip.MessageSend, func(sgip.Envelope) (any, error) { return sgip.MessageResult{Delivered: true}, nil })
		// Odd spacing, an unknown field and a key out of order must all arrive.
		id := newID()
		body := []byte(`{ "payload":{"text":"How far? 5 < 6","x":[1.50]}, "new_field": 1e2,` + "\n" +
			`"id":"` + id + `","op":"message.send@1","sgip":"0.7","from":{"platform":"` + lagos.id + `","player":"` + lagos.player("tunde").Player +
			`"},"to":{"platform":"` + berlin.id + `","player":"` + berlin.player("lena").Player + `"}}`)
		reply := lagos.postBytes(lagos.signer, id, body)
		if got := result[sgip.MessageResult](t, sgip.MessageSend, reply); !got.Delivered {
			t.Errorf("result %+v", got)
		}
		in := berlin.got(sgip.MessageSend)
		if len(in) != 1 || !bytes.Equal(in[0].body, body) {
			t.Fatalf("Berlin got %d, the last as\n%s", len(in), in[0].body)
		}
		verified(t, n.key, in[0])
		if again := lagos.postBytes(lagos.signer, id, body); !again.OK || len(berlin.got(sgip.MessageSend)) != 1 {
			t.Error("a repeat must get the first answer without going on")
		}
	})
	t.Run("OKRefusalPassesOn", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		for _, code := range []sgip.Code{sgip.NotFound, sgip.Forbidden, sgip.InvalidPayload, sgip.RateLimited, sgip.Internal} {
			berlin.on(sgip.PlayerLookup, refuses(code))
			reply := lagos.lookup(berlin, "lena")
			wantCode(t, reply, code)
			if reply.Error.Message != "says "+string(code) {
				t.Errorf("message %q", reply.Error.Message)
			}
		}
	})
	t.Run("OKExperimentalUnread", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		const wave sgip.Op = "x-lagos.wave@1"
		wantCode(t, lagos.send(wave, sgip.Address{Platform: berlin.id}, map[string]int{"any": 1}), sgip.OpUnsupported)
		berlin.change(func(d *sgip.Descriptor) { d.Capabilities = append(d.Capabilities, wave, "place.wave@3") })
		berlin.on("place.wave@3", func(sgip.Envelope) (any, error) { return struct{}{}, nil })
		wantCode(t, lagos.send("place.wave@3", sgip.Address{Platform: berlin.id}, struct{}{}), "") // unknown, not experimental
		wantCode(t, lagos.send(wave, sgip.Address{Platform: berlin.id}, map[string]int{"any": 1}), sgip.OpUnsupported)
		lagos.change(func(d *sgip.Descriptor) { d.Capabilities = append(d.Capabilities, wave) })
		berlin.on(wave, func(sgip.Envelope) (any, error) { return map[string]string{"back": "hello"}, nil })
		wantCode(t, lagos.send(wave, sgip.Address{Platform: berlin.id}, map[string]int{"any": 1}), "")
	})
}

func (g *game) lookup(target *game, handle string) sgip.Reply {
	g.n.t.Helper()
	return g.send(sgip.PlayerLookup, sgip.Address{Platform: target.id}, sgip.PlayerQuery{Player: sgip.PlayerID(handle, target.id)})
}

func TestRoute_Refuse(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	to := sgip.Address{Platform: berlin.id}
	lookup := sgip.PlayerQuery{Player: sgip.PlayerID("lena", berlin.id)}
	t.Run("ErrUnknownPlatform", func(t *testing.T) {
		wantCode(t, lagos.send(sgip.PlayerLookup, sgip.Address{Platform: "ghost.localhost"}, lookup), sgip.NotFound)
	})
	t.Run("ErrUndeclared", func(t *testing.T) {
		wantCode(t, lagos.send(sgip.PlayerProfile, to, lookup), sgip.OpUnsupported)
	})
	t.Run("ErrHubOpToAPlatform", func(t *testing.T) {
		wantCode(t, lagos.send(sgip.PlatformDirectory, to, struct{}{}), sgip.OpUnsupported)
	})
	t.Run("ErrOpOfTheHub", func(t *testing.T) {
		for _, op := range []sgip.Op{sgip.HubPing, sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit} {
			wantCode(t, berlin.send(op, sgip.Address{Platform: lagos.id}, struct{}{}), sgip.Forbidden)
		}
	})
	t.Run("ErrPlatformOpToTheHub", func(t *testing.T) {
		for _, op := range []sgip.Op{sgip.MessageSend, sgip.VisitEnd, "x-lagos.wave@1"} {
			wantCode(t, lagos.send(op, hubAddress, struct{}{}), sgip.OpUnsupported)
		}
	})
	t.Run("ErrPayload", func(t *testing.T) {
		wantCode(t, lagos.send(sgip.PlayerLookup, to, map[string]int{"player": 1}), sgip.InvalidPayload)
	})
	t.Run("ErrForgedSender", func(t *testing.T) {
		env := lagos.envelope(sgip.PlayerLookup, to, lookup)
		env.From.Player = berlin.player("lena").Player
		wantCode(t, lagos.post(env), sgip.Forbidden)
		env = berlin.envelope(sgip.PlayerLookup, to, lookup)
		wantCode(t, lagos.postAs(lagos.signer, env), sgip.Forbidden)
	})
	if got := len(berlin.got(sgip.PlayerLookup)) + len(lagos.got(sgip.WalletDebit)); got != 0 {
		t.Errorf("%d refused envelopes were passed on", got)
	}
}

func TestRoute_Offline(t *testing.T) {
	raw := func(status int, body string) answer {
		return func(sgip.Envelope) (any, error) {
			return rawAnswer(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}), nil
		}
	}
	n := newNetwork(t)
	lagos, berlin := n.pair()
	for name, no := range map[string]answer{
		"ErrHangsUp":      hangUp,
		"ErrNoReply":      raw(500, "oops"),
		"ErrOtherID":      raw(200, `{"ok":true,"id":"01JA2B3C4D5E6F7G8H9J0K1M2N","result":{}}`),
		"ErrBadSignature": refuses(sgip.BadSignature),
		"ErrExpired":      refuses(sgip.Expired),
		"ErrUnknownCode":  refuses("on_strike"),
	} {
		t.Run(name, func(t *testing.T) {
			berlin.on(sgip.PlayerLookup, no)
			reply := lagos.lookup(berlin, "lena")
			wantCode(t, reply, sgip.PlatformOffline)
			if !reply.Error.Retryable() {
				t.Error("must be retryable")
			}
		})
	}
	t.Run("OKSameIDLater", func(t *testing.T) {
		env := lagos.envelope(sgip.PlayerLookup, sgip.Address{Platform: berlin.id}, sgip.PlayerQuery{Player: sgip.PlayerID("lena", berlin.id)})
		berlin.on(sgip.PlayerLookup, hangUp)
		wantCode(t, lagos.post(env), sgip.PlatformOffline)
		berlin.on(sgip.PlayerLookup, func(sgip.Envelope) (any, error) { return sgip.PlayerCard{Player: "lena", Name: "Lena"}, nil })
		wantCode(t, lagos.post(env), "")
	})
	t.Run("OKErrorWithoutID", func(t *testing.T) {
		berlin.on(sgip.PlayerLookup, raw(404, `{"ok":false,"id":null,"error":{"code":"not_found","message":"nobody","retryable":false}}`))
		wantCode(t, lagos.lookup(berlin, "lena"), sgip.NotFound)
	})
}
