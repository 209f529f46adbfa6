package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gorm.io/gorm"
)

// Look gives fn one consistent view of the database at path, while a server may
// be writing there: it takes no lock, creates nothing and can change nothing.
// What fn reads is all of one moment.
func Look(ctx context.Context, path string, fn func(db *gorm.DB) error) (err error) {
	if path, err = filepath.Abs(path); err != nil {
		return fmt.Errorf("database path: %w", err)
	}
	if info, err := os.Stat(path); err != nil {
		return fmt.Errorf("look at the database: %w", err)
	} else if info.IsDir() {
		return fmt.Errorf("%s is a folder, not a database", path)
	}
	pool, err := sql.Open(driverName, source(path, "query_only(1)")+"&mode=ro")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("look at the database: %w", explain(path, err))
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	db, err := dialect(tx)
	if err != nil {
		return explain(path, err)
	}
	if err := fn(db.WithContext(ctx)); err != nil {
		return explain(path, err)
	}
	return nil
}
