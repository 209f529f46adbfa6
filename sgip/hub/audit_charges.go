package hub

import (
	"math/big"
	"time"

	"sgip.example/starter/sgip"
)

// charge holds a charge to its visit and to its credits: it is settled, and
// what its refunds gave back is what it says; or it failed and nothing was
// given; or it is void and the whole of it was.
func (a *auditor) charge(c Charge) {
	a.place(c)
	credits := a.credits[c.ID]
	var host, home int64
	for _, credit := range credits {
		host += credit.HostAmount.Amount
		home += credit.Amount.Amount
	}
	switch c.State {
	case ChargeAsked:
		if a.now.Sub(c.AcceptedAt) > askMost {
			a.fault("%s: asked %s ago and never decided; a running hub voids it", c, a.age(c.AcceptedAt))
		}
	case ChargeSettled:
		if c.Refunded > 0 {
			a.Refunded++
		}
		if host != c.Refunded || home != c.Credited {
			a.fault("%s: says that refunds gave back %d and %d, but they gave %d and %d", c, c.Refunded, c.Credited, host, home)
		}
		if !fairShare(c) {
			a.fault("%s: %d of the price was refunded, and %d of the debit isn't its share", c, c.Refunded, c.Credited)
		}
	case ChargeVoid:
		if len(credits) != 1 || host != c.Amount.Amount || home != c.Debit.Amount {
			a.fault("%s: is void, but %d credits give back %d and %d", c, len(credits), host, home)
		}
	case ChargeFailed:
		if len(credits) != 0 {
			a.fault("%s: failed, and yet %d credits give money back", c, len(credits))
		}
	}
	if c.State != ChargeSettled && (c.Refunded != 0 || c.Credited != 0) {
		a.fault("%s: is %s, and yet says that refunds gave back %d and %d", c, c.State, c.Refunded, c.Credited)
	}
}

// fairShare: parts are rounded down, so together they give back no more than
// their share of the debit, and the whole once the whole price is refunded (7.4).
func fairShare(c Charge) bool {
	if c.Refunded == c.Amount.Amount {
		return c.Credited == c.Debit.Amount
	}
	given := new(big.Int).Mul(big.NewInt(c.Credited), big.NewInt(c.Amount.Amount))
	share := new(big.Int).Mul(big.NewInt(c.Debit.Amount), big.NewInt(c.Refunded))
	return given.Cmp(share) <= 0
}

// place holds a charge to the visit that it was made on and to its id.
func (a *auditor) place(c Charge) {
	v, ok := a.Visits[c.VisitID]
	switch {
	case !ok:
		a.fault("%s: its visit %s isn't there", c, c.VisitID)
	case v.Home != c.Home || v.Host != c.Host || v.Player != c.Player:
		a.fault("%s: visit %s is of %s to %s", c, v.ID, v.Player, v.Host)
	case !v.MayPay() || v.Budget.Currency != c.Debit.Currency:
		a.fault("%s: visit %s has no budget in %s", c, v.ID, c.Debit.Currency)
	}
	if owner := a.Owners[c.ID]; owner != c.Host {
		a.fault("%s: its id belongs to %q", c, owner)
	}
	if want := day(c.AcceptedAt); c.Day != want {
		a.fault("%s: counts for %s, but was accepted on %s", c, c.Day, want)
	}
}

// credit holds a credit to its charge, and to the letter that carries it: one
// that is owed has a letter, or nobody would ever send it.
func (a *auditor) credit(c Credit) {
	charge, ok := a.charges[c.ChargeID]
	if !ok {
		a.fault("%s: there is no such charge", c)
		return
	}
	of, owner := ChargeSettled, charge.Host
	if c.Reason == sgip.CreditVoid {
		of, owner = ChargeVoid, sgip.HubID
	}
	switch {
	case charge.State != of:
		a.fault("%s: the charge is %s", c, charge.State)
	case c.HostAmount.Currency != charge.Amount.Currency || c.Amount.Currency != charge.Debit.Currency:
		a.fault("%s: the charge is in %s and %s", c, charge.Amount.Currency, charge.Debit.Currency)
	case a.Owners[c.RefundID] != owner:
		a.fault("%s: its id belongs to %q", c, a.Owners[c.RefundID])
	case c.Settled && a.Letters[c.LetterID]:
		a.fault("%s: is settled, and yet still to be sent", c)
	case !c.Settled && !a.Letters[c.LetterID]:
		a.fault("%s: is owed, and nothing is there that would send it", c)
	}
	if c.Settled {
		return
	}
	a.Owed++
	if a.now.Sub(c.CommittedAt) > stuckAfter {
		a.Stuck = append(a.Stuck, c.String()+": "+charge.Home+" hasn't answered for "+a.age(c.CommittedAt))
	}
}

func (a *auditor) age(since time.Time) string { return a.now.Sub(since).Round(time.Second).String() }
