package store

import (
	"context"
	"time"

	"sgip.example/starter/game"
)

type keeperRow struct {
	Handle string `gorm:"primaryKey"`
}

func (keeperRow) TableName() string { return "game_keepers" }

// gatehouseRow is one row, made by its migration.
type gatehouseRow struct {
	ID        int `gorm:"primaryKey"`
	KeeperKey string
	Closed    bool
}

func (gatehouseRow) TableName() string { return "game_gatehouse" }

const theGatehouse = 1

type barredRow struct {
	Who string `gorm:"primaryKey"`
	At  int64
}

func (barredRow) TableName() string { return "game_barred" }

// Keepers is how many there are.
func (s *Store) Keepers(ctx context.Context) (int, error) {
	var n int64
	err := s.db.Conn(ctx).Model(&keeperRow{}).Count(&n).Error
	return int(n), wrap("count keepers", err)
}

// IsKeeper reports whether a resident is one.
func (s *Store) IsKeeper(ctx context.Context, who game.PersonID) (bool, error) {
	_, ok, err := one[keeperRow](s.db.Conn(ctx).Where("handle = ?", string(who)))
	return ok, wrap("read keeper", err)
}

// AddKeeper makes a resident one.
func (s *Store) AddKeeper(ctx context.Context, who game.PersonID) error {
	_, err := insert(s.db.Tx(ctx), &keeperRow{Handle: string(who)})
	return wrap("add keeper", err)
}

// SetKeeperKey replaces the hash of the one-time key, "" for none.
func (s *Store) SetKeeperKey(ctx context.Context, hash string) error {
	return wrap("set keeper key", s.db.Tx(ctx).Model(&gatehouseRow{}).Where("id = ?", theGatehouse).Update("keeper_key", hash).Error)
}

// UseKeeperKey removes the key; used is false when it is another.
func (s *Store) UseKeeperKey(ctx context.Context, hash string) (used bool, err error) {
	done := s.db.Tx(ctx).Model(&gatehouseRow{}).
		Where("id = ? AND keeper_key = ? AND keeper_key <> ''", theGatehouse, hash).Update("keeper_key", "")
	return done.RowsAffected == 1, wrap("use keeper key", done.Error)
}

// GatesClosed reports whether nobody may visit.
func (s *Store) GatesClosed(ctx context.Context) (bool, error) {
	row, _, err := one[gatehouseRow](s.db.Conn(ctx).Where("id = ?", theGatehouse))
	return row.Closed, wrap("read gates", err)
}

// SetGatesClosed closes the gates, or opens them.
func (s *Store) SetGatesClosed(ctx context.Context, closed bool) error {
	return wrap("set gates", s.db.Tx(ctx).Model(&gatehouseRow{}).Where("id = ?", theGatehouse).Update("closed", closed).Error)
}

// Barred are the games and guests that are kept out, the latest first.
func (s *Store) Barred(ctx context.Context) ([]string, error) {
	var who []string
	err := s.db.Conn(ctx).Model(&barredRow{}).Order("at DESC, who").Pluck("who", &who).Error
	return who, wrap("read barred", err)
}

// SetBarred keeps a game or a guest out, or lets them in again.
func (s *Store) SetBarred(ctx context.Context, who string, on bool, when time.Time) error {
	tx := s.db.Tx(ctx)
	if on {
		_, err := insert(tx, &barredRow{Who: who, At: ms(when)})
		return wrap("bar", err)
	}
	return wrap("let in", tx.Where("who = ?", who).Delete(&barredRow{}).Error)
}
