package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/game"
)

type personRow struct {
	ID           string `gorm:"primaryKey"`
	Version      int64
	Name         string
	Avatar       string
	Bio          string
	Home         string
	Discoverable bool
	Demo         bool
	Job          string
	VisitID      string
	SeenAt       int64
	Stats        string
	StatsAt      int64
	Place        string
	CameFrom     string
	Mode         string
	LeftAt       int64
	ArrivesAt    int64
	Doing        string
	DoingSince   int64
	DoingUntil   int64
	RentDay      int
	Present      bool
	Brought      string
	Deeds        string
	Pocket       int64
}

func (personRow) TableName() string { return "game_people" }

func toRow(s game.Someone) (personRow, error) {
	stats, errStats := packed(s.Stats)
	brought, errBrought := packed(s.Brought)
	deeds, errDeeds := packed(s.Deeds)
	return personRow{
		ID: string(s.ID), Version: s.Version, Name: s.Name, Avatar: s.Avatar, Bio: s.Bio, Home: s.Home,
		Discoverable: s.Discoverable, Demo: s.Demo, Job: s.Job, VisitID: s.VisitID,
		SeenAt: ms(s.SeenAt), Stats: stats, StatsAt: ms(s.StatsAt),
		Place: s.Place, CameFrom: s.From, Mode: s.Mode, LeftAt: ms(s.Left), ArrivesAt: ms(s.Arrives),
		Doing: s.Doing, DoingSince: ms(s.DoingSince), DoingUntil: ms(s.DoingUntil),
		RentDay: s.RentDay, Present: s.Present, Brought: brought, Deeds: deeds, Pocket: s.Pocket,
	}, errors.Join(errStats, errBrought, errDeeds)
}

func (r personRow) someone() (game.Someone, error) {
	s := game.Someone{
		Person: game.Person{
			ID: game.PersonID(r.ID), Name: r.Name, Avatar: r.Avatar, Bio: r.Bio, Home: r.Home,
			Discoverable: r.Discoverable, Demo: r.Demo, Job: r.Job, VisitID: r.VisitID,
		},
		Version: r.Version, SeenAt: at(r.SeenAt), StatsAt: at(r.StatsAt),
		Place: r.Place, From: r.CameFrom, Mode: r.Mode, Left: at(r.LeftAt), Arrives: at(r.ArrivesAt),
		Doing: r.Doing, DoingSince: at(r.DoingSince), DoingUntil: at(r.DoingUntil),
		RentDay: r.RentDay, Present: r.Present, Pocket: r.Pocket,
	}
	err := errors.Join(unpack(r.Stats, &s.Stats), unpack(r.Brought, &s.Brought), unpack(r.Deeds, &s.Deeds))
	return s, wrap("read person", err)
}

// Someone finds a person; ErrNoPlayer for a stranger.
func (s *Store) Someone(ctx context.Context, id game.PersonID) (game.Someone, error) {
	row, ok, err := one[personRow](s.db.Conn(ctx).Where("id = ?", string(id)))
	if err != nil {
		return game.Someone{}, wrap("read person", err)
	}
	if !ok {
		return game.Someone{}, game.ErrNoPlayer
	}
	return row.someone()
}

// Add adds a person; ErrTaken for an id that is there.
func (s *Store) Add(ctx context.Context, p game.Someone) error {
	row, err := toRow(p)
	if err != nil {
		return wrap("add person", err)
	}
	added, err := insert(s.db.Tx(ctx), &row)
	if err != nil {
		return wrap("add person", err)
	}
	if !added {
		return game.ErrTaken
	}
	return nil
}

// Save writes a person that nobody else has saved meanwhile; else ErrBusy.
func (s *Store) Save(ctx context.Context, p game.Someone) error {
	row, err := toRow(p)
	if err != nil {
		return wrap("save person", err)
	}
	row.Version++
	// Select("*") writes empty values too, which Updates would skip.
	done := s.db.Tx(ctx).Model(&personRow{}).Where("id = ? AND version = ?", row.ID, p.Version).Select("*").Updates(&row)
	if done.Error != nil {
		return wrap("save person", done.Error)
	}
	if done.RowsAffected != 1 {
		return game.ErrBusy
	}
	return nil
}

// Lately are the people present, last seen first; place "" is anywhere.
func (s *Store) Lately(ctx context.Context, place string, limit int) ([]game.Someone, error) {
	q := s.db.Conn(ctx).Where("present = ?", true)
	if place != "" {
		q = q.Where("place = ?", place)
	}
	var rows []personRow
	if err := q.Order("seen_at DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, wrap("read people", err)
	}
	people := make([]game.Someone, 0, len(rows))
	for _, r := range rows {
		p, err := r.someone()
		if err != nil {
			return nil, err
		}
		people = append(people, p)
	}
	return people, nil
}

// CountAt is how many people are at a place, limit at most.
func (s *Store) CountAt(ctx context.Context, place string, when time.Time, limit int) (int, error) {
	there := s.db.Conn(ctx).Model(&personRow{}).Select("id").
		Where("place = ? AND present = ? AND (arrives_at <= ? OR left_at > ?)", place, true, ms(when), ms(when)).Limit(limit)
	var n int64
	err := s.db.Conn(ctx).Table("(?) AS there", there).Count(&n).Error
	return int(n), wrap("count people", err)
}

type deedRow struct {
	Person   string `gorm:"primaryKey"`
	Activity string `gorm:"primaryKey"`
	Times    int
	LastAt   int64
}

func (deedRow) TableName() string { return "game_deeds" }

// Deeds are what a person has done.
func (s *Store) Deeds(ctx context.Context, id game.PersonID) ([]game.Deed, error) {
	var rows []deedRow
	if err := s.db.Conn(ctx).Where("person = ?", string(id)).Find(&rows).Error; err != nil {
		return nil, wrap("read deeds", err)
	}
	deeds := make([]game.Deed, 0, len(rows))
	for _, r := range rows {
		deeds = append(deeds, game.Deed{Activity: r.Activity, Times: r.Times, LastAt: at(r.LastAt)})
	}
	return deeds, nil
}

// Did counts one more of an activity.
func (s *Store) Did(ctx context.Context, id game.PersonID, activity string, when time.Time) error {
	tx := s.db.Tx(ctx)
	added, err := insert(tx, &deedRow{Person: string(id), Activity: activity, Times: 1, LastAt: ms(when)})
	if err != nil || added {
		return wrap("count deed", err)
	}
	return wrap("count deed", tx.Model(&deedRow{}).Where("person = ? AND activity = ?", string(id), activity).
		Updates(map[string]any{"times": gorm.Expr("times + 1"), "last_at": ms(when)}).Error)
}

type stallRow struct {
	Place    string `gorm:"primaryKey"`
	Owner    string
	BoughtAt int64
}

func (stallRow) TableName() string { return "game_stalls" }

// Stalls are those that are owned, by place. A town has a handful.
func (s *Store) Stalls(ctx context.Context) (map[string]game.Owner, error) {
	var rows []struct{ Place, Owner, Name string }
	err := s.db.Conn(ctx).Table("game_stalls").
		Select("game_stalls.place, game_stalls.owner, game_people.name").
		Joins("JOIN game_people ON game_people.id = game_stalls.owner").Scan(&rows).Error
	stalls := make(map[string]game.Owner, len(rows))
	for _, r := range rows {
		stalls[r.Place] = game.Owner{ID: game.PersonID(r.Owner), Name: r.Name}
	}
	return stalls, wrap("read stalls", err)
}

// TakeStall gives a stall to a person; ErrTaken when someone has it, or they
// have another.
func (s *Store) TakeStall(ctx context.Context, place string, id game.PersonID, when time.Time) error {
	added, err := insert(s.db.Tx(ctx), &stallRow{Place: place, Owner: string(id), BoughtAt: ms(when)})
	if err != nil {
		return wrap("take stall", err)
	}
	if !added {
		return game.ErrTaken
	}
	return nil
}
