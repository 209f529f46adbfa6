package storage

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

const takeOne = "UPDATE purses SET amount = amount - 1 WHERE owner = ? AND amount >= 1"

// BenchmarkDebitDurable pairs debits, each durable before it is answered, with a
// plain database/sql loop of one transaction each, in short alternating slices.
// x-plain is the median of how many times as many ours does.
func BenchmarkDebitDurable(b *testing.B) {
	for _, senders := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("senders=%d", senders), func(b *testing.B) {
			plain, ours := plainDebit(b), ourDebit(b)
			var ratios []float64
			for range b.N {
				slow := slice(b, senders, plain)
				ratios = append(ratios, float64(slow)/float64(slice(b, senders, ours)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-plain")
		})
	}
}

// slice is how long 128 debits take.
func slice(b *testing.B, senders int, debit func() error) time.Duration {
	began := time.Now()
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range 128 / senders {
				if err := debit(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

func plainDebit(b *testing.B) func() error {
	db, err := sql.Open(driverName, source(filepath.Join(b.TempDir(), "plain.db"), "journal_mode(WAL)", "synchronous(FULL)"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(purses + "; INSERT INTO purses VALUES ('tunde', 1000000000)"); err != nil {
		b.Fatal(err)
	}
	return func() error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(takeOne, "tunde"); err != nil {
			return err
		}
		return tx.Commit()
	}
}

func ourDebit(b *testing.B) func() error {
	db := open(b)
	if err := db.InTx(b.Context(), func(ctx context.Context) error { return put(ctx, db, "tunde", 1_000_000_000) }); err != nil {
		b.Fatal(err)
	}
	return func() error {
		return db.InTx(context.Background(), func(ctx context.Context) error { return db.Tx(ctx).Exec(takeOne, "tunde").Error })
	}
}
