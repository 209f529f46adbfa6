package storage

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"gorm.io/gorm"
)

type txKey struct{}

// tx is one caller's part of the open transaction.
type tx struct {
	db    *DB
	share *commit
	depth int
	hooks []func()
	over  atomic.Bool // a context that outlives the transaction finds it over
}

func running(ctx context.Context) *tx {
	t, _ := ctx.Value(txKey{}).(*tx)
	if t == nil || t.over.Load() {
		return nil
	}
	return t
}

// InTx runs fn in one transaction that rides in the context given to it. A
// nested call is a savepoint: its error undoes its own part only.
//
// A nil error means that everything is on disk. An error means that nothing of
// fn's is, be it fn's own error or that of the commit. A panic in fn undoes its
// part and goes on. Once fn has returned, the end of ctx changes nothing any
// more. fn must not wait for another transaction, nor for the network.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if t := running(ctx); t != nil && t.db == db {
		return t.step(ctx, fn)
	}
	return db.outermost(ctx, fn)
}

func (db *DB) outermost(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	share, err := db.board(ctx)
	if err != nil {
		return err
	}
	t := &tx{db: db, share: share}
	defer func() {
		t.over.Store(true)
		if failed := db.alight(share); failed != nil {
			err = failed
			return
		}
		for _, hook := range t.hooks {
			hook()
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.step(context.WithValue(ctx, txKey{}, t), fn)
}

// step runs fn in a savepoint. The deferred part works for a panic and for
// runtime.Goexit as well.
func (t *tx) step(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	name := "s" + strconv.Itoa(t.depth)
	if err := t.db.exec("SAVEPOINT " + name); err != nil {
		return t.breaks(err)
	}
	t.depth++
	hooks := len(t.hooks)
	good := false
	defer func() {
		t.depth--
		if !good {
			t.hooks = t.hooks[:hooks]
			if failed := t.db.exec("ROLLBACK TO " + name); failed != nil {
				if code(err) != 0 {
					failed = err // what ended the transaction, not what followed
				}
				err = t.breaks(failed)
				return
			}
		}
		if failed := t.db.exec("RELEASE " + name); failed != nil {
			err = t.breaks(failed)
		}
	}()
	err = fn(ctx)
	good = err == nil
	return err
}

// breaks notes that the transaction is gone: SQLite ends it by itself when the
// disk is full or fails. Nobody who shares it may be told that it was committed.
func (t *tx) breaks(err error) error {
	t.share.broken = fmt.Errorf("transaction lost: %w", explain(t.db.path, err))
	return t.share.broken
}

// Conn is the transaction in ctx, or the pool of readers.
func (db *DB) Conn(ctx context.Context) *gorm.DB {
	if t := running(ctx); t != nil && t.db == db {
		return db.writer.WithContext(context.WithoutCancel(ctx))
	}
	return db.reader.WithContext(ctx)
}

// Tx is the transaction in ctx. Without one it panics: writing outside a
// transaction is a fault of the program.
func (db *DB) Tx(ctx context.Context) *gorm.DB {
	t := running(ctx)
	if t == nil || t.db != db {
		panic("storage: writing outside a transaction")
	}
	return db.writer.WithContext(context.WithoutCancel(ctx))
}

// AfterCommit runs fn once the outermost transaction in ctx has been committed,
// at once where there is none. For waking workers; it can't fail.
func AfterCommit(ctx context.Context, fn func()) {
	if t := running(ctx); t != nil {
		t.hooks = append(t.hooks, fn)
		return
	}
	fn()
}
