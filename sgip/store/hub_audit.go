package store

import (
	"fmt"

	"gorm.io/gorm"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

// HubBooks reads all that the hub has written down about money, for an audit.
// db is a view of one moment (storage.Look).
func HubBooks(db *gorm.DB) (hub.Books, error) {
	b := hub.Books{Visits: map[string]hub.Visit{}, Counters: map[hub.Counter]int64{}, Owners: map[string]string{}, Letters: map[string]bool{}}
	if err := current(db, "hub", len(hubSteps())); err != nil {
		return b, err
	}
	var visits []hubVisitRow
	var charges []chargeRow
	var credits []creditRow
	var counters []counterRow
	var owners []struct{ ID, Platform string }
	var letters []string
	for _, read := range []func() error{
		func() error {
			return db.Where("id IN (SELECT visit_id FROM hub_charges)").Find(&visits).Error
		},
		func() error { return db.Order("id").Find(&charges).Error },
		func() error { return db.Order("refund_id").Find(&credits).Error },
		func() error { return db.Find(&counters).Error },
		func() error { return db.Table("hub_money_ids").Find(&owners).Error },
		func() error {
			return db.Table("exchange_letters").Where("op = ?", string(sgip.WalletCredit)).Pluck("id", &letters).Error
		},
	} {
		if err := read(); err != nil {
			return b, fmt.Errorf("read the hub's books: %w", err)
		}
	}
	for _, row := range visits {
		v, err := row.visit()
		if err != nil {
			return b, fmt.Errorf("read visit %s: %w", row.ID, err)
		}
		b.Visits[v.ID] = v
	}
	for _, row := range charges {
		b.Charges = append(b.Charges, row.charge())
	}
	for _, row := range credits {
		b.Credits = append(b.Credits, row.credit())
	}
	for _, row := range counters {
		b.Counters[hub.Counter{Kind: row.Kind, Owner: row.Owner, Party: row.Party, Give: row.Give, Get: row.Get, Day: row.Day}] = row.Used
	}
	for _, row := range owners {
		b.Owners[row.ID] = row.Platform
	}
	for _, id := range letters {
		b.Letters[id] = true
	}
	return b, nil
}

// current refuses tables of another version of the program: what isn't known
// can't be judged.
func current(db *gorm.DB, room string, steps int) error {
	var applied int
	if err := db.Raw("SELECT count(*) FROM migrations WHERE room = ?", room).Scan(&applied).Error; err != nil {
		return fmt.Errorf("no database of this program: %w", err)
	}
	if applied != steps {
		return fmt.Errorf("the database is of another version of this program (%s is at step %d, this version knows %d)", room, applied, steps)
	}
	return nil
}
