package storage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestOpenBeside_Act(t *testing.T) {
	t.Run("OK takes its turns with the server", func(t *testing.T) {
		db := open(t)
		beside, err := OpenBeside(t.Context(), db.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer beside.Close()
		if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "tunde", 0) }); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, who := range []*DB{db, beside} {
			wg.Go(func() {
				for range 40 {
					err := who.InTx(t.Context(), func(ctx context.Context) error {
						return who.Tx(ctx).Exec("UPDATE purses SET amount = amount + 1 WHERE owner = 'tunde'").Error
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if got := amounts(t, db)["tunde"]; got != 80 {
			t.Errorf("%d of 80 came through", got)
		}
	})
	t.Run("OK leaves the server's lock alone", func(t *testing.T) {
		db := open(t)
		beside, err := OpenBeside(t.Context(), db.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := beside.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), db.Path()); err == nil || !strings.Contains(err.Error(), "another server") {
			t.Errorf("%v", err)
		}
	})
	t.Run("ErrNone", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "none.db")
		if db, err := OpenBeside(t.Context(), path); err == nil {
			_ = db.Close()
			t.Error("opened")
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("created")
		}
	})
	t.Run("ErrOtherVersion", func(t *testing.T) {
		db := open(t)
		beside, err := OpenBeside(t.Context(), db.Path())
		if err != nil {
			t.Fatal(err)
		}
		defer beside.Close()
		steps := []Migration{{1, "purses", purses}, {2, "more", "CREATE TABLE more (x INTEGER)"}}
		if err := beside.Migrate(t.Context(), "town", steps); err == nil || !strings.Contains(err.Error(), "older version") {
			t.Errorf("%v", err)
		}
		if err := beside.Migrate(t.Context(), "town", steps[:1]); err != nil {
			t.Error(err)
		}
	})
}

func TestBackup_Act(t *testing.T) {
	db := open(t)
	if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "tunde", 5) }); err != nil {
		t.Fatal(err)
	}
	beside, err := OpenBeside(t.Context(), db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := beside.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "ada", 7) }); err != nil {
		t.Fatal(err)
	}
	if got := amounts(t, openAt(t, to)); len(got) != 1 || got["tunde"] != 5 {
		t.Errorf("the copy holds %v", got)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	t.Run("ErrReplacesNothing", func(t *testing.T) {
		if err := beside.Backup(t.Context(), to); err == nil {
			t.Error("replaced")
		}
	})
	t.Run("ErrNoFolder", func(t *testing.T) {
		if err := beside.Backup(t.Context(), filepath.Join(t.TempDir(), "none", "copy.db")); err == nil {
			t.Error("copied to a folder that isn't there")
		}
	})
}
