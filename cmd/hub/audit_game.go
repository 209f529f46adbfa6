package main

import (
	"fmt"
	"strings"

	"gorm.io/gorm"

	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/store"
)

// The ledger of a game made with this starter is read here in plain SQL, and not
// through the game's own code: a hub is built without any game, and an audit
// that shared the game's code would share its mistakes.
const (
	unbalancedTransfers = `SELECT transfer AS name, sum(amount) AS sum FROM game_entries
		GROUP BY transfer HAVING sum(amount) <> 0 OR count(*) <> 2`
	wrongBalances = `SELECT name, sum(balance) AS balance, sum(amount) AS sum FROM (
		SELECT account AS name, balance, 0 AS amount FROM game_accounts
		UNION ALL SELECT account, 0, amount FROM game_entries) AS both
		GROUP BY name HAVING sum(balance) <> sum(amount)`
	// What a visit abroad took from a purse, and what came back into one: that of
	// the player, or where nobody is left to take it, the account of its own.
	pursesPaid     = `SELECT ref, account, amount FROM game_entries WHERE kind = 'abroad' AND account <> 'abroad'`
	pursesReturned = `SELECT ref, account, amount FROM game_entries WHERE kind = 'returned' AND amount > 0 AND (account LIKE 'player:%' OR account = 'unclaimed')`
	// What sales to guests brought: the price to the town, a share to the stall's
	// owner, less what went back. Sales among residents name no charge.
	guestsPaid = `SELECT ref, 'town' AS account, -amount AS amount FROM game_entries
		WHERE account = 'abroad' AND (kind = 'sold' OR kind = 'returned' AND amount > 0)`
	sellersCredits = `SELECT ref, account, amount FROM game_entries WHERE kind IN ('sold', 'unsold') AND account LIKE 'player:%' AND ref <> ''`
	salesToGuests  = `SELECT id, visit_id, price, state, seller, seller_share * seller_paid AS seller_has FROM game_sales ORDER BY id`
)

// gameBooks reads a game's books: those of its seat, its ledger and its sales.
func gameBooks(db *gorm.DB, id string) (hub.GameBooks, error) {
	g, err := store.GameBooks(db, id)
	if err != nil {
		return g, err
	}
	if g.Faults, err = ledgerFaults(db); err != nil {
		return g, fmt.Errorf("read the ledger of %s: %w", id, err)
	}
	for _, part := range []struct {
		query string
		into  *[]hub.Move
	}{{pursesPaid, &g.Paid}, {pursesReturned, &g.Returned}, {guestsPaid, &g.Takings}, {sellersCredits, &g.Sellers}} {
		if *part.into, err = moves(db, part.query); err != nil {
			return g, fmt.Errorf("read the ledger of %s: %w", id, err)
		}
	}
	if g.Sales, err = sales(db); err != nil {
		return g, fmt.Errorf("read the sales of %s: %w", id, err)
	}
	return g, nil
}

// ledgerFaults holds the double entry to its rule: each transfer has two sides
// that come to nothing, and each account is what its entries come to.
func ledgerFaults(db *gorm.DB) (faults []string, err error) {
	var rows []struct {
		Name         string
		Balance, Sum int64
	}
	if err := db.Raw(unbalancedTransfers).Scan(&rows).Error; err != nil {
		return nil, err
	}
	for _, r := range rows {
		faults = append(faults, fmt.Sprintf("the entries of transfer %s come to %d, and must be two that come to nothing", r.Name, r.Sum))
	}
	rows = nil
	if err := db.Raw(wrongBalances).Scan(&rows).Error; err != nil {
		return nil, err
	}
	for _, r := range rows {
		faults = append(faults, fmt.Sprintf("account %s says %d, but its entries come to %d", r.Name, r.Balance, r.Sum))
	}
	return faults, nil
}

func moves(db *gorm.DB, query string) ([]hub.Move, error) {
	var rows []struct {
		Ref, Account string
		Amount       int64
	}
	err := db.Raw(query).Scan(&rows).Error
	list := make([]hub.Move, 0, len(rows))
	for _, r := range rows {
		who, _ := strings.CutPrefix(r.Account, "player:")
		if who == r.Account {
			who = ""
		}
		list = append(list, hub.Move{Ref: r.Ref, Who: who, Amount: r.Amount})
	}
	return list, err
}

func sales(db *gorm.DB) ([]hub.BookedSale, error) {
	var rows []struct {
		ID, VisitID, State, Seller string
		Price, SellerHas           int64
	}
	err := db.Raw(salesToGuests).Scan(&rows).Error
	list := make([]hub.BookedSale, 0, len(rows))
	for _, r := range rows {
		s := hub.BookedSale{ChargeID: r.ID, VisitID: r.VisitID, Price: r.Price, State: hub.SaleOff, Seller: r.Seller, SellerHas: r.SellerHas}
		switch state := hub.SaleState(r.State); state {
		case hub.SaleAsked, hub.SalePaid, hub.SaleRefunded:
			s.State = state
		}
		list = append(list, s)
	}
	return list, err
}
