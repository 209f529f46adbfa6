// Package storage opens the database and carries its transactions in the
// context. Call Open, then Migrate for each room that keeps tables. Nothing
// here knows what is stored.
//
// All writing goes over one connection, one transaction at a time, so that
// nobody ever meets 'database is locked'; transactions that wait for each other
// share one commit (see commit.go). Reading outside a transaction has a pool of
// connections of its own.
package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite" // the pure-Go driver, so that a fresh machine needs Go and nothing else
)

const (
	driverName = "sqlite"
	// readers is how many may read at once; they never wait for the writer.
	readers = 8
	// busyMillis is how long a statement waits for another process that works
	// beside the server (a sub-command), before it gives up.
	busyMillis = 5000
)

// DB is one opened database: one writing connection and a pool of readers.
type DB struct {
	path   string
	lock   *os.File
	beside bool // opened by OpenBeside

	write  *sql.DB
	conn   *sql.Conn // the one writing connection
	writes *statements
	writer *gorm.DB

	read   *sql.DB
	reads  *statements
	reader *gorm.DB

	baton   sync.Mutex // whoever holds it uses conn and shared
	waiting atomic.Int32
	shared  *commit // the open transaction, or nil
}

// Open opens (and creates) the SQLite file at path: WAL, full sync, immediate
// transactions. It refuses, in plain words, a file that another server holds.
func Open(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database path: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, lock: lock}
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(explain(path, err), db.Close())
	}
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	// Created here, so that only the owner can read it; SQLite gives its
	// companion files the same rights.
	f, err := os.OpenFile(db.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if db.write, err = sql.Open(driverName, source(db.path, "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)")); err != nil {
		return err
	}
	db.write.SetMaxOpenConns(1)
	if db.conn, err = db.write.Conn(ctx); err != nil {
		return err
	}
	db.writes = &statements{on: db.conn}
	if db.writer, err = dialect(db.writes); err != nil {
		return err
	}
	if db.read, err = sql.Open(driverName, source(db.path, "query_only(1)")); err != nil {
		return err
	}
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	db.reads = &statements{on: db.read}
	if db.reader, err = dialect(db.reads); err != nil {
		return err
	}
	_, err = db.conn.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (
		room TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
		applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (room, number))`)
	return err
}

func source(path string, pragmas ...string) string {
	query := url.Values{
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
		"_pragma":      append([]string{fmt.Sprintf("busy_timeout(%d)", busyMillis), "trusted_schema(0)"}, pragmas...),
	}
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}).String()
}

// dialect puts GORM over our statements. Its logger would print values, and its
// own transactions would bypass the one writer, so both are off.
func dialect(pool gorm.ConnPool) (*gorm.DB, error) {
	return gorm.Open(sqlite.Dialector{DriverName: driverName, Conn: pool}, &gorm.Config{
		SkipDefaultTransaction:   true,
		DisableAutomaticPing:     true,
		DisableNestedTransaction: true,
		Logger:                   logger.Discard,
	})
}

// Close waits for the transaction under way and releases the connections and
// the lock.
func (db *DB) Close() error {
	db.baton.Lock()
	defer db.baton.Unlock()
	var errs []error
	if db.shared != nil {
		db.finish()
	}
	if db.reads != nil {
		errs = append(errs, db.reads.close())
	}
	if db.read != nil {
		errs = append(errs, db.read.Close())
	}
	if db.writes != nil {
		errs = append(errs, db.writes.close())
	}
	if db.conn != nil {
		errs = append(errs, db.conn.Close())
	}
	if db.write != nil {
		errs = append(errs, db.write.Close())
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Close())
	}
	return errors.Join(errs...)
}

// Path is the file.
func (db *DB) Path() string { return db.path }

// Warning is one line about where the file lies, or "".
func (db *DB) Warning() string {
	if onNetwork(filepath.Dir(db.path)) {
		return db.path + " lies on a network folder, where SQLite's locks and syncs can't be relied on; use a folder of this machine"
	}
	return ""
}
