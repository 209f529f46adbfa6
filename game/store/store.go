// Package store keeps the game's tables. Call Migrate once, then New.
package store

import (
	"context"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip/storage"
)

// Store implements game.Store.
type Store struct{ db *storage.DB }

var _ game.Store = (*Store)(nil)

// New makes a Store on an opened database.
func New(db *storage.DB) *Store { return &Store{db: db} }

// Migrate brings the game's tables up to date.
func Migrate(ctx context.Context, db *storage.DB) error { panic("unwritten") }
