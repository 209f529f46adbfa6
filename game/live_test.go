package game_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"sgip.example/starter/game"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// woken reports whether a channel has a wake-up, and takes it.
func woken(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestTown_Subscribe(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		c, end := f.Subscribe(lena)
		defer end()
		f.do(lena, "small_talk")
		if !woken(c) || woken(c) {
			t.Fatal("one act is one wake-up")
		}
		f.do(lena, "doener")
		f.must(f.Take(f.ctx, "lena", 1, game.Entry{}))
		if !woken(c) || woken(c) {
			t.Fatal("acts that weren't looked at yet are one wake-up")
		}
		f.arrive()
		if !woken(c) {
			t.Fatal("a guest's arrival isn't seen")
		}
	})
	t.Run("OK rolled back", func(t *testing.T) {
		f := berlin(t)
		c, end := f.Subscribe(lena)
		defer end()
		lost := errors.New("lost")
		err := f.db.InTx(f.ctx, func(ctx context.Context) error {
			_, err := f.Do(ctx, lena, "small_talk")
			return errors.Join(err, lost)
		})
		if !errors.Is(err, lost) || woken(c) {
			t.Fatalf("%v; or woken by what never was", err)
		}
	})
	t.Run("OK ended", func(t *testing.T) {
		f := berlin(t)
		c, end := f.Subscribe(lena)
		end()
		end()
		f.do(lena, "small_talk")
		if woken(c) {
			t.Fatal("woken after the end")
		}
	})
	t.Run("OK crowd", func(t *testing.T) {
		f := berlin(t)
		for i := range 70 {
			_, end := f.Subscribe(game.PersonID(rune('a'+i%26)) + game.PersonID(rune('a'+i/26)))
			defer end()
		}
		near, endNear := f.Subscribe(jonas)
		defer endNear()
		f.view(jonas) // at the Späti, far from Lena
		f.do(lena, "small_talk")
		if woken(near) {
			t.Fatal("in a crowd, what is far away wakes nobody")
		}
		f.reach(lena, "spaeti")
		if !woken(near) {
			t.Fatal("who comes here wakes those who are here")
		}
	})
}
