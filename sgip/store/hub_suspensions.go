package store

import (
	"context"
	"time"
)

// Suspend writes a suspension down.
func (s *Hub) Suspend(ctx context.Context, platform string, at time.Time) (bool, error) {
	return happened(s.db.Tx(ctx).Exec(`INSERT INTO hub_suspensions (platform, suspended_at) VALUES (?, ?) ON CONFLICT DO NOTHING`,
		platform, at.UnixMilli()))
}

// Resume takes one back.
func (s *Hub) Resume(ctx context.Context, platform string) (bool, error) {
	return happened(s.db.Tx(ctx).Exec(`DELETE FROM hub_suspensions WHERE platform = ?`, platform))
}

// Suspended lists them by id.
func (s *Hub) Suspended(ctx context.Context) ([]string, error) {
	var platforms []string
	err := s.db.Conn(ctx).Raw(`SELECT platform FROM hub_suspensions ORDER BY platform`).Scan(&platforms).Error
	return platforms, err
}
