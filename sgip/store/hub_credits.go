package store

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

type creditRow struct {
	RefundID     string `gorm:"primaryKey"`
	ChargeID     string
	LetterID     string
	Reason       string
	HostAmount   int64
	Currency     string
	Amount       int64
	HomeCurrency string
	CommittedAt  int64
	SettledAt    *int64
}

func (creditRow) TableName() string { return "hub_credits" }

// AddCredit writes a credit down.
func (s *Hub) AddCredit(ctx context.Context, c hub.Credit) error {
	row := creditRow{RefundID: c.RefundID, ChargeID: c.ChargeID, LetterID: c.LetterID, Reason: c.Reason,
		HostAmount: c.HostAmount.Amount, Currency: c.HostAmount.Currency, Amount: c.Amount.Amount, HomeCurrency: c.Amount.Currency,
		CommittedAt: c.CommittedAt.UnixMilli()}
	if c.Settled {
		at := c.SettledAt.UnixMilli()
		row.SettledAt = &at
	}
	return s.db.Tx(ctx).Create(&row).Error
}

// Credit finds one by its refund id.
func (s *Hub) Credit(ctx context.Context, refundID string) (hub.Credit, error) {
	return s.credit(ctx, "refund_id = ?", refundID)
}

// CreditByLetter finds the one that a letter carries.
func (s *Hub) CreditByLetter(ctx context.Context, letterID string) (hub.Credit, error) {
	return s.credit(ctx, "letter_id = ? AND letter_id <> ''", letterID)
}

func (s *Hub) credit(ctx context.Context, where, id string) (hub.Credit, error) {
	var row creditRow
	if err := s.db.Conn(ctx).Where(where, id).Take(&row).Error; err != nil {
		return hub.Credit{}, none(err)
	}
	return row.credit(), nil
}

func (r creditRow) credit() hub.Credit {
	c := hub.Credit{RefundID: r.RefundID, ChargeID: r.ChargeID, LetterID: r.LetterID, Reason: r.Reason,
		HostAmount: sgip.Money{Amount: r.HostAmount, Currency: r.Currency}, Amount: sgip.Money{Amount: r.Amount, Currency: r.HomeCurrency},
		CommittedAt: fromMillis(r.CommittedAt)}
	if r.SettledAt != nil {
		c.Settled, c.SettledAt = true, fromMillis(*r.SettledAt)
	}
	return c
}

// SettleCredit marks a credit settled, once.
func (s *Hub) SettleCredit(ctx context.Context, refundID string, at time.Time) (bool, error) {
	return happened(s.db.Tx(ctx).Model(&creditRow{}).Where("refund_id = ? AND settled_at IS NULL", refundID).Update("settled_at", at.UnixMilli()))
}
