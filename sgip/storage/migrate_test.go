package storage

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

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
