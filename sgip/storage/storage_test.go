package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"
)

const purses = `CREATE TABLE purses (owner TEXT PRIMARY KEY, amount INTEGER NOT NULL CHECK (amount >= 0))`

func open(t testing.TB) *DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "town.db"))
}

func openAt(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context(), "town", []Migration{{1, "purses", purses}}); err != nil {
		t.Fatal(err)
	}
	return db
}

func put(ctx context.Context, db *DB, owner string, amount int) error {
	return db.Tx(ctx).Exec("INSERT INTO purses (owner, amount) VALUES (?, ?)", owner, amount).Error
}

// amounts are the purses as a reader outside any transaction sees them.
func amounts(t testing.TB, db *DB) map[string]int {
	t.Helper()
	var rows []struct {
		Owner  string
		Amount int
	}
	if err := db.Conn(context.Background()).Raw("SELECT owner, amount FROM purses").Scan(&rows).Error; err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, r := range rows {
		all[r.Owner] = r.Amount
	}
	return all
}

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

func TestOpen_Act(t *testing.T) {
	t.Run("OK settings", func(t *testing.T) {
		db := open(t)
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
			var got string
			if err := db.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s = %q, %v; want %q", pragma, got, err, want)
			}
		}
		if info, err := os.Stat(db.Path()); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	})
	t.Run("OK odd names", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "100% Lagos? #1", "to wn.db")
		openAt(t, path)
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	})
	t.Run("ErrSecondServer", func(t *testing.T) {
		db := open(t)
		_, err := Open(t.Context(), db.Path())
		wantLine(t, err, "another server", fmt.Sprint(os.Getpid()), db.Path())
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := Open(t.Context(), db.Path())
		if err != nil {
			t.Fatal(err)
		}
		_ = again.Close()
	})
	t.Run("ErrCorrupt", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "town.db")
		if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path)
		wantLine(t, err, path, "sound SQLite database")
	})
	t.Run("ErrFolderIsAFile", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), filepath.Join(file, "town.db"))
		wantLine(t, err, file)
	})
	t.Run("ErrIsAFolder", func(t *testing.T) {
		_, err := Open(t.Context(), t.TempDir())
		wantLine(t, err, "is a directory")
	})
}

func wantLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %v", err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v: lacks %q", err, part)
		}
	}
}

func TestExplain_Act(t *testing.T) {
	db := open(t)
	if _, err := db.conn.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	_, err := db.conn.ExecContext(t.Context(), "INSERT INTO purses VALUES ('tunde', 1)")
	wantLine(t, explain("town.db", err), "town.db", "read-only")
	if other := errors.New("other"); explain("town.db", other) != other {
		t.Error("changed an error it doesn't know")
	}
}

func TestMigrate_Act(t *testing.T) {
	first := Migration{1, "purses", purses}
	second := Migration{2, "limits", `ALTER TABLE purses ADD COLUMN daily INTEGER NOT NULL DEFAULT 0; CREATE TABLE limits (x INTEGER)`}

	t.Run("OK copies what is there before it changes it", func(t *testing.T) {
		db := open(t)
		if err := db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, "tunde", 5) }); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time there is nothing to do
			if err := db.Migrate(t.Context(), "town", []Migration{first, second}); err != nil {
				t.Fatal(err)
			}
		}
		copies, _ := filepath.Glob(db.Path() + ".before-*")
		if len(copies) != 1 || copies[0] != db.Path()+".before-town-2" {
			t.Fatalf("copies: %v", copies)
		}
		old := openAt(t, copies[0])
		if amounts(t, old)["tunde"] != 5 || amounts(t, db)["tunde"] != 5 {
			t.Error("the purse is lost")
		}
		if err := old.Conn(t.Context()).Exec("SELECT daily FROM purses").Error; err == nil {
			t.Error("the copy has been migrated too")
		}
	})
	t.Run("OK rooms are apart", func(t *testing.T) {
		db := open(t)
		if err := db.Migrate(t.Context(), "hub", []Migration{{1, "games", "CREATE TABLE games (id TEXT)"}}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("ErrStepUndone", func(t *testing.T) {
		db := open(t)
		bad := Migration{2, "bad", "CREATE TABLE half (x INTEGER); CREATE TABLE purses (x INTEGER)"}
		if err := db.Migrate(t.Context(), "town", []Migration{first, bad}); err == nil || !strings.Contains(err.Error(), "step 2 (bad)") {
			t.Fatal(err)
		}
		if err := db.Conn(t.Context()).Exec("SELECT * FROM half").Error; err == nil {
			t.Error("half a step stayed")
		}
		if err := db.Migrate(t.Context(), "town", []Migration{first, second}); err != nil {
			t.Error(err)
		}
	})
	t.Run("ErrNewer", func(t *testing.T) {
		db := open(t)
		if err := db.Migrate(t.Context(), "town", nil); err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Error(err)
		}
	})
	t.Run("ErrOtherProgram", func(t *testing.T) {
		db := open(t)
		if err := db.Migrate(t.Context(), "town", []Migration{{1, "stalls", purses}}); err == nil || !strings.Contains(err.Error(), "stalls") {
			t.Error(err)
		}
	})
	t.Run("ErrNumbers", func(t *testing.T) {
		db := open(t)
		if err := db.Migrate(t.Context(), "x", []Migration{{2, "late", "SELECT 1"}}); err == nil {
			t.Error("a gap was accepted")
		}
	})
}

func TestIsUnique_Act(t *testing.T) {
	db := open(t)
	insert := func(owner string, amount int) error {
		return db.InTx(t.Context(), func(ctx context.Context) error { return put(ctx, db, owner, amount) })
	}
	if err := insert("tunde", 1); err != nil {
		t.Fatal(err)
	}
	if err := insert("tunde", 2); !IsUnique(err) {
		t.Errorf("a duplicate isn't told: %v", err)
	}
	if err := insert("ada", -1); err == nil || IsUnique(err) {
		t.Errorf("a CHECK is taken for a duplicate: %v", err)
	}
	if IsUnique(nil) || IsUnique(gorm.ErrRecordNotFound) {
		t.Error("no duplicate, yet told")
	}
}

// TestKill: what was reported committed is there after a SIGKILL, the lock is
// gone with the process, and nonces and balances go on from there.
func TestKill_CommittedStays(t *testing.T) {
	if path := os.Getenv("STORAGE_TEST_CHILD"); path != "" {
		db := openAt(t, path)
		for i := 0; ; i++ {
			if err := db.InTx(context.Background(), func(ctx context.Context) error { return put(ctx, db, fmt.Sprint("p", i), i) }); err != nil {
				t.Fatal(err)
			}
			fmt.Printf("\ncommitted %d\n", i)
		}
	}
	path := filepath.Join(t.TempDir(), "town.db")
	child := exec.Command(os.Args[0], "-test.run=TestKill_CommittedStays")
	child.Env = append(os.Environ(), "STORAGE_TEST_CHILD="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	last := -1
	line := make([]byte, 0, 64)
	for buf := make([]byte, 1); last < 50; {
		if _, err := out.Read(buf); err != nil {
			t.Fatal(err)
		}
		if buf[0] != '\n' {
			line = append(line, buf[0])
			continue
		}
		_, _ = fmt.Sscanf(string(line), "committed %d", &last)
		line = line[:0]
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	stored := amounts(t, openAt(t, path))
	for i := range last + 1 {
		if stored[fmt.Sprint("p", i)] != i {
			t.Fatalf("purse %d of %d is lost", i, last)
		}
	}
}

func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("it never came to hold")
		}
	}
}

// BenchmarkDebitDurable pairs one durable debit with the plain database/sql loop.
func BenchmarkDebitDurable(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		raw, err := sql.Open(driverName, source(filepath.Join(b.TempDir(), "raw.db"), "journal_mode(WAL)", "synchronous(FULL)"))
		if err != nil {
			b.Fatal(err)
		}
		defer raw.Close()
		raw.SetMaxOpenConns(1)
		if _, err := raw.Exec(purses + "; INSERT INTO purses VALUES ('tunde', 1000000000)"); err != nil {
			b.Fatal(err)
		}
		b.SetParallelism(8)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				tx, err := raw.Begin()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := tx.Exec("UPDATE purses SET amount = amount - 1 WHERE owner = ? AND amount >= 1", "tunde"); err != nil {
					b.Fatal(err)
				}
				if err := tx.Commit(); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("ours", func(b *testing.B) {
		db := open(b)
		if err := db.InTx(b.Context(), func(ctx context.Context) error { return put(ctx, db, "tunde", 1_000_000_000) }); err != nil {
			b.Fatal(err)
		}
		b.SetParallelism(8)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				err := db.InTx(context.Background(), func(ctx context.Context) error {
					return db.Tx(ctx).Exec("UPDATE purses SET amount = amount - 1 WHERE owner = ? AND amount >= 1", "tunde").Error
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
