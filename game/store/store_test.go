package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip/storage"
)

type kept struct {
	*Store
	ctx context.Context
	t   *testing.T
}

func open(t *testing.T) *kept {
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
	for range 2 { // a second start has nothing to do
		if err := Migrate(ctx, db); err != nil {
			t.Fatal(err)
		}
	}
	return &kept{Store: New(db), ctx: ctx, t: t}
}

// tx runs fn in a transaction and wants no error.
func (k *kept) tx(fn func(ctx context.Context) error) {
	k.t.Helper()
	if err := k.db.InTx(k.ctx, fn); err != nil {
		k.t.Fatal(err)
	}
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func tunde() game.Someone {
	return game.Someone{
		Person: game.Person{
			ID: "tunde@lagos.example", Name: "Túndé", Avatar: "🧑🏾‍💻", Home: "lagos.example",
			Discoverable: true, Demo: true, Job: "Baker", VisitID: "visit",
		},
		SeenAt: noon, Stats: game.Stats{"hunger": 12345}, StatsAt: noon.Add(time.Millisecond),
		Place: "imbiss", From: "hbf", Mode: "walk", Left: noon, Arrives: noon.Add(time.Minute),
		Doing: "small_talk", DoingSince: noon, DoingUntil: noon.Add(time.Hour), RentDay: 3, Present: true,
		Brought: map[string]int{"hunger": 50}, Deeds: []string{"small_talk"},
	}
}

func TestStore_Someone(t *testing.T) {
	k := open(t)
	want := tunde()
	k.tx(func(ctx context.Context) error { return k.Add(ctx, want) })
	got, err := k.Someone(k.ctx, want.ID)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got  %+v\nwant %+v\n%v", got, want, err)
	}
	t.Run("OK empty values are saved", func(t *testing.T) {
		bare := game.Someone{Person: game.Person{ID: want.ID}, Place: "hbf"}
		k.tx(func(ctx context.Context) error { return k.Save(ctx, bare) })
		got, err := k.Someone(k.ctx, want.ID)
		bare.Version = 1
		if err != nil || fmt.Sprint(got) != fmt.Sprint(bare) {
			t.Fatalf("got  %+v\nwant %+v\n%v", got, bare, err)
		}
	})
	t.Run("ErrBusy", func(t *testing.T) {
		err := k.db.InTx(k.ctx, func(ctx context.Context) error { return k.Save(ctx, want) })
		if !errors.Is(err, game.ErrBusy) {
			t.Fatal(err)
		}
	})
	t.Run("ErrTaken", func(t *testing.T) {
		err := k.db.InTx(k.ctx, func(ctx context.Context) error { return k.Add(ctx, want) })
		if !errors.Is(err, game.ErrTaken) {
			t.Fatal(err)
		}
	})
	t.Run("ErrNoPlayer", func(t *testing.T) {
		if _, err := k.Someone(k.ctx, ""); !errors.Is(err, game.ErrNoPlayer) {
			t.Fatal(err)
		}
	})
}

func TestStore_AddNote(t *testing.T) {
	k := open(t)
	k.tx(func(ctx context.Context) error {
		for i := range 9 {
			n := game.Note{At: noon, Text: fmt.Sprint(i), Icon: "📮"}
			if err := errors.Join(k.AddNote(ctx, "lena", n, 5), k.AddNote(ctx, "jonas", n, 50)); err != nil {
				return err
			}
		}
		return nil
	})
	lena, err := k.Notes(k.ctx, "lena", 20)
	if err != nil || len(lena) != 5 || lena[0].Text != "8" || lena[4].Text != "4" {
		t.Fatalf("%+v, %v", lena, err)
	}
	if jonas, err := k.Notes(k.ctx, "jonas", 20); err != nil || len(jonas) != 9 {
		t.Fatalf("%+v, %v", jonas, err)
	}
}

func TestStore_Transfer(t *testing.T) {
	k := open(t)
	k.tx(func(ctx context.Context) error { return k.OpenAccount(ctx, "player:lena") })
	move := func(from, to string, amount int64, overdraw bool, id string) error {
		return k.db.InTx(k.ctx, func(ctx context.Context) error {
			return k.Transfer(ctx, game.Transfer{ID: id, From: from, To: to, Amount: amount, Overdraw: overdraw}, noon)
		})
	}
	for i, c := range []struct {
		from, to string
		amount   int64
		overdraw bool
		want     error
		left     int64
	}{
		{"town", "player:lena", 100, true, nil, 100},
		{"player:lena", "abroad", 101, false, game.ErrPoor, 100},
		{"player:lena", "abroad", 100, false, nil, 0},
		{"player:lena", "abroad", 1, false, game.ErrPoor, 0},
		{"player:lena", "town", 5, true, nil, -5},
		{"player:lena", "nobody", 5, true, game.ErrNoPlayer, -5},
		{"nobody", "town", 5, true, game.ErrPoor, -5},
		{"player:lena", "town", game.MaxMoney, true, game.ErrPoor, -5},
		{"town", "player:lena", game.MaxMoney - 200, true, nil, game.MaxMoney - 205},
		{"abroad", "player:lena", 206, true, game.ErrInvalid, game.MaxMoney - 205},
	} {
		if err := move(c.from, c.to, c.amount, c.overdraw, fmt.Sprint(i)); !errors.Is(err, c.want) || (err != nil) != (c.want != nil) {
			t.Fatalf("%d: %v, want %v", i, err, c.want)
		}
		if left, err := k.Balance(k.ctx, "player:lena"); err != nil || left != c.left {
			t.Fatalf("%d: %d left, want %d; %v", i, left, c.left, err)
		}
	}
	if err := move("town", "player:lena", 1, true, "0"); !storage.IsUnique(err) {
		t.Fatalf("a transfer's id used twice: %v", err)
	}
}

// What a page reads must be found by an index: a table of a million people,
// entries or messages is never walked through.
func TestStore_Indexed(t *testing.T) {
	k := open(t)
	for _, query := range []string{
		`SELECT * FROM game_people WHERE id = 'a'`,
		`SELECT * FROM game_people WHERE present = 1 ORDER BY seen_at DESC LIMIT 40`,
		`SELECT * FROM game_people WHERE present = 1 AND place = 'a' ORDER BY seen_at DESC LIMIT 20`,
		`SELECT * FROM game_deeds WHERE person = 'a'`,
		`SELECT * FROM game_notes WHERE person = 'a' ORDER BY id DESC LIMIT 12`,
		`SELECT * FROM game_postcards WHERE handle = 'a' ORDER BY at DESC LIMIT 100`,
		`SELECT COUNT(*) FROM game_postcards WHERE handle = 'a'`,
		`SELECT * FROM game_accounts WHERE account = 'a'`,
		`UPDATE game_accounts SET balance = balance - 1 WHERE account = 'a' AND balance >= 1`,
		`SELECT * FROM game_entries WHERE account = 'a' ORDER BY id DESC LIMIT 50`,
		`SELECT * FROM game_entries WHERE account = 'a' AND kind = 'sold' ORDER BY id DESC LIMIT 100`,
		`SELECT COALESCE(SUM(amount), 0) FROM game_entries WHERE account = 'a' AND kind IN ('sold', 'unsold')`,
		`SELECT * FROM game_sales WHERE id = 'a'`,
		`SELECT * FROM game_sales WHERE id IN ('a', 'b')`,
		`SELECT * FROM game_sales WHERE guest = 'a' AND state = 'paid' AND goods = 'kept' ORDER BY id`,
		`SELECT * FROM game_talks WHERE owner = 'a' ORDER BY last DESC LIMIT 100`,
		`SELECT * FROM game_messages WHERE owner = 'a' AND peer = 'b' ORDER BY seq DESC LIMIT 200`,
		`SELECT * FROM game_messages WHERE id = 'a' AND mine = 1 LIMIT 1`,
		`SELECT COALESCE(SUM(unread), 0) FROM game_talks WHERE owner = 'a'`,
		`SELECT * FROM game_sessions WHERE hash = 'a' AND expires_at > 1`,
		`DELETE FROM game_sessions WHERE expires_at <= 1`,
	} {
		var plan []struct{ Detail string }
		if err := k.db.Conn(k.ctx).Raw("EXPLAIN QUERY PLAN " + query).Scan(&plan).Error; err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		bad := slices.ContainsFunc(plan, func(step struct{ Detail string }) bool {
			return strings.HasPrefix(step.Detail, "SCAN") || strings.Contains(step.Detail, "TEMP B-TREE")
		})
		if bad || len(plan) == 0 {
			t.Errorf("%s\n%v", query, plan)
		}
	}
}
