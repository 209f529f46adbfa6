package game_test

import (
	"strings"
	"testing"

	"sgip.example/starter/game"
)

const (
	letter1 = "01JA2B3C4D5E6F7G8H9J0K1M41"
	letter2 = "01JA2B3C4D5E6F7G8H9J0K1M42"
)

func (f *fixture) unread(who game.PersonID) int {
	f.t.Helper()
	n, err := f.Unread(f.ctx, who)
	f.must(err)
	return n
}

func TestTown_Write(t *testing.T) {
	t.Run("OK at home", func(t *testing.T) {
		f := berlin(t)
		m, err := f.Write(f.ctx, lena, "jonas", "Na, wie geht’s?", letter1)
		f.must(err)
		if m.State != game.MessageDelivered || f.unread(jonas) != 1 || f.unread(lena) != 0 {
			t.Fatalf("%+v, %d unread", m, f.unread(jonas))
		}
		talks, err := f.Conversations(f.ctx, jonas)
		f.must(err)
		if len(talks) != 1 || talks[0].With != "lena" || talks[0].Name != "Lena" || talks[0].Unread != 1 || talks[0].Mine {
			t.Fatalf("%+v", talks)
		}
		got, err := f.Conversation(f.ctx, jonas, "lena")
		f.must(err)
		if len(got) != 1 || got[0].Text != "Na, wie geht’s?" || got[0].Mine || f.unread(jonas) != 0 {
			t.Fatalf("%+v, %d unread", got, f.unread(jonas))
		}
	})
	t.Run("OK abroad", func(t *testing.T) {
		f := berlin(t)
		m, err := f.Write(f.ctx, lena, string(tunde), "How far?", letter1)
		f.must(err)
		if m.State != game.MessageSending {
			t.Fatalf("%+v", m)
		}
		f.must(f.MessageWaits(f.ctx, letter1))
		f.stateOf(letter1, game.MessageWaiting, "")
		f.must(f.MessageEnded(f.ctx, letter1, ""))
		f.must(f.MessageEnded(f.ctx, letter1, "not_found")) // too late
		f.stateOf(letter1, game.MessageDelivered, "")
		_, err = f.Write(f.ctx, lena, string(tunde), "Still there?", letter2)
		f.must(err)
		f.must(f.MessageEnded(f.ctx, letter2, "not_found"))
		f.stateOf(letter2, game.MessageFailed, "not_found")
		f.refused(f.MessageEnded(f.ctx, visit1, ""), game.ErrNoSuch)
	})
	t.Run("Err", func(t *testing.T) {
		f := berlin(t)
		f.arrive()
		f.must(f.Block(f.ctx, jonas, "lena", true))
		for _, c := range []struct {
			who      game.PersonID
			to, text string
			want     game.Kind
		}{
			{lena, "ghost", "Hi", game.ErrNoPlayer}, {lena, "jonas", "Hi", game.ErrBlocked},
			{lena, "lena", "Hi", game.ErrInvalid}, {tunde, "lena", "Hi", game.ErrInvalid},
			{lena, "jonas", " \n", game.ErrInvalid}, {lena, "jonas", "a <b", game.ErrInvalid},
			{lena, "jonas", "</p", game.ErrInvalid}, {lena, "jonas", "<!--", game.ErrInvalid},
			{lena, "jonas", "bell\a", game.ErrInvalid}, {lena, "jonas", "a\r\nb", game.ErrInvalid},
			{lena, "jonas", "\u200b\u200b", game.ErrInvalid}, {lena, "jonas", "bad \xff", game.ErrInvalid},
			{lena, "jonas", strings.Repeat("ß", 1001), game.ErrInvalid},
		} {
			_, err := f.Write(f.ctx, c.who, c.to, c.text, letter1)
			f.refused(err, c.want)
		}
		f.must(f.Block(f.ctx, jonas, "lena", false))
		_, err := f.Write(f.ctx, lena, "jonas", "a < b\n\t"+strings.Repeat("ß", 900), letter1)
		f.must(err)
	})
}

// stateOf checks how far one of Lena's messages to Tunde has come.
func (f *fixture) stateOf(id string, state game.MessageState, why string) {
	f.t.Helper()
	all, err := f.Conversation(f.ctx, lena, string(tunde))
	f.must(err)
	for _, m := range all {
		if m.ID == id {
			if m.State != state || m.Why != why {
				f.t.Fatalf("%s %s, want %s %s", m.State, m.Why, state, why)
			}
			return
		}
	}
	f.t.Fatalf("no message %s", id)
}

func TestTown_Receive(t *testing.T) {
	from := func(to game.PersonID, id, text string) game.Message {
		return game.Message{ID: id, Owner: to, With: string(tunde), Text: text}
	}
	t.Run("OK once", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Receive(f.ctx, from(lena, letter1, "How far?")))
		f.must(f.Receive(f.ctx, from(lena, letter1, "How far?")))
		if f.unread(lena) != 1 {
			t.Fatalf("%d unread", f.unread(lena))
		}
	})
	t.Run("OK same id as one's own", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Write(f.ctx, lena, string(tunde), "How far?", letter1)
		f.must(err)
		f.must(f.Receive(f.ctx, from(lena, letter1, "I dey!")))
		got, err := f.Conversation(f.ctx, lena, string(tunde))
		f.must(err)
		if len(got) != 2 || !got[0].Mine || got[1].Text != "I dey!" {
			t.Fatalf("%+v", got)
		}
	})
	t.Run("ErrNoPlayer", func(t *testing.T) {
		f := berlin(t)
		f.must(f.SetDiscoverable(f.ctx, jonas, false))
		hidden := f.Receive(f.ctx, from(jonas, letter1, "Hi"))
		absent := f.Receive(f.ctx, from("ghost", letter1, "Hi"))
		f.refused(hidden, game.ErrNoPlayer)
		if absent == nil || hidden.Error() != absent.Error() {
			t.Fatalf("%v and %v tell who lives here", hidden, absent)
		}
		// Jonas blocks and hides: hidden comes first.
		f.must(f.Block(f.ctx, jonas, string(tunde), true))
		f.refused(f.Receive(f.ctx, from(jonas, letter1, "Hi")), game.ErrNoPlayer)
		f.must(f.Block(f.ctx, jonas, string(tunde), false))
		_, err := f.Write(f.ctx, jonas, string(tunde), "Hallo!", letter2)
		f.must(err)
		f.must(f.Receive(f.ctx, from(jonas, letter1, "Hi")))
		f.refused(f.Receive(f.ctx, game.Message{ID: letter1, Owner: jonas, With: "ada@lagos.example", Text: "Hi"}), game.ErrNoPlayer)
	})
	t.Run("ErrNoPlayer guest", func(t *testing.T) {
		f := berlin(t)
		f.arrive()
		f.refused(f.Receive(f.ctx, game.Message{ID: letter1, Owner: tunde, With: "ada@lagos.example", Text: "Hi"}), game.ErrNoPlayer)
	})
	t.Run("ErrBlocked", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Block(f.ctx, lena, string(tunde), true))
		f.refused(f.Receive(f.ctx, from(lena, letter1, "Hi")), game.ErrBlocked)
		if f.unread(lena) != 0 {
			t.Fatal("it arrived nevertheless")
		}
	})
	t.Run("ErrInvalid", func(t *testing.T) {
		f := berlin(t)
		f.refused(f.Receive(f.ctx, from(lena, letter1, "<script")), game.ErrInvalid)
	})
}
