package store

import (
	"errors"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/storage"
)

// Hub is the hub's Store: registry, visits, counters, charges and credits.
type Hub struct{ db *storage.DB }

var _ hub.Store = (*Hub)(nil)

// NewHub gives the hub its tables.
func NewHub(db *storage.DB) *Hub { return &Hub{db: db} }

// none translates GORM's way of saying that there is no such row.
func none(err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return hub.ErrNone
	}
	return err
}

// happened reads a conditional statement's row count: whether its condition held.
func happened(res *gorm.DB) (bool, error) { return res.RowsAffected == 1, res.Error }

// fromMillis reads a stored time.
func fromMillis(at int64) time.Time { return time.UnixMilli(at).UTC() }
