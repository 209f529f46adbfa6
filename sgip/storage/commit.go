package storage

import (
	"context"
	"fmt"

	"sgip.example/starter/sgip/crash"
)

// maxShared is how many transactions share one commit at most: it bounds how
// long the first of them waits.
const maxShared = 64

// commit is one transaction of the database, shared by those who came while it
// was open. Each works alone, holding the baton, in a savepoint of its own; the
// one after whom nobody waits commits for all, and only then is anyone answered.
// So a hundred writers cost a few syncs of the disk, and a lone one waits for
// nobody.
type commit struct {
	size   int
	broken error         // SQLite has ended the transaction by itself (disk full, I/O)
	done   chan struct{} // closed when err is final
	err    error
}

// board takes the baton and a place in the open transaction, opening one where
// there is none. Waiting isn't cut short by ctx: someone may count on us to
// commit what is open.
func (db *DB) board(ctx context.Context) (*commit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	db.waiting.Add(1)
	db.baton.Lock()
	db.waiting.Add(-1)
	if db.shared == nil {
		if err := db.exec("BEGIN IMMEDIATE"); err != nil {
			db.baton.Unlock()
			return nil, fmt.Errorf("begin: %w", explain(db.path, err))
		}
		db.shared = &commit{done: make(chan struct{})}
	}
	db.shared.size++
	return db.shared, nil
}

// alight gives the baton on, or commits when nobody waits for it. It returns
// once the shared transaction has been committed, or why it wasn't.
func (db *DB) alight(c *commit) error {
	if c.broken != nil || c.size >= maxShared || db.waiting.Load() == 0 {
		db.finish()
	}
	db.baton.Unlock()
	<-c.done
	return c.err
}

// finish ends the open transaction. The baton is held.
func (db *DB) finish() {
	c := db.shared
	db.shared = nil
	c.err = c.broken
	if c.err == nil {
		crash.Point("before commit")
		if err := db.exec("COMMIT"); err != nil {
			c.err = fmt.Errorf("commit: %w", explain(db.path, err))
		} else {
			crash.Point("after commit")
		}
	}
	if c.err != nil {
		// Fails where SQLite has rolled back by itself, which is as good.
		_ = db.exec("ROLLBACK")
	}
	close(c.done)
}

// exec runs one of our own statements. No caller's context reaches it: SQLite
// undoes a whole transaction when a statement of it is interrupted.
func (db *DB) exec(query string) error {
	_, err := db.writes.ExecContext(context.Background(), query)
	return err
}
