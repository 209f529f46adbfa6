package store

import (
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
)

// Platform keeps the tables of a game's seat.
type Platform struct{ db *storage.DB }

var _ platform.Store = (*Platform)(nil)

// NewPlatform gives the store of sgip/platform.
func NewPlatform(db *storage.DB) *Platform { return &Platform{db: db} }

// millisOf writes the zero time as 0.
func millisOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// moneyColumns splits an optional amount for two columns that may be null.
func moneyColumns(m *sgip.Money) (amount *int64, currency *string) {
	if m == nil {
		return nil, nil
	}
	return &m.Amount, &m.Currency
}

func moneyOf(amount *int64, currency *string) *sgip.Money {
	if amount == nil || currency == nil {
		return nil
	}
	return &sgip.Money{Amount: *amount, Currency: *currency}
}
