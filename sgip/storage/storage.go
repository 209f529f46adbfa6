// Package storage opens the database and carries its transactions in the
// context. Call Open, then Migrate for each room that keeps tables. Nothing
// here knows what is stored.
package storage

import (
	"context"

	"gorm.io/gorm"
)

// DB is one opened database: one writing connection and a pool of readers.
type DB struct{}

// Open opens (and creates) the SQLite file at path: WAL, full sync, immediate
// transactions. It refuses, in plain words, a file that another server holds.
func Open(ctx context.Context, path string) (*DB, error) { panic("unwritten") }

// Close releases the connections and the lock.
func (db *DB) Close() error { panic("unwritten") }

// Migration is one numbered step of a room's schema; steps run in order, once.
type Migration struct {
	Number int
	Name   string
	SQL    string
}

// Migrate brings room's tables up to date, after copying the file when there is
// something to do to tables that exist.
func (db *DB) Migrate(ctx context.Context, room string, steps []Migration) error {
	panic("unwritten")
}

// InTx runs fn in one transaction that rides in the context given to it. A
// nested call is a savepoint: its error undoes its own part only.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	panic("unwritten")
}

// Conn is the transaction in ctx, or the pool of readers.
func (db *DB) Conn(ctx context.Context) *gorm.DB { panic("unwritten") }

// Tx is the transaction in ctx. Without one it panics: writing outside a
// transaction is a fault of the program.
func (db *DB) Tx(ctx context.Context) *gorm.DB { panic("unwritten") }

// AfterCommit runs fn once the outermost transaction in ctx has been committed,
// at once where there is none. For waking workers; it can't fail.
func AfterCommit(ctx context.Context, fn func()) { panic("unwritten") }

// IsUnique reports whether err is a breach of a unique or primary key.
func IsUnique(err error) bool { panic("unwritten") }
