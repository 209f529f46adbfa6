// Package store keeps the tables of exchange, platform, visit and hub. Row
// types stay inside; each New… gives the Store that its room declares. Call
// Migrate once after storage.Open, before anything else.
package store

import (
	"context"

	"sgip.example/starter/sgip/storage"
)

// Migrate brings the tables of all protocol rooms up to date.
func Migrate(ctx context.Context, db *storage.DB) error {
	for _, room := range []struct {
		name  string
		steps []storage.Migration
	}{
		{"exchange", exchangeSteps()},
		{"platform", platformSteps()},
		{"visit", visitSteps()},
		{"hub", hubSteps()},
	} {
		if err := db.Migrate(ctx, room.name, room.steps); err != nil {
			return err
		}
	}
	return nil
}
