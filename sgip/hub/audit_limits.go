package hub

import (
	"fmt"
)

// limits recomputes every sum that a limit is held against: of the charges made
// on that day or visit, debits less settled credits in home money, and for the
// inflow host amounts less settled refunds (contract 7.4). Then it holds the sums
// to the budget, and to the highest limit that one of the charges was held to: a
// limit may have been raised or lowered by a hello in between.
func (a *auditor) limits() {
	sums, highest, unknown := map[Counter]int64{}, map[Counter]int64{}, map[Counter]bool{}
	for _, c := range a.Charges {
		budget, daily, inflow := counters(c)
		home, host := a.counted(c)
		sums[budget] += home
		sums[daily] += home
		sums[inflow] += host
		if v := a.Visits[c.VisitID]; v.Budget != nil {
			highest[budget] = v.Budget.Amount
		}
		highest[daily] = max(highest[daily], c.Limits.Daily)
		highest[inflow] = max(highest[inflow], c.Limits.Inflow)
		if c.Limits == (Limits{}) { // from before limits were written down
			unknown[daily], unknown[inflow] = true, true
		}
	}
	for k, used := range a.Counters {
		if used != sums[k] {
			a.fault("%s: %d is counted, but its charges and credits come to %d", k, used, sums[k])
		}
	}
	for k, sum := range sums {
		if _, there := a.Counters[k]; !there && sum != 0 {
			a.fault("%s: nothing is counted, but its charges and credits come to %d", k, sum)
		}
		if most := highest[k]; sum > most && !unknown[k] {
			a.fault("%s: its charges and credits come to %d, over the limit of %d", k, sum, most)
		}
	}
}

// counted is what a charge takes of its limits now.
func (a *auditor) counted(c Charge) (home, host int64) {
	if c.State == ChargeFailed {
		return 0, 0
	}
	home, host = c.Debit.Amount, c.Amount.Amount
	for _, credit := range a.credits[c.ID] {
		if credit.Settled {
			home -= credit.Amount.Amount
			host -= credit.HostAmount.Amount
		}
	}
	return home, host
}

func (c Counter) String() string {
	switch c.Kind {
	case countBudget:
		return fmt.Sprintf("budget of visit %s (%s)", c.Party, c.Give)
	case countDaily:
		return fmt.Sprintf("daily limit of %s (%s, %s)", c.Party, c.Give, c.Day)
	default:
		return fmt.Sprintf("inflow at %s from %s (%s for %s, %s)", c.Owner, c.Party, c.Get, c.Give, c.Day)
	}
}
