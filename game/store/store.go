// Package store keeps the game's tables. Call Migrate once at start, then New.
// Times are Unix milliseconds, 0 for none; amounts are minor units.
package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip/storage"
)

// Store implements game.Store.
type Store struct{ db *storage.DB }

var _ game.Store = (*Store)(nil)

// New makes a Store on a database that has been migrated.
func New(db *storage.DB) *Store { return &Store{db: db} }

// Founded is when the town began.
func (s *Store) Founded(ctx context.Context) (time.Time, bool, error) {
	row, ok, err := one[townRow](s.db.Conn(ctx).Where("id = ?", theTown))
	if err != nil || !ok {
		return time.Time{}, false, wrap("read founding", err)
	}
	return at(row.FoundedAt), true, nil
}

// Found sets when the town began, unless it is set.
func (s *Store) Found(ctx context.Context, when time.Time) error {
	_, err := insert(s.db.Tx(ctx), &townRow{ID: theTown, FoundedAt: ms(when)})
	return wrap("found town", err)
}

// theTown is the key of the one row about the town itself.
const theTown = 1

type townRow struct {
	ID        int `gorm:"primaryKey"`
	FoundedAt int64
}

func (townRow) TableName() string { return "game_town" }

// AfterCommit runs fn once the outermost transaction is committed.
func (s *Store) AfterCommit(ctx context.Context, fn func()) { storage.AfterCommit(ctx, fn) }

// one reads at most one row; ok tells whether it was there.
func one[Row any](q *gorm.DB) (row Row, ok bool, err error) {
	found := q.Limit(1).Find(&row)
	return row, found.RowsAffected == 1, found.Error
}

// insert adds a row; added is false where its key is there already.
func insert[Row any](q *gorm.DB, row *Row) (added bool, err error) {
	done := q.Clauses(clause.OnConflict{DoNothing: true}).Create(row)
	return done.RowsAffected == 1, done.Error
}

// wrap names the act that failed.
func wrap(act string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", act, err)
}

func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// packed is a small value kept as JSON in one column.
func packed(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

func unpack(text string, into any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}
