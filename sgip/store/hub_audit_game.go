package store

import (
	"fmt"

	"gorm.io/gorm"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/platform"
)

// GameBooks reads what a game's seat has written down about money, for an audit:
// its book as home, and what it is still asking for as host. The game's own
// ledger and sales are for the caller to add.
func GameBooks(db *gorm.DB, id string) (hub.GameBooks, error) {
	g := hub.GameBooks{Platform: id, Budgets: map[string]sgip.Money{}, Open: map[string]bool{}}
	if err := current(db, "platform", len(platformSteps())); err != nil {
		return g, err
	}
	var debits []bookDebitRow
	var credits []bookCreditRow
	var trips []tripRow
	var open []string
	for _, read := range []func() error{
		func() error { return db.Order("charge_id").Find(&debits).Error },
		func() error { return db.Order("refund_id").Find(&credits).Error },
		func() error { return db.Where("budget IS NOT NULL").Find(&trips).Error },
		func() error {
			ops := []string{string(sgip.WalletCharge), string(sgip.WalletRefund)}
			return db.Table("exchange_letters").Where("op IN ?", ops).Pluck("id", &open).Error
		},
	} {
		if err := read(); err != nil {
			return g, fmt.Errorf("read the books of %s: %w", id, err)
		}
	}
	for _, row := range debits {
		d := row.debit()
		g.Debits = append(g.Debits, hub.BookedDebit{
			ChargeID: d.ChargeID, Player: d.Player, VisitID: d.VisitID, Host: d.Host,
			Amount: d.Amount, HostAmount: d.HostAmount, Credited: d.Credited,
			Took:   d.State == platform.DebitTaken || d.State == platform.DebitVoided,
			Closed: d.State == platform.DebitVoided || d.State == platform.DebitBarred,
		})
	}
	for _, row := range credits {
		c := row.credit()
		g.Credits = append(g.Credits, hub.BookedCredit{RefundID: c.RefundID, ChargeID: c.ChargeID, Amount: c.Amount, HostAmount: c.HostAmount, Moved: c.Moved})
	}
	for _, row := range trips {
		if budget := moneyOf(row.Budget, row.BudgetCurrency); budget != nil {
			g.Budgets[row.VisitID] = *budget
		}
	}
	for _, id := range open {
		g.Open[id] = true
	}
	return g, nil
}
