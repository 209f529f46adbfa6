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

// reserve counts a charge against its limits; LimitReached if one would be
// passed. The caller undoes what was counted before.
func (h *Hub) reserve(ctx context.Context, c Charge, p purse, entry sgip.Accepts) error {
	budget, daily, inflow := counters(c)
	dailyLimit, ok := p.home.DailyLimit(c.Debit.Currency)
	if !ok {
		return sgip.Errorf(sgip.Forbidden, "%s can't be spent abroad", c.Debit.Currency)
	}
	for _, limit := range []struct {
		counter Counter
		amount  int64
		most    int64
		whose   string
	}{
		{budget, c.Debit.Amount, p.visit.Budget.Amount, "the trip's budget"},
		{daily, c.Debit.Amount, dailyLimit.Amount, "the home game's daily limit"},
		{inflow, c.Amount.Amount, entry.DailyInflowLimit.Amount, "the host's daily inflow limit"},
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
	dailyLimit, ok := p.home.DailyLimit(entry.Give.Currency)
	if !ok {
		return 0, 0, nil
	}
	var used [3]int64
	for i, counter := range []Counter{budget, daily, inflow} {
		if used[i], err = h.store.Used(ctx, counter); err != nil {
			return 0, 0, err
		}
	}
	homeLeft = max(0, min(p.visit.Budget.Amount-used[0], dailyLimit.Amount-used[1]))
	inflowLeft = max(0, entry.DailyInflowLimit.Amount-used[2])
	return homeLeft, inflowLeft, nil
}
