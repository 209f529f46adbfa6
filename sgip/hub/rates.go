package hub

import (
	"context"

	"sgip.example/starter/sgip"
)

// isActive reports whether an accepts entry works just now: its home game is
// registered and lets that currency be spent abroad (contract 2). home is the
// zero Descriptor where it isn't registered.
func isActive(entry sgip.Accepts, home sgip.Descriptor) bool {
	if home.PlatformID != entry.From {
		return false
	}
	_, ok := home.DailyLimit(entry.Give.Currency)
	return ok
}

// activeRates are the host's entries that convert currency of home, the first
// listed for each of the host's currencies (contract 7.4).
func activeRates(host, home sgip.Descriptor, currency string) []sgip.Accepts {
	if host.Money == nil {
		return nil
	}
	var rates []sgip.Accepts
	seen := map[string]bool{}
	for _, entry := range host.Money.Accepts {
		if entry.From != home.PlatformID || entry.Give.Currency != currency || seen[entry.Get.Currency] || !isActive(entry, home) {
			continue
		}
		seen[entry.Get.Currency] = true
		rates = append(rates, entry)
	}
	return rates
}

// rateFor is the active entry that a price in the host's currency is paid by.
func rateFor(rates []sgip.Accepts, currency string) (sgip.Accepts, bool) {
	for _, entry := range rates {
		if entry.Get.Currency == currency {
			return entry, true
		}
	}
	return sgip.Accepts{}, false
}

// purse is a visit on which home money may be spent, with both descriptors as
// of their last hellos.
type purse struct {
	visit Visit
	host  sgip.Descriptor
	home  sgip.Descriptor
	rates []sgip.Accepts
}

// openPurse finds the visit that the host may charge: known (NotFound), the
// host's own, under way and with pay (Forbidden).
func (h *Hub) openPurse(ctx context.Context, host, visitID string) (purse, error) {
	visit, err := h.visit(ctx, visitID)
	if err != nil {
		return purse{}, err
	}
	switch {
	case visit.Host != host:
		return purse{}, sgip.Errorf(sgip.Forbidden, "the visit is to another host")
	case !visit.UnderWay(h.now()):
		return purse{}, sgip.Errorf(sgip.Forbidden, "the visit is over")
	case !visit.MayPay():
		return purse{}, sgip.Errorf(sgip.Forbidden, "home money can't be spent on this visit")
	}
	if err := h.registry.checkSuspended(ctx, visit.Home); err != nil {
		return purse{}, err
	}
	members, err := h.registry.membersOf(ctx, visit.Host, visit.Home)
	if err != nil {
		return purse{}, err
	}
	p := purse{visit: visit, host: members[visit.Host].Descriptor, home: members[visit.Home].Descriptor}
	p.rates = activeRates(p.host, p.home, visit.Budget.Currency)
	return p, nil
}
