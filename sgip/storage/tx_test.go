package storage

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestInTx_Act(t *testing.T) {
	refused := errors.New("refused")

	t.Run("OK", func(t *testing.T) {
		db := open(t)
		var after []string
		err := db.InTx(t.Context(), func(ctx context.Context) error {
			AfterCommit(ctx, func() { after = append(after, fmt.Sprint(amounts(t, db))) })
			return put(ctx, db, "tunde", 5)
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"map[tunde:5]"}; fmt.Sprint(after) != fmt.Sprint(want) {
			t.Errorf("after commit saw %v, want %v", after, want)
		}
	})

	t.Run("OK nested error undoes its own part", func(t *testing.T) {
		db := open(t)
		var after []string
		err := db.InTx(t.Context(), func(ctx context.Context) error {
			if err := put(ctx, db, "tunde", 5); err != nil {
				return err
			}
			err := db.InTx(ctx, func(ctx context.Context) error {
				AfterCommit(ctx, func() { after = append(after, "inner") })
				return errors.Join(put(ctx, db, "ada", 1), refused)
			})
			if !errors.Is(err, refused) {
				t.Errorf("nested: %v", err)
			}
			AfterCommit(ctx, func() { after = append(after, "outer") })
			return put(ctx, db, "lena", 7)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(amounts(t, db), after); got != "map[lena:7 tunde:5] [outer]" {
			t.Error(got)
		}
	})

	t.Run("OK context over after fn", func(t *testing.T) {
		db := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.InTx(ctx, func(ctx context.Context) error {
			cancel()
			return put(ctx, db, "tunde", 5) // not interrupted half way either
		})
		if err != nil || amounts(t, db)["tunde"] != 5 {
			t.Errorf("%v, %v", err, amounts(t, db))
		}
	})
}

func TestInTx_Refused(t *testing.T) {
	refused := errors.New("refused")
	t.Run("Err", func(t *testing.T) {
		db := open(t)
		err := db.InTx(t.Context(), func(ctx context.Context) error {
			AfterCommit(ctx, func() { t.Error("hook ran for a transaction undone") })
			return errors.Join(put(ctx, db, "tunde", 5), refused)
		})
		if !errors.Is(err, refused) || len(amounts(t, db)) != 0 {
			t.Errorf("%v, %v", err, amounts(t, db))
		}
	})

	t.Run("ErrPanic", func(t *testing.T) {
		db := open(t)
		func() {
			defer func() {
				if got := recover(); got != "ouch" {
					t.Errorf("recovered %v", got)
				}
			}()
			_ = db.InTx(t.Context(), func(ctx context.Context) error {
				_ = put(ctx, db, "tunde", 5)
				return db.InTx(ctx, func(context.Context) error { panic("ouch") })
			})
		}()
		if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "ada", 1) }); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(amounts(t, db)); got != "map[ada:1]" {
			t.Error(got)
		}
	})

	t.Run("ErrGoexit", func(t *testing.T) {
		db := open(t)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_ = db.InTx(context.Background(), func(ctx context.Context) error {
				_ = put(ctx, db, "tunde", 5)
				runtime.Goexit()
				return nil
			})
		}()
		<-gone
		if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "ada", 1) }); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(amounts(t, db)); got != "map[ada:1]" {
			t.Error(got)
		}
	})
}

func TestInTx_Broken(t *testing.T) {
	t.Run("ErrContextOver", func(t *testing.T) {
		db := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := db.InTx(ctx, func(context.Context) error { t.Error("ran"); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})

	t.Run("ErrDiskFull", func(t *testing.T) {
		db := open(t)
		if _, err := db.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
			t.Fatal(err)
		}
		err := db.InTx(t.Context(), func(ctx context.Context) error {
			if err := put(ctx, db, "tunde", 5); err != nil {
				return err
			}
			return db.Tx(ctx).Exec("INSERT INTO purses (owner, amount) VALUES (?, 1)", strings.Repeat("x", 100_000)).Error
		})
		if err == nil || code(err) != codeFull {
			t.Fatalf("%v", err)
		}
		if len(amounts(t, db)) != 0 {
			t.Error("half of it stayed")
		}
	})
}

// TestInTx_DiskFullSharesOneCommit: when SQLite ends the transaction by itself,
// nobody who shares it may hear that it was committed.
func TestInTx_DiskFullSharesOneCommit(t *testing.T) {
	db := open(t)
	var wg sync.WaitGroup
	db.baton.Lock() // so that all wait, and share
	var mu sync.Mutex
	told := map[string]bool{}
	for i := range 20 {
		wg.Go(func() {
			owner := fmt.Sprint("p", i)
			err := db.InTx(context.Background(), func(ctx context.Context) error {
				if i == 10 {
					db.Tx(ctx).Exec("PRAGMA max_page_count = 1")
					defer db.Tx(ctx).Exec("PRAGMA max_page_count = 1000000")
					// The error is swallowed on purpose: a careless caller.
					db.Tx(ctx).Exec("INSERT INTO purses (owner, amount) VALUES (?, 1)", strings.Repeat("x", 100_000))
				}
				return put(ctx, db, owner, 1)
			})
			mu.Lock()
			defer mu.Unlock()
			told[owner] = err == nil
		})
	}
	waitFor(t, func() bool { return db.waiting.Load() == 20 })
	db.baton.Unlock()
	wg.Wait()
	stored := amounts(t, db)
	for owner, committed := range told {
		if _, there := stored[owner]; committed && !there {
			t.Errorf("%s was told that it was committed and isn't there", owner)
		}
	}
}

func TestInTx_Parallel(t *testing.T) {
	t.Run("OK no locked database, competing takers stop at the balance", func(t *testing.T) {
		db := open(t)
		if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "tunde", 25) }); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		took := 0
		for range 40 {
			wg.Go(func() {
				taken := false
				err := db.InTx(context.Background(), func(ctx context.Context) error {
					var amount int // read, then write: the classic way to a locked database
					if err := db.Conn(ctx).Raw("SELECT amount FROM purses WHERE owner = ?", "tunde").Scan(&amount).Error; err != nil {
						return err
					}
					r := db.Tx(ctx).Exec("UPDATE purses SET amount = amount - 1 WHERE owner = ? AND amount >= 1", "tunde")
					taken = r.RowsAffected == 1
					return r.Error
				})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if taken {
					took++
				}
			})
		}
		wg.Wait()
		if took != 25 || amounts(t, db)["tunde"] != 0 {
			t.Errorf("took %d, left %v", took, amounts(t, db))
		}
	})
}

func TestInTx_Shared(t *testing.T) {
	t.Run("OK a shared commit keeps each one's error apart", func(t *testing.T) {
		db := open(t)
		db.baton.Lock()
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				defer func() {
					if r := recover(); r != nil && i%3 != 2 {
						t.Errorf("%d panicked: %v", i, r)
					}
				}()
				err := db.InTx(context.Background(), func(ctx context.Context) error {
					if err := put(ctx, db, fmt.Sprint("p", i), i); err != nil {
						return err
					}
					switch i % 3 {
					case 1:
						return errors.New("refused")
					case 2:
						panic("ouch")
					}
					return nil
				})
				if (err != nil) != (i%3 == 1) {
					t.Errorf("%d: %v", i, err)
				}
			})
		}
		waitFor(t, func() bool { return db.waiting.Load() == 30 })
		db.baton.Unlock()
		wg.Wait()
		if got := len(amounts(t, db)); got != 10 {
			t.Errorf("%d purses, want 10", got)
		}
	})
}

func TestTx_OutsideTransaction(t *testing.T) {
	db := open(t)
	t.Run("ErrPanics", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("a write outside a transaction went through")
			}
		}()
		db.Tx(t.Context())
	})
	t.Run("ErrReaderRefusesWrites", func(t *testing.T) {
		if err := db.Conn(t.Context()).Exec("INSERT INTO purses (owner, amount) VALUES ('x', 1)").Error; err == nil {
			t.Error("a reader wrote")
		}
	})
	t.Run("ErrContextOutlivesTransaction", func(t *testing.T) {
		var kept context.Context
		if err := db.InTx(t.Context(), func(ctx context.Context) error { kept = ctx; return nil }); err != nil {
			t.Fatal(err)
		}
		ran := false
		AfterCommit(kept, func() { ran = true })
		if !ran {
			t.Error("hook of a transaction that is over was kept for ever")
		}
		if err := db.InTx(kept, func(ctx context.Context) error { return put(ctx, db, "ada", 1) }); err != nil {
			t.Error(err)
		}
	})
}
