package game_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/game"
)

const ada = "ada@lagos.example"

// statements are what fn asks of the database, as prepared: without values.
func (f *fixture) statements(fn func()) []string {
	f.t.Helper()
	var asked []string
	log := func(tx *gorm.DB) { asked = append(asked, tx.Statement.SQL.String()) }
	listen := func(db *gorm.DB) {
		for _, err := range []error{
			db.Callback().Query().After("gorm:query").Replace("test:log", log), db.Callback().Raw().After("gorm:raw").Replace("test:log", log),
			db.Callback().Create().After("gorm:create").Replace("test:log", log), db.Callback().Update().After("gorm:update").Replace("test:log", log),
			db.Callback().Row().After("gorm:row").Replace("test:log", log), db.Callback().Delete().After("gorm:delete").Replace("test:log", log),
		} {
			f.must(err)
		}
	}
	listen(f.db.Conn(f.ctx))
	f.must(f.db.InTx(f.ctx, func(ctx context.Context) error { listen(f.db.Tx(ctx)); return nil }))
	asked = nil
	fn()
	return asked
}

// TestTown_HiddenLikeAbsent: whatever is asked about someone who hides, the town
// asks its database the same and says the same as for someone who isn't there.
func TestTown_HiddenLikeAbsent(t *testing.T) {
	f := berlin(t)
	f.must(f.SetDiscoverable(f.ctx, jonas, false))
	f.must(f.Block(f.ctx, jonas, "lagos.example", true)) // must not show either
	for name, ask := range map[string]func(who game.PersonID) error{
		"find":    func(who game.PersonID) error { _, err := f.Find(f.ctx, string(who), ada); return err },
		"profile": func(who game.PersonID) error { _, err := f.Profile(f.ctx, string(who), ada); return err },
		"message": func(who game.PersonID) error {
			return f.Receive(f.ctx, game.Message{ID: letter1, Owner: who, With: ada, Text: "Hi"})
		},
		"invite": func(who game.PersonID) error {
			return f.Receive(f.ctx, game.Message{ID: letter1, Owner: who, With: ada, Invite: &game.Invite{Verb: "eat", Label: "Chop"}})
		},
	} {
		var hidden, absent error
		ofHidden := f.statements(func() { hidden = ask(jonas) })
		ofAbsent := f.statements(func() { absent = ask("ghost") })
		f.refused(hidden, game.ErrNoPlayer)
		f.refused(absent, game.ErrNoPlayer)
		if hidden.Error() != absent.Error() || strings.Contains(hidden.Error(), "jonas") {
			t.Errorf("%s: %q and %q tell them apart", name, hidden, absent)
		}
		if len(ofHidden) < 3 || !slices.Equal(ofHidden, ofAbsent) {
			t.Errorf("%s: of a hidden one the database is asked\n%s\nof an absent one\n%s", name, strings.Join(ofHidden, "\n"), strings.Join(ofAbsent, "\n"))
		}
	}
}

func TestTown_Profile(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		f.must(f.SetBio(f.ctx, lena, "Paints.\nDoesn't cook."))
		f.minutes(60)
		p, err := f.Profile(f.ctx, "lena", ada)
		f.must(err)
		home := f.World().Place(f.World().Start.Place)
		if p.Name != "Lena" || p.Bio != "Paints.\nDoesn't cook." || p.District == "" || p.PenPal {
			t.Fatalf("%+v", p)
		}
		if strings.Contains(p.District, home.Name) || len(p.Stats) != len(game.StatIDs()) || p.Stats["hunger"] != f.stat(lena, "hunger") {
			t.Fatalf("district %q, stats %v", p.District, p.Stats)
		}
		_, err = f.Write(f.ctx, lena, ada, "Hallo!", letter1)
		f.must(err)
		if p, err = f.Profile(f.ctx, "lena", ada); err != nil || !p.PenPal {
			t.Fatalf("%+v, %v", p, err)
		}
	})
	t.Run("OKNeighbour", func(t *testing.T) {
		f := berlin(t)
		f.must(f.SetDiscoverable(f.ctx, jonas, false)) // hides from other towns alone
		if p, err := f.NeighbourProfile(f.ctx, "jonas", lena); err != nil || p.Name != "Jonas" {
			t.Fatalf("%+v, %v", p, err)
		}
		_, err := f.NeighbourProfile(f.ctx, "ghost", lena)
		f.refused(err, game.ErrNoPlayer)
	})
	t.Run("ErrHiddenFromWhomTheyWroteTo", func(t *testing.T) {
		f := berlin(t)
		f.must(f.SetDiscoverable(f.ctx, jonas, false))
		_, err := f.Write(f.ctx, jonas, ada, "Hallo!", letter1)
		f.must(err)
		_, err = f.Find(f.ctx, "jonas", ada)
		f.refused(err, game.ErrNoPlayer)
		_, err = f.Profile(f.ctx, "jonas", ada)
		f.refused(err, game.ErrNoPlayer)
		f.must(f.Receive(f.ctx, game.Message{ID: letter1, Owner: jonas, With: ada, Text: "Hi"}))
	})
	t.Run("ErrBlocked", func(t *testing.T) {
		f := berlin(t)
		for _, whom := range []string{ada, "lagos.example"} {
			f.must(f.Block(f.ctx, lena, whom, true))
			_, err := f.Profile(f.ctx, "lena", ada)
			f.refused(err, game.ErrBlocked)
			_, err = f.Find(f.ctx, "lena", ada)
			f.refused(err, game.ErrBlocked)
			f.must(f.Block(f.ctx, lena, whom, false))
		}
		_, err := f.Find(f.ctx, "lena", "lagos.example")
		f.must(err)
	})
	t.Run("ErrBio", func(t *testing.T) {
		f := berlin(t)
		f.refused(f.SetBio(f.ctx, lena, "<b>me</b>"), game.ErrInvalid)
		f.refused(f.SetBio(f.ctx, lena, strings.Repeat("x", 281)), game.ErrInvalid)
		f.must(f.SetBio(f.ctx, lena, ""))
	})
}

func TestTown_Block(t *testing.T) {
	from := func(who, id string) game.Message { return game.Message{ID: id, Owner: lena, With: who, Text: "Hi"} }
	f := berlin(t)
	f.must(f.Block(f.ctx, lena, "lagos.example", true))
	f.refused(f.Receive(f.ctx, from(ada, letter1)), game.ErrBlocked)
	f.refused(f.Receive(f.ctx, from(string(tunde), letter1)), game.ErrBlocked)
	f.must(f.Receive(f.ctx, from("ada@oslo.example", letter1)))
	f.must(f.Block(f.ctx, lena, "jonas", true))
	blocks, err := f.Blocks(f.ctx, lena)
	f.must(err)
	if !slices.Equal(blocks, []string{"jonas", "lagos.example"}) {
		t.Fatalf("blocks %q", blocks)
	}
	f.must(f.Block(f.ctx, lena, "lagos.example", false))
	f.must(f.Receive(f.ctx, from(ada, letter2)))
}

func TestTown_PlaceStatus(t *testing.T) {
	f := berlin(t)
	hbf := f.World().Place(f.World().Arrivals)
	count := func() int {
		t.Helper()
		s, err := f.PlaceStatus(f.ctx, hbf.District, hbf.Slug)
		f.must(err)
		return s.Players
	}
	before := count()
	f.arrive()
	if got := count(); got != before+1 {
		t.Fatalf("%d people with a guest more, want %d", got, before+1)
	}
	out, err := f.Go(f.ctx, tunde, "imbiss", "walk")
	f.must(err)
	if got := count(); got != before {
		t.Fatalf("%d people once the guest has left, want %d", got, before)
	}
	imbiss := f.World().Place("imbiss")
	there := func() int { s, err := f.PlaceStatus(f.ctx, imbiss.District, "imbiss"); f.must(err); return s.Players }
	onTheWay := there()
	f.pass(out.Until.Sub(f.now()))
	if got := there(); got != onTheWay+1 {
		t.Fatalf("%d people at the end of the way, want %d", got, onTheWay+1)
	}
	_, err = f.PlaceStatus(f.ctx, "elsewhere", hbf.Slug)
	f.refused(err, game.ErrNoSuch)
	_, err = f.PlaceStatus(f.ctx, hbf.District, "nowhere")
	f.refused(err, game.ErrNoSuch)
}

func TestTown_Invite(t *testing.T) {
	at := time.Date(2026, 3, 2, 19, 0, 0, 0, time.UTC)
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		invite, err := f.InviteTo("pommes", at)
		f.must(err)
		if invite.Verb != "eat" && invite.Verb != "snack" || invite.Place != "imbiss" {
			t.Fatalf("%+v", invite)
		}
		_, err = f.Invite(f.ctx, lena, "jonas", invite, "", letter1)
		f.must(err)
		talks, err := f.Conversations(f.ctx, jonas)
		f.must(err)
		if len(talks) != 1 || !talks[0].Invite || talks[0].Last != invite.Label || talks[0].Unread != 1 {
			t.Fatalf("%+v", talks)
		}
		_, err = f.AnswerInvite(f.ctx, jonas, "lena", letter1, "I'll be there", letter2)
		f.must(err)
		got, err := f.Conversation(f.ctx, lena, "jonas")
		f.must(err)
		if len(got) != 2 || got[0].Invite == nil || *got[0].Invite != invite || got[1].ReplyTo != letter1 {
			t.Fatalf("%+v", got)
		}
	})
	t.Run("OKFromAbroad", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Receive(f.ctx, game.Message{ID: letter1, Owner: lena, With: ada, Invite: &game.Invite{Verb: "dance", Label: "Owambe", At: at}}))
		m, err := f.AnswerInvite(f.ctx, lena, ada, letter1, "Gladly", letter2)
		f.must(err)
		if m.ReplyTo != letter1 || m.State != game.MessageSending {
			t.Fatalf("%+v", m)
		}
	})
	t.Run("Err", func(t *testing.T) {
		f := berlin(t)
		_, err := f.InviteTo("nothing", at)
		f.refused(err, game.ErrNoSuch)
		_, err = f.InviteTo("pommes", f.now().Add(-time.Minute))
		f.refused(err, game.ErrInvalid)
		f.refused(f.Receive(f.ctx, game.Message{ID: letter1, Owner: lena, With: ada, Invite: &game.Invite{Verb: "eat", Label: "<b>"}}), game.ErrInvalid)
		f.must(f.Receive(f.ctx, game.Message{ID: letter1, Owner: lena, With: ada, Text: "Hi"}))
		_, err = f.AnswerInvite(f.ctx, lena, ada, letter1, "Yes", letter2)
		f.refused(err, game.ErrNoSuch)
		_, err = f.AnswerInvite(f.ctx, lena, "jonas", letter1, "Yes", letter2)
		f.refused(err, game.ErrNoSuch)
	})
}
