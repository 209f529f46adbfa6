package game_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/store"
	"sgip.example/starter/game/worlds"
	"sgip.example/starter/sgip/storage"
)

// clock is one that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

// minutes lets the town's own minutes go by, at a second each.
func (c *clock) minutes(n int) { c.pass(time.Duration(n) * time.Second) }

// fixture is a town of its own, on a real database.
type fixture struct {
	*game.Town
	*clock
	ctx   context.Context
	db    *storage.DB
	store *store.Store
	t     *testing.T
}

const (
	lena   = game.PersonID("lena")
	jonas  = game.PersonID("jonas")
	tunde  = game.PersonID("tunde@lagos.example")
	visit1 = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	visit2 = "01JA2B3C4D5E6F7G8H9J0K1M2P"
)

// berlin is the bundled town with its demo players, on its first morning at 08:00.
func berlin(t *testing.T) *fixture {
	t.Helper()
	town, err := worlds.Load("berlin")
	if err != nil {
		t.Fatal(err)
	}
	return found(t, town.World)
}

func found(t *testing.T, w *game.World) *fixture {
	t.Helper()
	ctx := context.Background()
	db, err := storage.Open(ctx, filepath.Join(t.TempDir(), "game.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := store.Migrate(ctx, db); err != nil {
		t.Fatal(err)
	}
	c := &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s := store.New(db)
	newID := func() string { return ulid.Make().String() }
	f := &fixture{Town: game.New(w, s, db.InTx, c.now, newID, rand.Reader), clock: c, ctx: ctx, db: db, store: s, t: t}
	f.must(f.Seed(ctx))
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// refused wants an error of a kind with words for the person.
func (f *fixture) refused(err error, kind game.Kind) {
	f.t.Helper()
	if !errors.Is(err, kind) {
		f.t.Fatalf("got error %v, want %q", err, kind)
	}
}

func (f *fixture) view(who game.PersonID) game.View {
	f.t.Helper()
	v, err := f.View(f.ctx, who)
	f.must(err)
	return v
}

func (f *fixture) stat(who game.PersonID, id string) int {
	f.t.Helper()
	for _, s := range f.view(who).Stats {
		if s.ID == id {
			return s.Value
		}
	}
	f.t.Fatalf("%s has no %s", who, id)
	return 0
}

func (f *fixture) balance(handle string) int64 {
	f.t.Helper()
	b, err := f.Balance(f.ctx, handle)
	f.must(err)
	return b
}

// reach walks someone to a place and lets the time for it go by.
func (f *fixture) reach(who game.PersonID, place string) {
	f.t.Helper()
	out, err := f.Go(f.ctx, who, place, "walk")
	f.must(err)
	f.pass(out.Until.Sub(f.now()))
}

// do does an activity and lets the time for it go by.
func (f *fixture) do(who game.PersonID, activity string) game.Outcome {
	f.t.Helper()
	out, err := f.Do(f.ctx, who, activity)
	f.must(err)
	f.pass(out.Until.Sub(f.now()))
	return out
}

// arrive brings Tunde of Lagos with three stats, one of which no town knows.
func (f *fixture) arrive() {
	f.t.Helper()
	f.must(f.Arrive(f.ctx, game.Visitor{
		ID: tunde, VisitID: visit1, Name: "Tunde", Home: "lagos.example",
		Stats: map[string]int{"hunger": 50, "fun": 95, "fitness": 40},
	}))
}

// noted wants the newest note of someone, present or not.
func (f *fixture) noted(who game.PersonID, text string) {
	f.t.Helper()
	notes, err := f.store.Notes(f.ctx, who, 1)
	f.must(err)
	if len(notes) != 1 || notes[0].Text != text {
		f.t.Fatalf("%s was told %+v, want %q", who, notes, text)
	}
}

// sum adds up a column of the ledger.
func (f *fixture) sum(query string) int64 {
	f.t.Helper()
	var n int64
	f.must(f.db.Conn(f.ctx).Raw(query).Scan(&n).Error)
	return n
}

func TestTown_Seed(t *testing.T) {
	f := berlin(t)
	f.must(f.Seed(f.ctx)) // a second start
	if v := f.view(jonas); v.Person.Stall != "imbiss" || !v.Person.Discoverable || v.Balance != 14000 {
		t.Fatalf("Jonas is %+v with %d", v.Person, v.Balance)
	}
	people, now, err := f.Overview(f.ctx)
	f.must(err)
	if len(people) != 2 || now.Day != 1 || now.Minute != 8*60 || now.Phase != "day" {
		t.Fatalf("overview: %+v, %+v", people, now)
	}
}

func TestTown_Do(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		f := berlin(t)
		before, hunger := f.balance("lena"), f.stat(lena, "hunger")
		out := f.do(lena, "currywurst")
		if out.Money != -350 || out.Changes["hunger"] != 38 {
			t.Fatalf("outcome %+v", out)
		}
		if got := f.balance("lena"); got != before-350 {
			t.Fatalf("Lena has %d", got)
		}
		if got := f.stat(lena, "hunger"); got < hunger+37 {
			t.Fatalf("hunger went from %d to %d", hunger, got)
		}
		if got := f.balance("jonas"); got != 14000+245 {
			t.Fatalf("Jonas, who runs the Imbiss, has %d", got)
		}
	})
	t.Run("OK wage", func(t *testing.T) {
		f := berlin(t)
		f.reach(lena, "flohmarkt")
		out := f.do(lena, "sell")
		if v := f.view(lena); out.Money <= 0 || v.Person.Job != "Flea-market seller" || v.Balance != 8500+out.Money {
			t.Fatalf("outcome %+v, view %+v", out, v.Person)
		}
	})
}

func TestTown_DoRefused(t *testing.T) {
	t.Run("ErrBusy", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Do(f.ctx, lena, "currywurst")
		f.must(err)
		_, err = f.Do(f.ctx, lena, "pommes")
		f.refused(err, game.ErrBusy)
		f.pass(-time.Hour) // a clock set back leaves nobody stuck
		_, err = f.Do(f.ctx, lena, "pommes")
		f.must(err)
	})
	t.Run("ErrAway", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Do(f.ctx, lena, "swim")
		f.refused(err, game.ErrAway)
	})
	t.Run("ErrNoSuch", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Do(f.ctx, lena, "fly")
		f.refused(err, game.ErrNoSuch)
	})
	t.Run("ErrNoPlayer", func(t *testing.T) {
		f := berlin(t)
		_, err := f.Do(f.ctx, "ghost", "swim")
		f.refused(err, game.ErrNoPlayer)
	})
	t.Run("ErrClosed", func(t *testing.T) {
		f := berlin(t)
		f.reach(lena, "club")
		_, err := f.Do(f.ctx, lena, "dance")
		f.refused(err, game.ErrClosed)
		f.minutes(13 * 60)
		_, err = f.Do(f.ctx, lena, "dance")
		f.must(err)
	})
	t.Run("ErrPoor", func(t *testing.T) {
		f := berlin(t)
		f.must(f.Take(f.ctx, "lena", 8500-349, game.Entry{Text: "all but"}))
		_, err := f.Do(f.ctx, lena, "currywurst")
		f.refused(err, game.ErrPoor)
		if err.Error() != "You are 0.01 EUR short." {
			t.Fatalf("said %q", err)
		}
		if v := f.view(lena); v.Balance != 349 || v.Busy != nil {
			t.Fatalf("after a refusal: %d, %+v", v.Balance, v.Busy)
		}
	})
	t.Run("ErrInvalid cooldown", func(t *testing.T) {
		f := berlin(t)
		f.do(lena, "small_talk")
		_, err := f.Do(f.ctx, lena, "small_talk")
		f.refused(err, game.ErrInvalid)
		f.minutes(f.World().Activity("small_talk").Cooldown - f.World().Activity("small_talk").Minutes - 1)
		if _, err = f.Do(f.ctx, lena, "small_talk"); err == nil || err.Error() != "Again in a minute." {
			t.Fatalf("said %v", err)
		}
		f.minutes(1)
		f.do(lena, "small_talk")
	})
	t.Run("ErrInvalid tired", func(t *testing.T) {
		f := berlin(t)
		f.reach(lena, "flohmarkt")
		f.minutes(24 * 60)
		f.minutes(24 * 60)
		_, err := f.Do(f.ctx, lena, "sell")
		f.refused(err, game.ErrInvalid)
	})
}

func TestTown_DoStall(t *testing.T) {
	f := berlin(t)
	f.reach(jonas, "imbiss")
	_, err := f.Do(f.ctx, lena, game.StallActivity("imbiss"))
	f.refused(err, game.ErrTaken)
	f.reach(lena, "spaeti")
	_, err = f.Do(f.ctx, lena, game.StallActivity("spaeti"))
	f.refused(err, game.ErrPoor)
	f.must(f.Give(f.ctx, "lena", 20000, game.Entry{Text: "back"}))
	f.do(lena, game.StallActivity("spaeti"))
	if v := f.view(lena); v.Person.Stall != "spaeti" || v.Balance != 8500+20000-22000 {
		t.Fatalf("%+v with %d", v.Person, v.Balance)
	}
	f.do(lena, "mate") // from herself: she pays, and gets no share
	if got := f.balance("lena"); got != 6500-220 {
		t.Fatalf("Lena has %d", got)
	}
	f.reach(jonas, "spaeti")
	f.do(jonas, "mate")
	if got := f.balance("lena"); got != 6500-220+121 {
		t.Fatalf("Lena has %d", got)
	}
}

func TestTown_Go(t *testing.T) {
	f := berlin(t)
	out, err := f.Go(f.ctx, lena, "alex", "subway")
	f.must(err)
	if v := f.view(lena); out.Money != -350 || v.Here != nil || v.Journey == nil || v.Journey.To != "alex" || v.Balance != 8150 {
		t.Fatalf("on the way: %+v, %+v", out, v.Journey)
	}
	_, err = f.Go(f.ctx, lena, "wg", "walk")
	f.refused(err, game.ErrBusy)
	f.pass(out.Until.Sub(f.now()) - time.Millisecond)
	if f.view(lena).Here != nil {
		t.Fatal("there too early")
	}
	f.pass(time.Millisecond)
	if v := f.view(lena); v.Here == nil || v.Here.Slug != "alex" || v.Journey != nil {
		t.Fatalf("not there: %+v", v.Journey)
	}
	for _, c := range []struct {
		place, mode string
		want        game.Kind
	}{
		{"alex", "walk", game.ErrInvalid}, {"atlantis", "walk", game.ErrNoSuch}, {"wg", "rocket", game.ErrNoSuch},
		{"imbiss", "tram", game.ErrInvalid},
	} {
		_, err := f.Go(f.ctx, lena, c.place, c.mode)
		f.refused(err, c.want)
	}
	f.minutes(17*60 + 30) // half past one at night
	_, err = f.Go(f.ctx, lena, "wg", "subway")
	f.refused(err, game.ErrClosed)
}

func TestTown_Rent(t *testing.T) {
	f := berlin(t)
	f.must(f.Take(f.ctx, "lena", 8500, game.Entry{Text: "everything"}))
	f.minutes(24 * 60)
	if got := f.view(lena).Balance; got != -900 {
		t.Fatalf("after a day Lena has %d", got)
	}
	if got := f.view(lena).Balance; got != -900 {
		t.Fatalf("looking twice costs: %d", got)
	}
	f.minutes(24 * 60 * 100)
	if got := f.view(lena).Balance; got != -2700 {
		t.Fatalf("after a hundred days Lena has %d", got)
	}
	f.minutes(24 * 60 * 3)
	if got := f.view(lena).Balance; got != -2700 {
		t.Fatalf("Lena owes more than three days: %d", got)
	}
	f.refused(f.Take(f.ctx, "lena", 1, game.Entry{}), game.ErrPoor)
}

func TestView_HintFar(t *testing.T) {
	f := berlin(t)
	f.minutes(12 * 60)
	hint := func() string {
		t.Helper()
		for _, s := range f.view(lena).Stats {
			if s.ID == "bladder" {
				return s.Hint
			}
		}
		return ""
	}
	if got := hint(); !strings.Contains(got, " minutes away") {
		t.Fatalf("told %q", got)
	}
	f.World().Modes[0].Speed = game.MapWidth
	if got := hint(); !strings.HasSuffix(got, " is a minute away") {
		t.Fatalf("told %q", got)
	}
}
