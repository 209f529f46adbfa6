package storage

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
)

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
