package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

type chargeRow struct {
	ID            string `gorm:"primaryKey"`
	VisitID       string
	Host          string
	Home          string
	Player        string
	Amount        int64
	Currency      string
	Debit         int64
	DebitCurrency string
	Day           string
	State         string
	Code          string
	Refunded      int64
	Credited      int64
	Run           string
	AcceptedAt    int64
	DailyLimit    *int64
	InflowLimit   *int64
}

func (chargeRow) TableName() string { return "hub_charges" }

func (r chargeRow) charge() hub.Charge {
	c := hub.Charge{ID: r.ID, VisitID: r.VisitID, Host: r.Host, Home: r.Home, Player: r.Player,
		Amount: sgip.Money{Amount: r.Amount, Currency: r.Currency}, Debit: sgip.Money{Amount: r.Debit, Currency: r.DebitCurrency},
		Day: r.Day, State: hub.ChargeState(r.State), Code: sgip.Code(r.Code), Refunded: r.Refunded, Credited: r.Credited,
		Run: r.Run, AcceptedAt: fromMillis(r.AcceptedAt)}
	if r.DailyLimit != nil && r.InflowLimit != nil {
		c.Limits = hub.Limits{Daily: *r.DailyLimit, Inflow: *r.InflowLimit}
	}
	return c
}

// ClaimID takes an id once for all platforms; the primary key arbitrates.
func (s *Hub) ClaimID(ctx context.Context, id, platform string) (string, error) {
	tx := s.db.Tx(ctx)
	res := tx.Exec(`INSERT INTO hub_money_ids (id, platform) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, platform)
	if res.Error != nil || res.RowsAffected == 1 {
		return platform, res.Error
	}
	var row struct{ Platform string }
	err := tx.Table("hub_money_ids").Select("platform").Where("id = ?", id).Take(&row).Error
	return row.Platform, err
}

// AddCharge writes a new charge down.
func (s *Hub) AddCharge(ctx context.Context, c hub.Charge) error {
	return s.db.Tx(ctx).Create(&chargeRow{ID: c.ID, VisitID: c.VisitID, Host: c.Host, Home: c.Home, Player: c.Player,
		Amount: c.Amount.Amount, Currency: c.Amount.Currency, Debit: c.Debit.Amount, DebitCurrency: c.Debit.Currency,
		Day: c.Day, State: string(c.State), Code: string(c.Code), Refunded: c.Refunded, Credited: c.Credited,
		Run: c.Run, AcceptedAt: c.AcceptedAt.UnixMilli(), DailyLimit: &c.Limits.Daily, InflowLimit: &c.Limits.Inflow}).Error
}

// Charge finds one.
func (s *Hub) Charge(ctx context.Context, id string) (hub.Charge, error) {
	var row chargeRow
	if err := s.db.Conn(ctx).Where("id = ?", id).Take(&row).Error; err != nil {
		return hub.Charge{}, none(err)
	}
	return row.charge(), nil
}

// DecideCharge moves a charge on from asked, once.
func (s *Hub) DecideCharge(ctx context.Context, id string, to hub.ChargeState, code sgip.Code) (bool, error) {
	return happened(s.db.Tx(ctx).Model(&chargeRow{}).Where("id = ? AND state = ?", id, string(hub.ChargeAsked)).
		Updates(map[string]any{"state": string(to), "code": string(code)}))
}

// CommitRefund takes amount off what remains of a settled charge.
func (s *Hub) CommitRefund(ctx context.Context, id string, amount, credit int64) (bool, error) {
	return happened(s.db.Tx(ctx).Model(&chargeRow{}).
		Where("id = ? AND state = ? AND refunded <= amount - ? AND credited <= debit - ?", id, string(hub.ChargeSettled), amount, credit).
		Updates(map[string]any{"refunded": gorm.Expr("refunded + ?", amount), "credited": gorm.Expr("credited + ?", credit)}))
}

// Undecided lists charges that no answer can come for, oldest first.
func (s *Hub) Undecided(ctx context.Context, run string, before time.Time, limit int) ([]hub.Charge, error) {
	var rows []chargeRow
	err := s.db.Conn(ctx).Where("state = 'asked' AND (run <> ? OR accepted_at < ?)", run, before.UnixMilli()).
		Order("accepted_at").Limit(limit).Find(&rows).Error
	var charges []hub.Charge
	for _, row := range rows {
		charges = append(charges, row.charge())
	}
	return charges, err
}
