package store

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"sgip.example/starter/sgip/hub"
)

type counterRow struct {
	Kind  string `gorm:"primaryKey"`
	Owner string `gorm:"primaryKey"`
	Party string `gorm:"primaryKey"`
	Give  string `gorm:"primaryKey"`
	Get   string `gorm:"primaryKey"`
	Day   string `gorm:"primaryKey"`
	Used  int64
}

func (counterRow) TableName() string { return "hub_counters" }

const whereCounter = "kind = ? AND owner = ? AND party = ? AND give = ? AND get = ? AND day = ?"

func counterKey(c hub.Counter) []any { return []any{c.Kind, c.Owner, c.Party, c.Give, c.Get, c.Day} }

// Reserve adds amount where the sum stays within limit: one statement decides.
func (s *Hub) Reserve(ctx context.Context, c hub.Counter, amount, limit int64) (bool, error) {
	tx := s.db.Tx(ctx)
	err := tx.Exec(`INSERT INTO hub_counters (kind, owner, party, give, get, day, used) VALUES (?, ?, ?, ?, ?, ?, 0)
		ON CONFLICT DO NOTHING`, counterKey(c)...).Error
	if err != nil {
		return false, err
	}
	// limit - amount can't overflow where used + amount could.
	return happened(tx.Model(&counterRow{}).Where(whereCounter, counterKey(c)...).Where("used <= ?", limit-amount).
		Update("used", gorm.Expr("used + ?", amount)))
}

// Release takes amount off again; less than that there is a fault.
func (s *Hub) Release(ctx context.Context, c hub.Counter, amount int64) error {
	done, err := happened(s.db.Tx(ctx).Model(&counterRow{}).Where(whereCounter, counterKey(c)...).Where("used >= ?", amount).
		Update("used", gorm.Expr("used - ?", amount)))
	if err == nil && !done {
		return fmt.Errorf("release %d of %v: less is counted", amount, c)
	}
	return err
}

// Used is the sum, 0 where nothing was ever counted.
func (s *Hub) Used(ctx context.Context, c hub.Counter) (int64, error) {
	var rows []counterRow
	err := s.db.Conn(ctx).Where(whereCounter, counterKey(c)...).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Used, nil
}
