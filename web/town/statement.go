package town

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// statementPage is what a player's trips have cost, trip by trip.
type statementPage struct {
	base
	Trips  []tripBill
	Total  string // of all trips, "" where nothing was ever bought
	Voided bool   // something wasn't charged after all, which wants a word
}

// tripBill is what one trip has cost.
type tripBill struct {
	VisitID, Host, Icon, Date string
	Ink                       int
	Underway                  bool
	Lines                     []receiptLine
	Total                     string
	Budget                    string // "" for a trip without money
}

// showStatement answers with every purchase abroad, at the price there and the
// price at home.
func (p *travelPages) showStatement(c *fiber.Ctx) error {
	all, err := p.trips.Trips(c.UserContext(), string(p.me(c).ID))
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(all))
	for _, t := range all {
		ids = append(ids, t.VisitID)
	}
	bought, err := p.trips.Purchases(c.UserContext(), ids...)
	if err != nil {
		return err
	}
	v := statementPage{base: p.base(c)}
	v.Trips, v.Total = tripBills(all, bought, p.lang())
	v.Voided = slices.ContainsFunc(bought, func(b platform.Purchase) bool { return b.Reason == sgip.CreditVoid })
	return p.app.Render(c, fiber.StatusOK, "statement", v)
}

// tripBills sorts purchases to their trips. Trips on which nothing was bought
// are left out.
func tripBills(trips []platform.Trip, bought []platform.Purchase, lang string) (bills []tripBill, total string) {
	of := map[string][]platform.Purchase{}
	for _, b := range bought {
		of[b.VisitID] = append(of[b.VisitID], b)
	}
	sum := sgip.Money{}
	for _, t := range trips {
		lines, cost := receiptLines(of[t.VisitID], lang)
		if len(lines) == 0 {
			continue
		}
		bill := tripBill{VisitID: t.VisitID, Host: t.HostName, Icon: iconOr(t.HostIcon), Ink: stampInk(t.Host, t.HostIcon),
			Date: strings.ToUpper(t.StartedAt.UTC().Format("2 Jan 2006")), Underway: !t.Over, Lines: lines, Total: words(cost, lang)}
		if t.Budget != nil {
			bill.Budget = words(*t.Budget, lang)
		}
		sum.Amount, sum.Currency = sum.Amount+cost.Amount, cost.Currency
		bills = append(bills, bill)
	}
	if len(bills) == 0 {
		return nil, ""
	}
	return bills, words(sum, lang)
}
