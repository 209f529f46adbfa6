package hub

import "sgip.example/starter/sgip"

// home holds what a home game took and gave back to what the hub has settled,
// and both to the game's own ledger.
func (a *auditor) home(g GameBooks) {
	debits, credits := map[string]BookedDebit{}, map[string]BookedCredit{}
	moved := map[string]int64{}
	for _, d := range g.Debits {
		debits[d.ChargeID] = d
	}
	for _, c := range g.Credits {
		credits[c.RefundID] = c
		moved[c.ChargeID] += c.Moved
	}
	for id, budget := range g.Budgets {
		if v, known := a.Visits[id]; known && (v.Budget == nil || *v.Budget != budget) {
			a.fault("%s: visit %s has a budget of %d %s there, and another at the hub", g.Platform, id, budget.Amount, budget.Currency)
		}
	}
	for _, c := range a.Charges {
		if c.Home == g.Platform {
			a.debited(g, c, debits[c.ID])
			for _, credit := range a.credits[c.ID] {
				a.credited(g, c, credit, debits[c.ID], credits)
			}
		}
	}
	for _, c := range credits {
		a.fault("%s: has a credit %s for charge %s, which the hub doesn't know", g.Platform, c.RefundID, c.ChargeID)
	}
	paid := newLedger("a purchase abroad", g.Paid)
	for _, d := range g.Debits {
		if c, known := a.charges[d.ChargeID]; !known || c.Home != g.Platform {
			a.fault("%s: has a debit for charge %s, which the hub doesn't know", g.Platform, d.ChargeID)
		}
		if d.Credited != moved[d.ChargeID] {
			a.fault("%s: of charge %s %d is said to be given back, but its credits moved %d", g.Platform, d.ChargeID, d.Credited, moved[d.ChargeID])
		}
		took := int64(0)
		if d.Took {
			took = d.Amount.Amount
		}
		a.expect(g, paid, d.ChargeID, handleOf(d.Player), -took)
	}
	a.rest(g, paid)
	returned := newLedger("money given back", g.Returned)
	for _, c := range g.Credits {
		a.expect(g, returned, c.RefundID, handleOf(debits[c.ChargeID].Player), c.Moved)
	}
	a.rest(g, returned)
}

// debited: what is settled was taken, what failed wasn't, and what is void is
// closed once the home game has answered the credit.
func (a *auditor) debited(g GameBooks, c Charge, d BookedDebit) {
	switch c.State {
	case ChargeSettled:
		if !d.Took || d.Closed {
			a.fault("%s: is settled, but %s doesn't hold its money as taken", c, g.Platform)
		}
	case ChargeFailed:
		if d.Took {
			a.fault("%s: failed, and yet %s took the money", c, g.Platform)
		}
	case ChargeVoid:
		if answered := len(a.credits[c.ID]) == 1 && a.credits[c.ID][0].Settled; answered && !d.Closed {
			a.fault("%s: is void, but %s would still take its money", c, g.Platform)
		}
	}
	// A credit that came before its debit leaves a line without amounts.
	if d.Amount != (sgip.Money{}) && (d.Amount != c.Debit || d.HostAmount != c.Amount || d.Player != c.Player || d.VisitID != c.VisitID || d.Host != c.Host) {
		a.fault("%s: %s has it as %d %s of %s for %d %s at %s", c, g.Platform,
			d.Amount.Amount, d.Amount.Currency, d.Player, d.HostAmount.Amount, d.HostAmount.Currency, d.Host)
	}
}

// credited: what is settled was booked, and moved if there was something to
// give back. What is booked is the hub's.
func (a *auditor) credited(g GameBooks, c Charge, credit Credit, d BookedDebit, booked map[string]BookedCredit) {
	b, known := booked[credit.RefundID]
	delete(booked, credit.RefundID)
	switch {
	case !known && credit.Settled && credit.Amount.Amount > 0:
		a.fault("%s: is settled, but %s has never heard of it", credit, g.Platform)
	case !known:
	case b.ChargeID != c.ID || b.Amount != credit.Amount || b.HostAmount == nil || *b.HostAmount != credit.HostAmount:
		a.fault("%s: %s has it as %d %s for charge %s", credit, g.Platform, b.Amount.Amount, b.Amount.Currency, b.ChargeID)
	case d.Took && b.Moved != credit.Amount.Amount || !d.Took && b.Moved != 0:
		a.fault("%s: %s moved %d", credit, g.Platform, b.Moved)
	case credit.Reason == sgip.CreditVoid && !d.Closed:
		a.fault("%s: %s has booked it, and would still take the money", credit, g.Platform)
	}
}
