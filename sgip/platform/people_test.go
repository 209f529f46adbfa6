package platform_test

import (
	"context"
	"strings"
	"testing"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

func TestPlayer_Lookup(t *testing.T) {
	n := newNetwork(t)
	look := func(player string, to ...string) sgip.Reply {
		address := sgip.Address{Platform: n.id}
		if len(to) > 0 {
			address.Player = to[0]
		}
		return n.deliver(sgip.PlayerLookup, sgip.Address{Platform: oslo}, address, sgip.PlayerQuery{Player: player})
	}
	t.Run("OK", func(t *testing.T) {
		var card sgip.PlayerCard
		r := look(n.player("tunde"), n.player("tunde"))
		if err := sgip.DecodeResult(local, sgip.PlayerLookup, r, &card); err != nil || card.Player != n.player("tunde") || card.Name != "Tunde" {
			t.Fatalf("%+v, %v", card, err)
		}
	})
	t.Run("ErrHiddenLikeAbsent", func(t *testing.T) {
		hidden, absent := look(n.player("ada")), look(n.player("bob"))
		wantRefused(t, hidden, sgip.NotFound)
		wantRefused(t, absent, sgip.NotFound)
		if strings.ReplaceAll(hidden.Error.Message, "ada", "bob") != absent.Error.Message {
			t.Fatalf("%q and %q tell them apart", hidden.Error.Message, absent.Error.Message)
		}
	})
	t.Run("ErrElsewhere", func(t *testing.T) { wantRefused(t, look("lena@"+oslo), sgip.NotFound) })
	t.Run("ErrMismatch", func(t *testing.T) {
		wantRefused(t, look(n.player("tunde"), n.player("ada")), sgip.InvalidPayload)
	})
}

func TestMessage_Receive(t *testing.T) {
	n := newNetwork(t)
	lena := sgip.Address{Platform: oslo, Player: "lena@" + oslo}
	write := func(from, to sgip.Address, text string) sgip.Reply {
		return n.deliver(sgip.MessageSend, from, to, sgip.MessagePayload{Text: text})
	}
	t.Run("OKOnce", func(t *testing.T) {
		id := newID()
		for range 3 {
			r := n.deliverAs(id, sgip.MessageSend, lena, n.toPlayer("tunde"), sgip.MessagePayload{Text: "Hei!"})
			wantRefused(t, r, "")
		}
		got := n.town.received()
		want := platform.Message{ID: id, From: lena.Player, To: n.player("tunde"), Text: "Hei!"}
		if len(got) != 1 || got[0] != want {
			t.Fatalf("received %+v", got)
		}
	})
	t.Run("ErrHiddenLikeAbsent", func(t *testing.T) {
		hidden, absent := write(lena, n.toPlayer("ada"), "Hei!"), write(lena, n.toPlayer("bob"), "Hei!")
		wantRefused(t, hidden, sgip.NotFound)
		wantRefused(t, absent, sgip.NotFound)
		if strings.ReplaceAll(hidden.Error.Message, "ada", "bob") != absent.Error.Message {
			t.Fatalf("%q and %q tell them apart", hidden.Error.Message, absent.Error.Message)
		}
	})
	t.Run("ErrBlocked", func(t *testing.T) { wantRefused(t, write(lena, n.toPlayer("tunde"), "blocked"), sgip.Forbidden) })
	t.Run("ErrNoSender", func(t *testing.T) {
		wantRefused(t, write(hubAddress, n.toPlayer("ghost"), "Hei!"), sgip.NotFound)
		wantRefused(t, write(hubAddress, n.toPlayer("ada"), "Hei!"), sgip.NotFound)
		wantRefused(t, write(hubAddress, n.toPlayer("tunde"), "Hei!"), sgip.InvalidPayload)
	})
	t.Run("ErrNoPlayer", func(t *testing.T) {
		wantRefused(t, write(lena, sgip.Address{Platform: n.id}, "Hei!"), sgip.InvalidPayload)
	})
	t.Run("ErrText", func(t *testing.T) {
		for _, text := range []string{"", "  ", "<b>hei</b>", "bell\a", strings.Repeat("x", 1001)} {
			wantRefused(t, write(lena, n.toPlayer("tunde"), text), sgip.InvalidPayload)
		}
	})
}

func TestMessage_Send(t *testing.T) {
	n := newNetwork(t)
	n.run()
	send := func(m platform.Message) error {
		return n.db.InTx(t.Context(), func(ctx context.Context) error { return n.seat.Send(ctx, m) })
	}
	t.Run("OKInOrder", func(t *testing.T) {
		n.hub.answer(sgip.MessageSend, func(sgip.Envelope) (any, error) { return sgip.MessageResult{Delivered: true}, nil })
		var ids []string
		for range 5 {
			m := platform.Message{ID: newID(), ReplyTo: newID(), From: n.player("tunde"), To: "lena@" + oslo, Text: "How far?"}
			if err := send(m); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, m.ID)
		}
		for _, id := range ids {
			eventually(t, "delivered", func() bool { _, ok := n.town.ended(n.town.delivered, id); return ok })
		}
		got := n.hub.got(sgip.MessageSend)
		for i, e := range got {
			if e.ID != ids[i] || e.From.Player != n.player("tunde") || e.To.Player != "lena@"+oslo || e.ReplyTo == nil {
				t.Fatalf("sent %+v as number %d", e, i)
			}
		}
	})
	t.Run("ErrRefusedAbroad", func(t *testing.T) {
		n.hub.answer(sgip.MessageSend, func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(sgip.NotFound, "No player") })
		m := platform.Message{ID: newID(), From: n.player("tunde"), To: "ghost@" + oslo, Text: "Anyone?"}
		if err := send(m); err != nil {
			t.Fatal(err)
		}
		eventually(t, "refused", func() bool {
			code, ok := n.town.ended(n.town.delivered, m.ID)
			return ok && code == sgip.NotFound
		})
	})
	t.Run("ErrBeforeItIsWrittenDown", func(t *testing.T) {
		for _, m := range []platform.Message{
			{ID: newID(), From: n.player("tunde"), To: "lena", Text: "Hei"},
			{ID: newID(), From: n.player("tunde"), To: "lena@" + oslo, Text: "<script>"},
			{ID: newID(), From: n.player("tunde"), To: "lena@" + oslo, Text: " "},
		} {
			wantCode(t, send(m), sgip.InvalidPayload)
		}
	})
}
