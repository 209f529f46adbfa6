package hub

// host holds what a host sold to what the hub has settled: no goods without
// pay, no pay without goods, and no seller's credit without its charge.
func (a *auditor) host(g GameBooks) {
	takings, sellers := newLedger("the price of a sale", g.Takings), newLedger("a seller's credit", g.Sellers)
	sold := map[string]bool{}
	for _, s := range g.Sales {
		sold[s.ChargeID] = true
		c := a.charges[s.ChargeID]
		if c.ID != "" && c.Host != g.Platform {
			a.fault("%s: %s has a sale under its id", c, g.Platform)
			continue
		}
		a.sale(g, s, c)
		price := int64(0)
		if s.State == SalePaid {
			price = s.Price
		}
		a.expect(g, takings, s.ChargeID, "", price)
		a.expect(g, sellers, s.ChargeID, s.Seller, s.SellerHas)
	}
	a.rest(g, takings)
	a.rest(g, sellers)
	for _, c := range a.Charges {
		if c.Host == g.Platform && c.State == ChargeSettled && !sold[c.ID] {
			a.fault("%s: is settled, and %s knows of no sale", c, g.Platform)
		}
	}
}

// sale: what is under way has a letter that will end it.
func (a *auditor) sale(g GameBooks, s BookedSale, c Charge) {
	if s.SellerHas != 0 && s.State != SalePaid && s.State != SaleRefunded {
		a.fault("%s: sale %s is %s, and yet its seller has %d", g.Platform, s.ChargeID, s.State, s.SellerHas)
	}
	switch s.State {
	case SaleAsked:
		if !g.Open[s.ChargeID] {
			a.fault("%s: sale %s waits for its charge, and nothing is there that would ask for it", g.Platform, s.ChargeID)
		}
		return
	case SaleOff:
		if c.State == ChargeSettled {
			a.fault("%s: is settled, but nothing was sold at %s", c, g.Platform)
		}
		return
	}
	if c.State != ChargeSettled {
		a.fault("%s: sale %s is %s, but its charge is %q", g.Platform, s.ChargeID, s.State, c.State)
		return
	}
	if s.Price != c.Amount.Amount || s.VisitID != c.VisitID {
		a.fault("%s: %s sold it for %d on visit %s", c, g.Platform, s.Price, s.VisitID)
	}
	open := false
	for _, credit := range a.credits[c.ID] {
		open = open || g.Open[credit.RefundID]
	}
	switch {
	case s.State == SaleRefunded && c.Refunded != c.Amount.Amount:
		a.fault("%s: %s has refunded it, but only %d came back", c, g.Platform, c.Refunded)
	case s.State == SalePaid && c.Refunded > 0 && !open:
		a.fault("%s: %d of it came back, and %s knows of no refund", c, c.Refunded, g.Platform)
	}
}
