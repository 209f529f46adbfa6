package store

import (
	"context"
	"encoding/json"
	"slices"

	"gorm.io/gorm/clause"

	"sgip.example/starter/sgip/platform"
)

// directoryBatch is how many entries one statement writes, far below what
// databases allow as parameters.
const directoryBatch = 200

type listedRow struct {
	PlatformID string `gorm:"primaryKey"`
	Entry      string // JSON as the hub gave it
	FetchedAt  int64
}

func (listedRow) TableName() string { return "platform_directory" }

func listedRowOf(l platform.Listed) (listedRow, error) {
	entry, err := json.Marshal(l.DirectoryEntry)
	return listedRow{PlatformID: l.PlatformID, Entry: string(entry), FetchedAt: millisOf(l.At)}, err
}

func (r listedRow) listed() (platform.Listed, error) {
	l := platform.Listed{At: timeOf(r.FetchedAt)}
	err := json.Unmarshal([]byte(r.Entry), &l.DirectoryEntry)
	return l, err
}

// Replace makes entries the whole directory.
func (p *Platform) Replace(ctx context.Context, entries []platform.Listed) error {
	if err := p.db.Tx(ctx).Where("platform_id <> ?", "").Delete(&listedRow{}).Error; err != nil {
		return err
	}
	for batch := range slices.Chunk(entries, directoryBatch) {
		var rows []listedRow
		for _, l := range batch {
			row, err := listedRowOf(l)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if err := p.put(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// List writes one entry.
func (p *Platform) List(ctx context.Context, entry platform.Listed) error {
	row, err := listedRowOf(entry)
	if err != nil {
		return err
	}
	return p.put(ctx, []listedRow{row})
}

func (p *Platform) put(ctx context.Context, rows []listedRow) error {
	return p.db.Tx(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "platform_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"entry", "fetched_at"}),
	}).Create(&rows).Error
}

// Unlist removes one entry.
func (p *Platform) Unlist(ctx context.Context, id string) error {
	return p.db.Tx(ctx).Where("platform_id = ?", id).Delete(&listedRow{}).Error
}

// Listed gives one entry, or nil.
func (p *Platform) Listed(ctx context.Context, id string) (*platform.Listed, error) {
	var rows []listedRow
	err := p.db.Conn(ctx).Where("platform_id = ?", id).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	l, err := rows[0].listed()
	return &l, err
}

// AllListed gives all entries, ordered by id.
func (p *Platform) AllListed(ctx context.Context) ([]platform.Listed, error) {
	var rows []listedRow
	if err := p.db.Conn(ctx).Order("platform_id").Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]platform.Listed, 0, len(rows))
	for _, row := range rows {
		l, err := row.listed()
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}
