package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/game"
)

type accountRow struct {
	Account string `gorm:"primaryKey"`
	Balance int64
}

func (accountRow) TableName() string { return "game_accounts" }

type entryRow struct {
	ID       int64 `gorm:"primaryKey"`
	Transfer string
	Account  string
	Amount   int64
	Kind     string
	Text     string
	At       int64
	Ref      string
	VisitID  string
	Host     string
	HostCost int64
	HostCode string
}

func (entryRow) TableName() string { return "game_entries" }

// OpenAccount makes an empty account, unless it is there.
func (s *Store) OpenAccount(ctx context.Context, account string) error {
	_, err := insert(s.db.Tx(ctx), &accountRow{Account: account})
	return wrap("open account", err)
}

// Balance is ErrNoPlayer for an account that isn't there.
func (s *Store) Balance(ctx context.Context, account string) (int64, error) {
	row, ok, err := one[accountRow](s.db.Conn(ctx).Where("account = ?", account))
	if err != nil {
		return 0, wrap("read balance", err)
	}
	if !ok {
		return 0, game.ErrNoPlayer
	}
	return row.Balance, nil
}

// Transfer takes the money by one conditional statement, gives it by another,
// and writes both entries. ErrPoor when it isn't there, ErrNoPlayer when the
// receiver isn't, ErrInvalid past game.MaxMoney.
func (s *Store) Transfer(ctx context.Context, t game.Transfer, when time.Time) error {
	tx := s.db.Tx(ctx)
	least := t.Amount
	if t.Overdraw {
		least = t.Amount - game.MaxMoney
	}
	took := tx.Model(&accountRow{}).Where("account = ? AND balance >= ?", t.From, least).
		Update("balance", gorm.Expr("balance - ?", t.Amount))
	if took.Error != nil {
		return wrap("take money", took.Error)
	}
	if took.RowsAffected != 1 {
		return game.ErrPoor
	}
	gave := tx.Model(&accountRow{}).Where("account = ? AND balance <= ?", t.To, game.MaxMoney-t.Amount).
		Update("balance", gorm.Expr("balance + ?", t.Amount))
	if gave.Error != nil {
		return wrap("give money", gave.Error)
	}
	if gave.RowsAffected != 1 {
		if _, err := s.Balance(ctx, t.To); err != nil {
			return err
		}
		return game.ErrInvalid
	}
	rows := []entryRow{entry(t, t.From, -t.Amount, when), entry(t, t.To, t.Amount, when)}
	return wrap("write entries", tx.Create(&rows).Error)
}

func entry(t game.Transfer, account string, amount int64, when time.Time) entryRow {
	e := t.Entry
	return entryRow{
		Transfer: t.ID, Account: account, Amount: amount, Kind: string(e.Kind), Text: e.Text, At: ms(when),
		Ref: e.Ref, VisitID: e.VisitID, Host: e.Host, HostCost: e.HostCost, HostCode: e.HostCode,
	}
}

// Statement are the newest entries of an account, newest first.
func (s *Store) Statement(ctx context.Context, account string, limit int) ([]game.Entry, error) {
	return entries(s.db.Conn(ctx).Where("account = ?", account).Order("id DESC").Limit(limit))
}

// Sold are the newest entries by which sales came in, newest first.
func (s *Store) Sold(ctx context.Context, account string, limit int) ([]game.Entry, error) {
	return entries(s.db.Conn(ctx).Where("account = ? AND kind = ?", account, string(game.EntrySold)).Order("id DESC").Limit(limit))
}

// Earned is the sum of all that sales brought an account, less what was given back.
func (s *Store) Earned(ctx context.Context, account string) (int64, error) {
	var sum int64
	err := s.db.Conn(ctx).Model(&entryRow{}).Where("account = ? AND kind IN ?", account, []string{string(game.EntrySold), string(game.EntryUnsold)}).
		Select("COALESCE(SUM(amount), 0)").Scan(&sum).Error
	return sum, wrap("sum up sales", err)
}

func entries(q *gorm.DB) ([]game.Entry, error) {
	var rows []entryRow
	err := q.Find(&rows).Error
	all := make([]game.Entry, 0, len(rows))
	for _, r := range rows {
		all = append(all, game.Entry{
			ID: r.ID, Kind: game.EntryKind(r.Kind), Text: r.Text, Amount: r.Amount, At: at(r.At),
			Ref: r.Ref, VisitID: r.VisitID, Host: r.Host, HostCost: r.HostCost, HostCode: r.HostCode,
		})
	}
	return all, wrap("read entries", err)
}
