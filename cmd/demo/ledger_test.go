package main

import "testing"

// balance is what a resident has, in minor units.
func (p *process) balance(handle string) int64 {
	p.t.Helper()
	return p.query(`SELECT balance FROM game_accounts WHERE account = ?`, "player:"+handle)
}

// paidSales counts the purchases that a host has confirmed, delivered and not
// taken back.
func (p *process) paidSales() int64 {
	p.t.Helper()
	return p.query(`SELECT count(*) FROM game_sales WHERE state = 'paid'`)
}

// openSales counts the purchases whose end isn't known yet.
func (p *process) openSales() int64 {
	p.t.Helper()
	return p.query(`SELECT count(*) FROM game_sales WHERE state = 'asked'`)
}

// sellerCredits is what sales have brought to the owners of stalls, less what
// they gave back, in minor units.
func (p *process) sellerCredits() int64 {
	p.t.Helper()
	return p.query(`SELECT coalesce(sum(amount), 0) FROM game_entries WHERE kind IN ('sold', 'unsold') AND account LIKE 'player:%'`)
}

// settledCharges counts the charges that the hub has settled and of which
// something is left.
func (p *process) settledCharges() int64 {
	p.t.Helper()
	return p.query(`SELECT count(*) FROM hub_charges WHERE state = 'settled' AND refunded < amount`)
}

// openMoney counts what the hub still has to decide or to credit.
func (p *process) openMoney() int64 {
	p.t.Helper()
	return p.query(`SELECT (SELECT count(*) FROM hub_charges WHERE state = 'asked') +
		(SELECT count(*) FROM hub_credits WHERE settled_at IS NULL)`)
}

// openLetters counts the charges and refunds that a town is still asking for.
func (p *process) openLetters() int64 {
	p.t.Helper()
	return p.query(`SELECT count(*) FROM exchange_letters WHERE op LIKE 'wallet.%'`)
}

// checkLedger holds a town's double entry to its rule.
func (p *process) checkLedger(t *testing.T) {
	t.Helper()
	if sum := p.query(`SELECT coalesce(sum(amount), 0) FROM game_entries`); sum != 0 {
		t.Errorf("%s: the entries sum to %d", p.part.name, sum)
	}
	wrong := p.query(`SELECT count(*) FROM game_accounts a WHERE balance <>
		(SELECT coalesce(sum(amount), 0) FROM game_entries e WHERE e.account = a.account)`)
	if wrong != 0 {
		t.Errorf("%s: %d accounts differ from their entries", p.part.name, wrong)
	}
}
