package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"sgip.example/starter/game"
)

type loginRow struct {
	Handle   string `gorm:"primaryKey"`
	Password string
}

func (loginRow) TableName() string { return "game_logins" }

type codeRow struct {
	Handle string `gorm:"primaryKey"`
	Hash   string `gorm:"primaryKey"`
}

func (codeRow) TableName() string { return "game_codes" }

type sessionRow struct {
	Hash      string `gorm:"primaryKey"`
	Person    string
	ExpiresAt int64
}

func (sessionRow) TableName() string { return "game_sessions" }

// Login finds how a resident signs in; ErrNoSuch for an unknown handle.
func (s *Store) Login(ctx context.Context, handle string) (game.Login, error) {
	row, ok, err := one[loginRow](s.db.Conn(ctx).Where("handle = ?", handle))
	if err != nil {
		return game.Login{}, wrap("read login", err)
	}
	if !ok {
		return game.Login{}, game.ErrNoSuch
	}
	return game.Login{Handle: row.Handle, Password: row.Password}, nil
}

// SetLogin sets how a resident signs in.
func (s *Store) SetLogin(ctx context.Context, l game.Login) error {
	row := loginRow{Handle: l.Handle, Password: l.Password}
	return wrap("set login", s.db.Tx(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "handle"}}, DoUpdates: clause.AssignmentColumns([]string{"password"}),
	}).Create(&row).Error)
}

// SetCodes replaces a resident's recovery codes.
func (s *Store) SetCodes(ctx context.Context, handle string, hashes []string) error {
	tx := s.db.Tx(ctx)
	if err := tx.Where("handle = ?", handle).Delete(&codeRow{}).Error; err != nil {
		return wrap("drop codes", err)
	}
	rows := make([]codeRow, 0, len(hashes))
	for _, h := range hashes {
		rows = append(rows, codeRow{Handle: handle, Hash: h})
	}
	return wrap("set codes", tx.Create(&rows).Error)
}

// UseCode removes a recovery code; used is false when it isn't there.
func (s *Store) UseCode(ctx context.Context, handle, hash string) (used bool, err error) {
	done := s.db.Tx(ctx).Where("handle = ? AND hash = ?", handle, hash).Delete(&codeRow{})
	return done.RowsAffected == 1, wrap("use code", done.Error)
}

// AddSession adds a session and drops those past their end.
func (s *Store) AddSession(ctx context.Context, x game.Session, now time.Time) error {
	tx := s.db.Tx(ctx)
	if err := tx.Where("expires_at <= ?", ms(now)).Delete(&sessionRow{}).Error; err != nil {
		return wrap("drop old sessions", err)
	}
	return wrap("add session", tx.Create(&sessionRow{Hash: x.Hash, Person: string(x.Person), ExpiresAt: ms(x.Expires)}).Error)
}

// Session is ErrNoSuch for one that is unknown or past its end.
func (s *Store) Session(ctx context.Context, hash string, now time.Time) (game.Session, error) {
	row, ok, err := one[sessionRow](s.db.Conn(ctx).Where("hash = ? AND expires_at > ?", hash, ms(now)))
	if err != nil {
		return game.Session{}, wrap("read session", err)
	}
	if !ok {
		return game.Session{}, game.ErrNoSuch
	}
	return game.Session{Hash: row.Hash, Person: game.PersonID(row.Person), Expires: at(row.ExpiresAt)}, nil
}

// DropSession ends a session.
func (s *Store) DropSession(ctx context.Context, hash string) error {
	return wrap("drop session", s.db.Tx(ctx).Where("hash = ?", hash).Delete(&sessionRow{}).Error)
}

// DropSessions ends all of a person's.
func (s *Store) DropSessions(ctx context.Context, id game.PersonID) error {
	return wrap("drop sessions", s.db.Tx(ctx).Where("person = ?", string(id)).Delete(&sessionRow{}).Error)
}
