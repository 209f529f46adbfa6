package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Migration is one numbered step of a room's schema; steps run in order, once.
type Migration struct {
	Number int
	Name   string
	SQL    string
}

// Migrate brings room's tables up to date, after copying the file when there is
// something to do to tables that exist. The copy lies beside the file, under
// its name with ".before-<room>-<number>" added. Each step is a transaction of
// its own. It refuses a file that a newer version has written.
func (db *DB) Migrate(ctx context.Context, room string, steps []Migration) error {
	for i, step := range steps {
		if step.Number != i+1 {
			return fmt.Errorf("migrate %s: step %d has number %d", room, i+1, step.Number)
		}
	}
	db.baton.Lock()
	defer db.baton.Unlock()
	if db.shared != nil {
		db.finish()
	}
	applied, err := db.applied(ctx, room)
	if err != nil {
		return fmt.Errorf("migrate %s: %w", room, explain(db.path, err))
	}
	if len(applied) > len(steps) {
		return fmt.Errorf("%s was written by a newer version of this program (%s is at step %d, this version knows %d)",
			db.path, room, len(applied), len(steps))
	}
	for i, name := range applied {
		if steps[i].Name != name {
			return fmt.Errorf("%s isn't this program's: step %d of %s is %q there and %q here", db.path, i+1, room, name, steps[i].Name)
		}
	}
	todo := steps[len(applied):]
	if db.beside && len(todo) > 0 {
		return fmt.Errorf("%s was written by an older version of this program; start the server of this version first", db.path)
	}
	if len(todo) > 0 && len(applied) > 0 {
		if err := db.copyFile(ctx, fmt.Sprintf("%s.before-%s-%d", db.path, room, todo[0].Number)); err != nil {
			return fmt.Errorf("copy before migrating %s: %w", room, explain(db.path, err))
		}
	}
	for step := range slices.Values(todo) {
		if err := db.apply(ctx, room, step); err != nil {
			return fmt.Errorf("migrate %s, step %d (%s): %w", room, step.Number, step.Name, explain(db.path, err))
		}
	}
	return nil
}

// applied are the names of the room's steps in the file, in order.
func (db *DB) applied(ctx context.Context, room string) (names []string, err error) {
	rows, err := db.conn.QueryContext(ctx, "SELECT name FROM migrations WHERE room = ? ORDER BY number", room)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

func (db *DB) apply(ctx context.Context, room string, step Migration) error {
	tx, err := db.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, step.SQL); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO migrations (room, number, name) VALUES (?, ?, ?)", room, step.Number, step.Name); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// copyFile writes a whole and consistent copy, never a half one under its name.
func (db *DB) copyFile(ctx context.Context, to string) error {
	part := to + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// Made first, so that nobody else can read it for a moment.
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := db.conn.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, to)
}
