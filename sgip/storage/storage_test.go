package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
