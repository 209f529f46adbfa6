package store

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

type bookDebitRow struct {
	ChargeID     string `gorm:"primaryKey"`
	Player       string
	VisitID      string
	Host         string
	Amount       int64
	Currency     string
	HostAmount   int64
	HostCurrency string
	Description  string
	State        string
	Code         string
	Message      string
	Credited     int64
	At           int64
}

func (bookDebitRow) TableName() string { return "platform_debits" }

type bookCreditRow struct {
	RefundID     string `gorm:"primaryKey"`
	ChargeID     string
	Player       string
	Host         string
	Amount       int64
	Currency     string
	HostAmount   *int64
	HostCurrency *string
	Reason       string
	Moved        int64
	At           int64
}

func (bookCreditRow) TableName() string { return "platform_credits" }

// ClaimDebit writes d, or returns what stands under its charge id already: the
// unique key decides who was first.
func (p *Platform) ClaimDebit(ctx context.Context, d platform.Debit) (platform.Debit, bool, error) {
	row := bookDebitRow{
		ChargeID: d.ChargeID, Player: d.Player, VisitID: d.VisitID, Host: d.Host,
		Amount: d.Amount.Amount, Currency: d.Amount.Currency,
		HostAmount: d.HostAmount.Amount, HostCurrency: d.HostAmount.Currency,
		Description: d.Description, State: string(d.State), Code: string(d.Code),
		Message: d.Message, Credited: d.Credited, At: millisOf(d.At),
	}
	done := p.db.Tx(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	if done.Error != nil || done.RowsAffected == 1 {
		return d, done.Error == nil, done.Error
	}
	var kept bookDebitRow
	if err := p.db.Tx(ctx).Where("charge_id = ?", d.ChargeID).Take(&kept).Error; err != nil {
		return platform.Debit{}, false, err
	}
	return kept.debit(), false, nil
}

func (r bookDebitRow) debit() platform.Debit {
	return platform.Debit{
		DebitPayload: sgip.DebitPayload{
			Player: r.Player, ChargeID: r.ChargeID, VisitID: r.VisitID, Host: r.Host,
			Amount:      sgip.Money{Amount: r.Amount, Currency: r.Currency},
			HostAmount:  sgip.Money{Amount: r.HostAmount, Currency: r.HostCurrency},
			Description: r.Description,
		},
		State: platform.DebitState(r.State), Code: sgip.Code(r.Code), Message: r.Message,
		Credited: r.Credited, At: timeOf(r.At),
	}
}

// DecideDebit sets the state of a charge id.
func (p *Platform) DecideDebit(ctx context.Context, chargeID string, to platform.DebitState, refusal *sgip.Error) error {
	set := map[string]any{"state": string(to)}
	if refusal != nil {
		set["code"], set["message"] = string(refusal.Code), refusal.Message
	}
	return one(p.db.Tx(ctx).Model(&bookDebitRow{}).Where("charge_id = ?", chargeID).Updates(set))
}

// ClaimCredit writes c, or returns what stands under its refund id already.
func (p *Platform) ClaimCredit(ctx context.Context, c platform.Credit) (platform.Credit, bool, error) {
	row := bookCreditRow{
		RefundID: c.RefundID, ChargeID: c.ChargeID, Player: c.Player, Host: c.Host,
		Amount: c.Amount.Amount, Currency: c.Amount.Currency,
		Reason: c.Reason, Moved: c.Moved, At: millisOf(c.At),
	}
	row.HostAmount, row.HostCurrency = moneyColumns(c.HostAmount)
	done := p.db.Tx(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	if done.Error != nil || done.RowsAffected == 1 {
		return c, done.Error == nil, done.Error
	}
	var kept bookCreditRow
	if err := p.db.Tx(ctx).Where("refund_id = ?", c.RefundID).Take(&kept).Error; err != nil {
		return platform.Credit{}, false, err
	}
	return kept.credit(), false, nil
}

func (r bookCreditRow) credit() platform.Credit {
	return platform.Credit{
		CreditPayload: sgip.CreditPayload{
			Player: r.Player, ChargeID: r.ChargeID, RefundID: r.RefundID, Host: r.Host,
			Amount:     sgip.Money{Amount: r.Amount, Currency: r.Currency},
			HostAmount: moneyOf(r.HostAmount, r.HostCurrency), Reason: r.Reason,
		},
		Moved: r.Moved, At: timeOf(r.At),
	}
}

// GiveBack counts amount as credited if the debit has that much left.
func (p *Platform) GiveBack(ctx context.Context, chargeID string, amount int64) (bool, error) {
	done := p.db.Tx(ctx).Model(&bookDebitRow{}).
		Where("charge_id = ? AND state IN ? AND amount - credited >= ?", chargeID, tookMoney(), amount).
		Update("credited", gorm.Expr("credited + ?", amount))
	return done.RowsAffected == 1, done.Error
}

// tookMoney are the states in which money left the player's wallet.
func tookMoney() []string {
	return []string{string(platform.DebitTaken), string(platform.DebitVoided)}
}

// Purchases lists what visits took and got back, oldest first.
func (p *Platform) Purchases(ctx context.Context, visitIDs []string) ([]platform.Purchase, error) {
	var debits []bookDebitRow
	err := p.db.Conn(ctx).Where("visit_id IN ? AND state IN ?", visitIDs, tookMoney()).
		Order("at, charge_id").Find(&debits).Error
	if err != nil {
		return nil, err
	}
	byID := map[string]bookDebitRow{}
	ids := []string{}
	purchases := []platform.Purchase{}
	for _, d := range debits {
		byID[d.ChargeID] = d
		ids = append(ids, d.ChargeID)
		purchases = append(purchases, d.purchase())
	}
	var credits []bookCreditRow
	err = p.db.Conn(ctx).Where("charge_id IN ? AND moved > 0", ids).Order("at, refund_id").Find(&credits).Error
	for _, c := range credits {
		back := byID[c.ChargeID].purchase()
		back.RefundID, back.Reason, back.At = c.RefundID, c.Reason, timeOf(c.At)
		back.Amount.Amount = c.Moved
		back.HostAmount = sgip.Money{}
		if m := moneyOf(c.HostAmount, c.HostCurrency); m != nil {
			back.HostAmount = *m
		}
		purchases = append(purchases, back)
	}
	return purchases, err
}

func (r bookDebitRow) purchase() platform.Purchase {
	return platform.Purchase{
		ChargeID: r.ChargeID, VisitID: r.VisitID, Host: r.Host,
		Amount:      sgip.Money{Amount: r.Amount, Currency: r.Currency},
		HostAmount:  sgip.Money{Amount: r.HostAmount, Currency: r.HostCurrency},
		Description: r.Description, At: timeOf(r.At),
	}
}

// spent is what visits have cost so far: debits less credits, in minor units.
func (p *Platform) spent(ctx context.Context, visitIDs []string) (map[string]int64, error) {
	var sums []struct {
		VisitID string
		Spent   int64
	}
	err := p.db.Conn(ctx).Model(&bookDebitRow{}).
		Select("visit_id, SUM(amount - credited) AS spent").
		Where("visit_id IN ? AND state IN ?", visitIDs, tookMoney()).
		Group("visit_id").Scan(&sums).Error
	spent := map[string]int64{}
	for _, s := range sums {
		spent[s.VisitID] = s.Spent
	}
	return spent, err
}

// one wants exactly one row to have been changed.
func one(done *gorm.DB) error {
	if done.Error == nil && done.RowsAffected != 1 {
		return gorm.ErrRecordNotFound
	}
	return done.Error
}
