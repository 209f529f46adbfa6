package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// OpenBeside opens the database at path for a sub-command, beside a server that
// may be using it: it takes no lock and creates nothing. What it writes are
// short transactions, which take their turns with the server's. Migrate doesn't
// change the tables of such a database; it refuses one of another version.
func OpenBeside(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("no database yet: %w; start the server once", err)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s isn't a database", path)
	}
	db := &DB{path: path, beside: true}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	return db, nil
}

// Backup writes a whole and consistent copy of the database to a file that
// doesn't exist yet, while a server goes on working.
func (db *DB) Backup(ctx context.Context, to string) error {
	if _, err := os.Stat(to); err == nil {
		return fmt.Errorf("%s exists already; a backup replaces nothing", to)
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("backup: %w", err)
	}
	db.baton.Lock()
	defer db.baton.Unlock()
	if db.shared != nil {
		db.finish()
	}
	if err := db.copyFile(ctx, to); err != nil {
		return fmt.Errorf("backup: %w", explain(db.path, err))
	}
	return nil
}
