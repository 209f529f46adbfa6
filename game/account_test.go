package game_test

import (
	"strings"
	"testing"
	"time"

	"sgip.example/starter/game"
)

const password = "correct horse"

func TestTown_SignUp(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		codes, err := f.SignUp(f.ctx, "ada_7", "Ada", "🐦", password)
		f.must(err)
		v := f.view("ada_7")
		if len(codes) != 8 || v.Person.Discoverable || v.Person.Demo || v.Balance != f.World().Start.Money || v.Here.Slug != "wg" {
			t.Fatalf("%v, %+v with %d", codes, v.Person, v.Balance)
		}
		f.must(f.SetDiscoverable(f.ctx, "ada_7", true))
		if p, err := f.Resident(f.ctx, "ada_7"); err != nil || !p.Discoverable {
			t.Fatalf("%+v, %v", p, err)
		}
	})
	t.Run("ErrTaken", func(t *testing.T) {
		f := berlin(t)
		_, err := f.SignUp(f.ctx, "lena", "Another Lena", "", password)
		f.refused(err, game.ErrTaken)
		_, err = f.SignIn(f.ctx, "lena", password)
		f.refused(err, game.ErrInvalid)
	})
	t.Run("ErrInvalid", func(t *testing.T) {
		f := berlin(t)
		for _, c := range []struct{ handle, name, avatar, password string }{
			{"m", "Ada", "", password}, {"Ada", "Ada", "", password}, {"a da", "Ada", "", password},
			{strings.Repeat("m", 33), "Ada", "", password}, {"ada@x", "Ada", "", password}, {"ádà", "Ada", "", password},
			{"ada", "", "", password}, {"ada", " \n", "", password}, {"ada", "<b>Ada", "", password},
			{"ada", strings.Repeat("m", 61), "", password}, {"ada", "A\nda", "", password}, {"ada", "Ada\x00", "", password},
			{"ada", "Ada", "too long!", password}, {"ada", "Ada", "", "short"}, {"ada", "Ada", "", "🐦🐦🐦"},
			{"ada", "Ada", "", strings.Repeat("x", 1025)}, {"ada", "Ada", "", "bad \xff bytes"},
		} {
			if _, err := f.SignUp(f.ctx, c.handle, c.name, c.avatar, c.password); err == nil {
				t.Fatalf("took %+v", c)
			} else {
				f.refused(err, game.ErrInvalid)
			}
		}
	})
}

func TestTown_SignIn(t *testing.T) {
	f := berlin(t)
	codes, err := f.SignUp(f.ctx, "ada", "Ada", "", password)
	f.must(err)
	token, err := f.SignIn(f.ctx, "ada", password)
	f.must(err)
	t.Run("OK", func(t *testing.T) {
		who, err := f.Session(f.ctx, token)
		f.must(err)
		if who != "ada" {
			t.Fatalf("is %s", who)
		}
		if n := f.sum(`SELECT COUNT(*) FROM game_sessions WHERE hash = '` + token + `'`); n != 0 {
			t.Fatal("the token itself is kept")
		}
	})
	t.Run("ErrInvalid", func(t *testing.T) {
		_, wrong := f.SignIn(f.ctx, "ada", "wrong horse")
		_, unknown := f.SignIn(f.ctx, "ghost", password)
		f.refused(wrong, game.ErrInvalid)
		if unknown == nil || wrong.Error() != unknown.Error() {
			t.Fatalf("%v and %v tell who lives here", wrong, unknown)
		}
	})
	t.Run("OK signed out", func(t *testing.T) {
		other, err := f.SignIn(f.ctx, "ada", password)
		f.must(err)
		f.must(f.SignOut(f.ctx, other))
		f.must(f.SignOut(f.ctx, other))
		_, err = f.Session(f.ctx, other)
		f.refused(err, game.ErrNoSuch)
		_, err = f.Session(f.ctx, token)
		f.must(err)
	})
	t.Run("OK recovered", func(t *testing.T) {
		_, err := f.Recover(f.ctx, "lena", codes[0], "a new one!")
		f.refused(err, game.ErrInvalid)
		fresh, err := f.Recover(f.ctx, "ada", " "+strings.ToUpper(codes[0])+" ", "a new one!")
		f.must(err)
		_, err = f.Session(f.ctx, token)
		f.refused(err, game.ErrNoSuch)
		_, err = f.Session(f.ctx, fresh)
		f.must(err)
		_, err = f.SignIn(f.ctx, "ada", password)
		f.refused(err, game.ErrInvalid)
		_, err = f.SignIn(f.ctx, "ada", "a new one!")
		f.must(err)
		_, err = f.Recover(f.ctx, "ada", codes[0], "once more!")
		f.refused(err, game.ErrInvalid)
	})
	t.Run("ErrNoSuch too old", func(t *testing.T) {
		fresh, err := f.SignIn(f.ctx, "ada", "a new one!")
		f.must(err)
		f.pass(30 * 24 * time.Hour)
		_, err = f.Session(f.ctx, fresh)
		f.refused(err, game.ErrNoSuch)
	})
}

func TestTown_PlayAs(t *testing.T) {
	f := berlin(t)
	token, err := f.PlayAs(f.ctx, "lena")
	f.must(err)
	if who, err := f.Session(f.ctx, token); err != nil || who != lena {
		t.Fatalf("%s, %v", who, err)
	}
	_, err = f.SignUp(f.ctx, "ada", "Ada", "", password)
	f.must(err)
	for _, nobody := range []string{"ada", "ghost", string(tunde)} {
		_, err = f.PlayAs(f.ctx, nobody)
		f.refused(err, game.ErrNoPlayer)
	}
}
