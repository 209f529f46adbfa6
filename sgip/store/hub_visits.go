package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

type hubVisitRow struct {
	ID             string `gorm:"primaryKey"`
	Home           string
	Player         string
	Host           string
	Scope          string // separated by spaces
	BudgetAmount   *int64
	BudgetCurrency *string
	Profile        string
	StartedAt      int64
	ExpiresAt      int64
	OverAt         *int64
}

func (hubVisitRow) TableName() string { return "hub_visits" }

// AddVisit writes a new visit down.
func (s *Hub) AddVisit(ctx context.Context, v hub.Visit) error {
	profile, err := json.Marshal(v.Profile)
	if err != nil {
		return err
	}
	row := hubVisitRow{ID: v.ID, Home: v.Home, Player: v.Player, Host: v.Host, Scope: strings.Join(v.Scope, " "), Profile: string(profile),
		StartedAt: v.StartedAt.UnixMilli(), ExpiresAt: v.ExpiresAt.UnixMilli()}
	if v.Budget != nil {
		row.BudgetAmount, row.BudgetCurrency = &v.Budget.Amount, &v.Budget.Currency
	}
	return s.db.Tx(ctx).Create(&row).Error
}

// Visit finds one.
func (s *Hub) Visit(ctx context.Context, id string) (hub.Visit, error) {
	var row hubVisitRow
	if err := s.db.Conn(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return hub.Visit{}, none(err)
	}
	return row.visit()
}

func (r hubVisitRow) visit() (hub.Visit, error) {
	v := hub.Visit{ID: r.ID, Home: r.Home, Player: r.Player, Host: r.Host, Scope: strings.Fields(r.Scope),
		StartedAt: fromMillis(r.StartedAt), ExpiresAt: fromMillis(r.ExpiresAt), Over: r.OverAt != nil}
	if r.BudgetAmount != nil && r.BudgetCurrency != nil {
		v.Budget = &sgip.Money{Amount: *r.BudgetAmount, Currency: *r.BudgetCurrency}
	}
	return v, json.Unmarshal([]byte(r.Profile), &v.Profile)
}

// ExtendVisit moves on the expiry of a visit that isn't over.
func (s *Hub) ExtendVisit(ctx context.Context, v hub.Visit) (bool, error) {
	profile, err := json.Marshal(v.Profile)
	if err != nil {
		return false, err
	}
	return happened(s.db.Tx(ctx).Model(&hubVisitRow{}).Where("id = ? AND over_at IS NULL", v.ID).
		Updates(map[string]any{"expires_at": v.ExpiresAt.UnixMilli(), "profile": string(profile)}))
}

// EndVisit marks a visit over; the first end stands.
func (s *Hub) EndVisit(ctx context.Context, id string, at time.Time) error {
	return s.db.Tx(ctx).Model(&hubVisitRow{}).Where("id = ? AND over_at IS NULL", id).Update("over_at", at.UnixMilli()).Error
}

// EndVisitsOf ends a player's visits at a host.
func (s *Hub) EndVisitsOf(ctx context.Context, player, host string, at time.Time) error {
	return s.db.Tx(ctx).Model(&hubVisitRow{}).Where("player = ? AND host = ? AND over_at IS NULL", player, host).
		Update("over_at", at.UnixMilli()).Error
}

// VisitsUnderWay counts guests by host.
func (s *Hub) VisitsUnderWay(ctx context.Context, now time.Time) (map[string]int, error) {
	var rows []struct {
		Host   string
		Visits int
	}
	err := s.db.Conn(ctx).Model(&hubVisitRow{}).Select("host, COUNT(*) AS visits").
		Where("over_at IS NULL AND expires_at > ?", now.UnixMilli()).Group("host").Find(&rows).Error
	visits := make(map[string]int, len(rows))
	for _, row := range rows {
		visits[row.Host] = row.Visits
	}
	return visits, err
}
