package hub

import (
	"fmt"
	"slices"
	"time"
)

// stuckAfter is after how long a credit that nobody has answered needs a person
// to look at it (contract 7.4).
const stuckAfter = 7 * 24 * time.Hour

// Books are all that the hub has written down about money, as of one moment.
type Books struct {
	Visits   map[string]Visit
	Charges  []Charge
	Credits  []Credit
	Counters map[Counter]int64
	Owners   map[string]string // of charge, refund and void ids
	Letters  map[string]bool   // credits still to be sent, by the letter's id
}

// Report is what an audit has found.
type Report struct {
	States   map[ChargeState]int
	Refunded int      // settled charges that were refunded in whole or in part
	Owed     int      // credits that the home game hasn't answered yet
	Faults   []string // a line each: what contradicts what
	Stuck    []string // credits that have been owed for longer than stuckAfter
}

// Clean reports whether nothing needs a person to look at it.
func (r Report) Clean() bool { return len(r.Faults) == 0 && len(r.Stuck) == 0 }

func (r *Report) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

// Audit recomputes from single charges and credits what all else must say. It
// asks nothing of the code that wrote them. Of games it compares those whose
// books are given.
func (b Books) Audit(now time.Time, games ...GameBooks) Report {
	a := &auditor{Books: b, now: now, charges: map[string]Charge{}, credits: map[string][]Credit{}}
	a.States = map[ChargeState]int{}
	for _, c := range b.Charges {
		a.charges[c.ID] = c
		a.States[c.State]++
	}
	for _, c := range b.Credits {
		a.credits[c.ChargeID] = append(a.credits[c.ChargeID], c)
	}
	for _, c := range b.Charges {
		a.charge(c)
	}
	for _, c := range b.Credits {
		a.credit(c)
	}
	a.limits()
	for _, g := range games {
		a.game(g)
	}
	slices.Sort(a.Faults)
	return a.Report
}

// auditor is one audit under way.
type auditor struct {
	Books
	Report
	now     time.Time
	charges map[string]Charge
	credits map[string][]Credit // by charge
}

func (c Charge) String() string {
	return fmt.Sprintf("charge %s (%d %s at %s, %d %s of %s)", c.ID, c.Amount.Amount, c.Amount.Currency, c.Host,
		c.Debit.Amount, c.Debit.Currency, c.Player)
}

func (c Credit) String() string {
	return fmt.Sprintf("%s %s of %d %s for charge %s", c.Reason, c.RefundID, c.Amount.Amount, c.Amount.Currency, c.ChargeID)
}
