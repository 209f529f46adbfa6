package hub

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// day is the UTC day whose limits apply at t.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// counters are the three sums that a charge is held against: trip budget and
// daily limit in home money, inflow in the host's (contract 7.4).
func counters(c Charge) (budget, daily, inflow Counter) {
	budget = Counter{Kind: countBudget, Owner: c.Home, Party: c.VisitID, Give: c.Debit.Currency}
	daily = Counter{Kind: countDaily, Owner: c.Home, Party: c.Player, Give: c.Debit.Currency, Day: c.Day}
	inflow = Counter{Kind: countInflow, Owner: c.Host, Party: c.Home, Give: c.Debit.Currency, Get: c.Amount.Currency, Day: c.Day}
	return budget, daily, inflow
}

// limits are those in force for an active entry, as of the last hellos. An
// entry whose currency the home game doesn't limit isn't active.
func (p purse) limits(entry sgip.Accepts) Limits {
	daily, _ := p.home.DailyLimit(entry.Give.Currency)
	return Limits{Daily: daily.Amount, Inflow: entry.DailyInflowLimit.Amount}
}

// reserve counts a charge against its limits; LimitReached if one would be
// passed. The caller undoes what was counted before.
func (h *Hub) reserve(ctx context.Context, c Charge, budgetLimit int64) error {
	budget, daily, inflow := counters(c)
	for _, limit := range []struct {
		counter Counter
		amount  int64
		most    int64
		whose   string
	}{
		{budget, c.Debit.Amount, budgetLimit, "the trip's budget"},
		{daily, c.Debit.Amount, c.Limits.Daily, "the home game's daily limit"},
		{inflow, c.Amount.Amount, c.Limits.Inflow, "the host's daily inflow limit"},
	} {
		fits, err := h.store.Reserve(ctx, limit.counter, limit.amount, limit.most)
		if err != nil {
			return err
		}
		if !fits {
			return sgip.Errorf(sgip.LimitReached, "over %s", limit.whose)
		}
	}
	return nil
}

// free takes home money and host money off the limits of the charge's own day
// and visit again.
func (h *Hub) free(ctx context.Context, c Charge, homeAmount, hostAmount int64) error {
	budget, daily, inflow := counters(c)
	if err := h.store.Release(ctx, budget, homeAmount); err != nil {
		return err
	}
	if err := h.store.Release(ctx, daily, homeAmount); err != nil {
		return err
	}
	return h.store.Release(ctx, inflow, hostAmount)
}

// left is what remains of each limit now, for a currency of the host.
func (h *Hub) left(ctx context.Context, p purse, entry sgip.Accepts) (homeLeft, inflowLeft int64, err error) {
	budget, daily, inflow := counters(Charge{
		Home: p.visit.Home, Host: p.visit.Host, Player: p.visit.Player, VisitID: p.visit.ID, Day: day(h.now()),
		Debit: sgip.Money{Currency: entry.Give.Currency}, Amount: sgip.Money{Currency: entry.Get.Currency},
	})
	limits := p.limits(entry)
	var used [3]int64
	for i, counter := range []Counter{budget, daily, inflow} {
		if used[i], err = h.store.Used(ctx, counter); err != nil {
			return 0, 0, err
		}
	}
	homeLeft = max(0, min(p.visit.Budget.Amount-used[0], limits.Daily-used[1]))
	inflowLeft = max(0, limits.Inflow-used[2])
	return homeLeft, inflowLeft, nil
}
