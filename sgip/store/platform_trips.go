package store

import (
	"context"
	"encoding/json"
	"time"

	"sgip.example/starter/sgip/platform"
)

type tripRow struct {
	VisitID        string `gorm:"primaryKey"`
	Handle         string
	Host           string
	HostName       string
	HostIcon       string
	HostOrigin     string
	LaunchURL      string
	Embed          bool
	Budget         *int64
	BudgetCurrency *string
	Passport       string
	IssuedAt       int64
	ExpiresAt      int64
	StartedAt      int64
	ClosedAt       int64
	EndedAt        int64
	Accepted       string // JSON, "" before the trip has ended
}

func (tripRow) TableName() string { return "platform_trips" }

// AddTrip writes a new trip.
func (p *Platform) AddTrip(ctx context.Context, t platform.TripRecord) error {
	row := tripRow{
		VisitID: t.VisitID, Handle: t.Handle, Host: t.Host, HostName: t.HostName,
		HostIcon: t.HostIcon, HostOrigin: t.HostOrigin, LaunchURL: t.LaunchURL, Embed: t.Embed,
		Passport: t.Passport, IssuedAt: millisOf(t.IssuedAt), ExpiresAt: millisOf(t.ExpiresAt),
		StartedAt: millisOf(t.StartedAt),
	}
	row.Budget, row.BudgetCurrency = moneyColumns(t.Budget)
	return p.db.Tx(ctx).Create(&row).Error
}

// Trip finds a trip, nil where there is none.
func (p *Platform) Trip(ctx context.Context, visitID string) (*platform.TripRecord, error) {
	var rows []tripRow
	if err := p.db.Conn(ctx).Where("visit_id = ?", visitID).Limit(1).Find(&rows).Error; err != nil {
		return nil, err
	}
	trips, err := p.trips(ctx, rows)
	if err != nil || len(trips) == 0 {
		return nil, err
	}
	return &trips[0], nil
}

// TripsOf lists a player's trips, newest first.
func (p *Platform) TripsOf(ctx context.Context, handle string, limit int) ([]platform.TripRecord, error) {
	var rows []tripRow
	err := p.db.Conn(ctx).Where("handle = ?", handle).
		Order("started_at DESC, visit_id DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return p.trips(ctx, rows)
}

func (p *Platform) trips(ctx context.Context, rows []tripRow) ([]platform.TripRecord, error) {
	ids := []string{}
	for _, r := range rows {
		ids = append(ids, r.VisitID)
	}
	spent, err := p.spent(ctx, ids)
	if err != nil {
		return nil, err
	}
	trips := []platform.TripRecord{}
	for _, r := range rows {
		t := platform.TripRecord{
			Trip: platform.Trip{
				VisitID: r.VisitID, Handle: r.Handle, Host: r.Host, HostName: r.HostName,
				HostIcon: r.HostIcon, HostOrigin: r.HostOrigin, LaunchURL: r.LaunchURL, Embed: r.Embed,
				Budget: moneyOf(r.Budget, r.BudgetCurrency), Spent: spent[r.VisitID],
				StartedAt: timeOf(r.StartedAt), ExpiresAt: timeOf(r.ExpiresAt),
			},
			Passport: r.Passport, IssuedAt: timeOf(r.IssuedAt),
			ClosedAt: timeOf(r.ClosedAt), EndedAt: timeOf(r.EndedAt),
		}
		if r.Accepted != "" {
			if err := json.Unmarshal([]byte(r.Accepted), &t.Accepted); err != nil {
				return nil, err
			}
		}
		trips = append(trips, t)
	}
	return trips, nil
}

// RenewTrip keeps a refreshed passport, unless the trip has been closed.
func (p *Platform) RenewTrip(ctx context.Context, visitID, passport string, issued, expires time.Time) error {
	return p.db.Tx(ctx).Model(&tripRow{}).
		Where("visit_id = ? AND closed_at = 0 AND ended_at = 0", visitID).
		Updates(map[string]any{
			"passport": passport, "issued_at": millisOf(issued), "expires_at": millisOf(expires),
		}).Error
}

// CloseTrips closes one trip of a player, or all, and forgets the passports.
func (p *Platform) CloseTrips(ctx context.Context, handle, visitID string, at time.Time) error {
	q := p.db.Tx(ctx).Model(&tripRow{}).Where("handle = ? AND closed_at = 0", handle)
	if visitID != "" {
		q = q.Where("visit_id = ?", visitID)
	}
	return q.Updates(map[string]any{"closed_at": millisOf(at), "passport": ""}).Error
}

// EndTrip writes what visit.end@1 applied; false if that was done before.
func (p *Platform) EndTrip(ctx context.Context, visitID string, accepted map[string]int, at time.Time) (bool, error) {
	text, err := json.Marshal(accepted)
	if err != nil {
		return false, err
	}
	done := p.db.Tx(ctx).Model(&tripRow{}).Where("visit_id = ? AND ended_at = 0", visitID).
		Updates(map[string]any{"ended_at": millisOf(at), "accepted": string(text), "passport": ""})
	return done.RowsAffected == 1, done.Error
}
