package store

import (
	"context"
	"encoding/json"
	"time"

	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/visit"
)

// Visit keeps guest sessions.
type Visit struct{ db *storage.DB }

var _ visit.Store = (*Visit)(nil)

// NewVisit gives the store of sgip/visit.
func NewVisit(db *storage.DB) *Visit { return &Visit{db: db} }

type sessionRow struct {
	VisitID        string `gorm:"primaryKey"`
	Guest          string
	Handle         string
	Home           string
	Name           string
	Avatar         string
	Stats          string // JSON, "" for none brought
	Budget         *int64
	BudgetCurrency *string
	TokenHash      string
	Issued         int64
	StartedAt      int64
	SeenAt         int64
	ExpiresAt      int64
	EndedAt        int64
	Reason         string
}

func (sessionRow) TableName() string { return "visit_sessions" }

// Add writes a new visit.
func (v *Visit) Add(ctx context.Context, r visit.Record) error {
	row := sessionRow{
		VisitID: r.VisitID, Guest: r.ID, Handle: r.Handle, Home: r.Home, Name: r.Name,
		Avatar: r.Avatar, TokenHash: r.TokenHash, Issued: r.Issued,
		StartedAt: millisOf(r.StartedAt), SeenAt: millisOf(r.SeenAt), ExpiresAt: millisOf(r.ExpiresAt),
	}
	row.Budget, row.BudgetCurrency = moneyColumns(r.Budget)
	if r.Stats != nil {
		stats, err := json.Marshal(r.Stats)
		if err != nil {
			return err
		}
		row.Stats = string(stats)
	}
	return v.db.Tx(ctx).Create(&row).Error
}

func (row sessionRow) record() (visit.Record, error) {
	r := visit.Record{
		Guest: visit.Guest{
			VisitID: row.VisitID, ID: row.Guest, Handle: row.Handle, Home: row.Home,
			Name: row.Name, Avatar: row.Avatar, Budget: moneyOf(row.Budget, row.BudgetCurrency),
			StartedAt: timeOf(row.StartedAt), ExpiresAt: timeOf(row.ExpiresAt),
		},
		TokenHash: row.TokenHash, Issued: row.Issued, SeenAt: timeOf(row.SeenAt),
		EndedAt: timeOf(row.EndedAt), Reason: row.Reason,
	}
	if row.Stats == "" {
		return r, nil
	}
	err := json.Unmarshal([]byte(row.Stats), &r.Stats)
	return r, err
}

// Visit finds a visit by its id, nil where there is none.
func (v *Visit) Visit(ctx context.Context, visitID string) (*visit.Record, error) {
	return v.first(ctx, "visit_id = ?", visitID)
}

// ByToken finds the visit whose current guest token has this hash, or nil.
func (v *Visit) ByToken(ctx context.Context, tokenHash string) (*visit.Record, error) {
	return v.first(ctx, "token_hash = ?", tokenHash)
}

func (v *Visit) first(ctx context.Context, where, value string) (*visit.Record, error) {
	records, err := v.find(ctx, 1, where, value)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	return &records[0], nil
}

// UnderWay lists the visits that haven't ended: one guest's, or all for "".
func (v *Visit) UnderWay(ctx context.Context, guest string) ([]visit.Record, error) {
	if guest == "" {
		return v.find(ctx, -1, "ended_at = 0")
	}
	return v.find(ctx, -1, "ended_at = 0 AND guest = ?", guest)
}

// Due lists visits under way that expired, or were idle, at the given times.
func (v *Visit) Due(ctx context.Context, expired, idle time.Time, limit int) ([]visit.Record, error) {
	return v.find(ctx, limit, "ended_at = 0 AND (expires_at <= ? OR seen_at <= ?)",
		millisOf(expired), millisOf(idle))
}

func (v *Visit) find(ctx context.Context, limit int, where string, values ...any) ([]visit.Record, error) {
	var rows []sessionRow
	err := v.db.Conn(ctx).Where(where, values...).Order("started_at, visit_id").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	records := make([]visit.Record, 0, len(rows))
	for _, row := range rows {
		r, err := row.record()
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// Renew keeps the token, passport times and activity of r.
func (v *Visit) Renew(ctx context.Context, r visit.Record) error {
	return one(v.db.Tx(ctx).Model(&sessionRow{}).Where("visit_id = ? AND ended_at = 0", r.VisitID).
		Updates(map[string]any{
			"token_hash": r.TokenHash, "issued": r.Issued,
			"expires_at": millisOf(r.ExpiresAt), "seen_at": millisOf(r.SeenAt),
		}))
}

// Seen notes activity.
func (v *Visit) Seen(ctx context.Context, visitID string, at time.Time) error {
	return v.db.Tx(ctx).Model(&sessionRow{}).Where("visit_id = ?", visitID).
		Update("seen_at", millisOf(at)).Error
}

// End ends a visit; false if it had ended before.
func (v *Visit) End(ctx context.Context, visitID, reason string, at time.Time) (bool, error) {
	done := v.db.Tx(ctx).Model(&sessionRow{}).Where("visit_id = ? AND ended_at = 0", visitID).
		Updates(map[string]any{"ended_at": millisOf(at), "reason": reason})
	return done.RowsAffected == 1, done.Error
}
