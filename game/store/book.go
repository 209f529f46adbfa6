package store

import (
	"context"
	"errors"
	"time"

	"sgip.example/starter/game"
)

type noteRow struct {
	ID     int64 `gorm:"primaryKey"`
	Person string
	At     int64
	Icon   string
	Text   string
}

func (noteRow) TableName() string { return "game_notes" }

// Notes are a person's newest notes, newest first.
func (s *Store) Notes(ctx context.Context, id game.PersonID, limit int) ([]game.Note, error) {
	var rows []noteRow
	err := s.db.Conn(ctx).Where("person = ?", string(id)).Order("id DESC").Limit(limit).Find(&rows).Error
	notes := make([]game.Note, 0, len(rows))
	for _, r := range rows {
		notes = append(notes, game.Note{At: at(r.At), Text: r.Text, Icon: r.Icon})
	}
	return notes, wrap("read notes", err)
}

// AddNote adds a note and drops all but the newest limit ones.
func (s *Store) AddNote(ctx context.Context, id game.PersonID, n game.Note, limit int) error {
	tx := s.db.Tx(ctx)
	row := noteRow{Person: string(id), At: ms(n.At), Icon: n.Icon, Text: n.Text}
	if err := tx.Create(&row).Error; err != nil {
		return wrap("add note", err)
	}
	oldest := tx.Model(&noteRow{}).Select("id").Where("person = ?", string(id)).Order("id DESC").Offset(limit).Limit(1)
	return wrap("drop old notes", tx.Where("person = ? AND id <= (?)", string(id), oldest).Delete(&noteRow{}).Error)
}

type postcardRow struct {
	Handle   string `gorm:"primaryKey"`
	VisitID  string `gorm:"primaryKey"`
	Host     string
	HostName string
	Reason   string
	Text     string
	Verbs    string
	Changes  string
	Stayed   int64
	At       int64
}

func (postcardRow) TableName() string { return "game_postcards" }

func (r postcardRow) postcard() (game.Postcard, error) {
	p := game.Postcard{
		VisitID: r.VisitID, Host: r.Host, HostName: r.HostName, Reason: r.Reason, Text: r.Text,
		Stayed: time.Duration(r.Stayed) * time.Millisecond, At: at(r.At),
	}
	return p, wrap("read postcard", errors.Join(unpack(r.Verbs, &p.Verbs), unpack(r.Changes, &p.Changes)))
}

// Postcards are a resident's, newest first.
func (s *Store) Postcards(ctx context.Context, handle string, limit int) ([]game.Postcard, error) {
	var rows []postcardRow
	err := s.db.Conn(ctx).Where("handle = ?", handle).Order("at DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, wrap("read postcards", err)
	}
	cards := make([]game.Postcard, 0, len(rows))
	for _, r := range rows {
		p, err := r.postcard()
		if err != nil {
			return nil, err
		}
		cards = append(cards, p)
	}
	return cards, nil
}

// Postcard is the one of a visit; ok tells whether there is one.
func (s *Store) Postcard(ctx context.Context, handle, visitID string) (p game.Postcard, ok bool, err error) {
	row, ok, err := one[postcardRow](s.db.Conn(ctx).Where("handle = ? AND visit_id = ?", handle, visitID))
	if err != nil || !ok {
		return p, false, wrap("read postcard", err)
	}
	p, err = row.postcard()
	return p, true, err
}

// AddPostcard keeps one for each visit.
func (s *Store) AddPostcard(ctx context.Context, handle string, p game.Postcard) error {
	verbs, errVerbs := packed(p.Verbs)
	changes, errChanges := packed(p.Changes)
	if err := errors.Join(errVerbs, errChanges); err != nil {
		return wrap("add postcard", err)
	}
	return wrap("add postcard", s.db.Tx(ctx).Create(&postcardRow{
		Handle: handle, VisitID: p.VisitID, Host: p.Host, HostName: p.HostName, Reason: p.Reason,
		Text: p.Text, Verbs: verbs, Changes: changes, Stayed: p.Stayed.Milliseconds(), At: ms(p.At),
	}).Error)
}

// CountPostcards is how many a resident has.
func (s *Store) CountPostcards(ctx context.Context, handle string) (int, error) {
	var n int64
	err := s.db.Conn(ctx).Model(&postcardRow{}).Where("handle = ?", handle).Count(&n).Error
	return int(n), wrap("count postcards", err)
}
