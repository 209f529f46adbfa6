package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// TestPlatform_BookColumns wants the database itself to refuse amounts that a
// fault could write: SQLite would turn them into floats in silence.
func TestPlatform_BookColumns(t *testing.T) {
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "book.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	write := func(amount, credited any, state string) error {
		return db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Tx(ctx).Exec(`INSERT OR REPLACE INTO platform_debits
				(charge_id, player, visit_id, host, amount, currency, host_amount, host_currency, description, state, code, message, credited, at)
				VALUES ('c', 'p', 'v', 'h', ?, 'NGN', 1, 'EUR', 'd', ?, '', '', ?, 0)`, amount, state, credited).Error
		})
	}
	if err := write(5, 5, "taken"); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a fraction":                 write(5.5, 0, "taken"),
		"more than an integer holds": write(9.3e18, 0, "taken"),
		"below zero":                 write(-1, 0, "taken"),
		"credited more than taken":   write(5, 6, "taken"),
		"credited below zero":        write(5, -1, "taken"),
		"a state nobody knows":       write(5, 0, "maybe"),
	} {
		if err == nil {
			t.Errorf("%s was written", name)
		}
	}
}
