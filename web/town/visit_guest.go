package town

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
	"sgip.example/starter/web"
)

// spendableWait bounds how long a guest's page waits to hear what can be spent:
// it is a figure beside the town, not the town.
const spendableWait = 3 * time.Second

// townFragment is the part of the visit page that steps answer with.
const townFragment = "town"

// guest lets a request through that bears the token of a visit under way. To
// any other it says so in the page's own form, so that the page can turn to
// its goodbye. Only what is posted counts as doing something: the page looks by
// itself whenever something has changed.
func (p *visitPages) guest(then func(*fiber.Ctx, visit.Guest) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		web.SetPolicy(c, web.Policy{Referrer: "no-referrer"})
		find := p.guests.Guest
		if c.Method() == fiber.MethodPost {
			find = p.guests.Act
		}
		g, err := find(c.UserContext(), bearer(c))
		if why, over := errors.AsType[visit.Ended](err); over {
			return p.ended(c, string(why))
		}
		if err != nil {
			refused := sgip.AsError(err)
			if refused.Code == sgip.Internal {
				return err
			}
			reason, err := p.guests.Parting(c.UserContext(), bearer(c))
			if err != nil {
				return err
			}
			return p.ended(c, orElse(reason, "moved"))
		}
		return then(c, g)
	}
}

// ended says that the visit is over, in place of the town.
func (p *visitPages) ended(c *fiber.Ctx, reason string) error {
	c.Set(web.FragmentHeader, townFragment)
	return p.app.RenderBare(c, fiber.StatusForbidden, "visit-ended", reason)
}

func (p *visitPages) live(c *fiber.Ctx, g visit.Guest) error {
	wake, stop := p.town.Subscribe(game.PersonID(g.ID))
	return p.app.Stream(c, wake, stop)
}

func (p *visitPages) look(c *fiber.Ctx, g visit.Guest) error { return p.answer(c, g, nil) }

func (p *visitPages) do(c *fiber.Ctx, g visit.Guest) error {
	out, err := p.town.Do(c.UserContext(), game.PersonID(g.ID), c.FormValue("activity"))
	return p.stepped(c, g, out.Text, err)
}

func (p *visitPages) goTo(c *fiber.Ctx, g visit.Guest) error {
	out, err := p.town.Go(c.UserContext(), game.PersonID(g.ID), c.FormValue("place"), c.FormValue("mode"))
	return p.stepped(c, g, out.Text, err)
}

func (p *visitPages) stepped(c *fiber.Ctx, g visit.Guest, text string, err error) error {
	if err == nil {
		return p.answer(c, g, &said{text, saidGood})
	}
	line, status, ok := stepTrouble(err)
	if !ok {
		return err
	}
	c.Status(status)
	return p.answer(c, g, &line)
}

// buy asks for a purchase and says where it stands. The request may take as
// long as the hub and the home need; the purchase goes on without it.
func (p *visitPages) buy(c *fiber.Ctx, g visit.Guest) error {
	sale, err := p.till.Buy(c.UserContext(), g, c.FormValue("activity"))
	if err != nil {
		return p.stepped(c, g, "", err)
	}
	line := saleWords(sale, sgip.Money{Amount: sale.Price, Currency: p.currency()}, p.lang(), p.homeRate(c.UserContext(), g))
	return p.answer(c, g, &line)
}

// giveBack asks for the money of a purchase that the guest hands in, and says
// where that stands. It goes on without the request, as buying does.
func (p *visitPages) giveBack(c *fiber.Ctx, g visit.Guest) error {
	sale, err := p.till.Return(c.UserContext(), g, c.FormValue("sale"))
	if err != nil {
		return p.stepped(c, g, "", err)
	}
	line := returnWords(sale, sgip.Money{Amount: sale.Price, Currency: p.currency()}, p.lang(), p.homeRate(c.UserContext(), g))
	return p.answer(c, g, &line)
}

// answer shows the town as it is now.
func (p *visitPages) answer(c *fiber.Ctx, g visit.Guest, line *said) error {
	v, err := p.guestView(c.UserContext(), g, c.Query("place"))
	if errors.Is(err, game.ErrAway) || errors.Is(err, game.ErrNoPlayer) {
		return p.ended(c, sgip.EndLeft) // it ended between the two looks
	}
	if err != nil {
		return err
	}
	if line != nil {
		v.Line = line
	}
	v.Kept = keeps(c)
	c.Set(web.FragmentHeader, townFragment)
	return p.app.RenderBare(c, c.Response().StatusCode(), "visit-town", v)
}

func (p *visitPages) guestView(ctx context.Context, g visit.Guest, chosen string) (guestView, error) {
	view, err := p.town.View(ctx, game.PersonID(g.ID))
	if err != nil {
		return guestView{}, err
	}
	sales, err := p.town.Sales(ctx, g.VisitID)
	if err != nil {
		return guestView{}, err
	}
	now, rate := p.now(), p.homeRate(ctx, g)
	v := guestView{scene: newScene(view, p.town.World(), p.chart, guestPaths(view.Pocket > 0), chosen, now)}
	if p := v.Underway(); p != nil {
		v.Again = max(1, (p.Total-p.Elapsed+999)/1000)
	}
	v.HomeName = p.nameOf(ctx, g.Home)
	left := p.leftToSpend(ctx, g, sales, &v)
	if left > 0 {
		v.LeftHome = rate.words(sgip.Money{Amount: left, Currency: p.currency()}, p.lang())
	}
	prices := map[string]int64{}
	for _, o := range view.Options {
		prices[o.Activity.ID] = o.Price
	}
	for _, c := range v.Cards() {
		v.Deeds = append(v.Deeds, newDeed(c, sgip.Money{Amount: prices[c.ID], Currency: p.currency()}, p.lang(), rate, left))
	}
	v.Line = p.newsOfSale(sales, v.scene, rate, now)
	for _, s := range sales {
		v.Receipts = append(v.Receipts, newReceipt(s, sgip.Money{Amount: s.Price, Currency: p.currency()}, p.lang(), now))
	}
	return v, nil
}

// newsOfSale says where the guest's newest purchase stands while that is news.
// The town's page comes anew on its own as soon as a purchase moves on, often
// before the answer to the form, so what it says can't hang on that answer.
func (p *visitPages) newsOfSale(sales []game.Sale, s scene, rate homeRate, now time.Time) *said {
	if len(sales) == 0 {
		return nil
	}
	newest := sales[0]
	at := newest.EndedAt
	if newest.State == game.SaleAsked {
		at = newest.AskedAt
	}
	later := len(s.News) > 0 && s.News[0].At.After(at)
	if now.Sub(at) > justNow || later {
		return nil
	}
	line := saleWords(newest, sgip.Money{Amount: newest.Price, Currency: p.currency()}, p.lang(), rate)
	return &line
}

// nameOf is how a guest's home is called; its id while the directory is silent.
func (p *visitPages) nameOf(ctx context.Context, home string) string {
	entry, err := p.games.Entry(ctx, home)
	if err != nil {
		return home
	}
	return entry.Name
}

// currency is the wire code of the town's money.
func (p *visitPages) currency() string {
	return bridge.Currency(p.games.ID(), p.town.World().Currency)
}

// guestPaths lead every form and link of the town to the guest's own routes.
// What costs is bought by a charge at home, but for guests with pocket money.
func guestPaths(pocket bool) paths {
	p := paths{Do: "/visit/do", Go: "/visit/go", Buy: "/visit/buy", Pick: "/visit/town?place=", Fragment: townFragment}
	if pocket {
		p.Buy = ""
	}
	return p
}

// leftToSpend fills what the guest can still spend, in the town's money. It is
// -1 when nobody can say right now; buying works all the same, since the debit
// is the check (section 7.4). Pocket money is the town's own affair: it is in the
// scene already.
func (p *visitPages) leftToSpend(ctx context.Context, g visit.Guest, sales []game.Sale, v *guestView) int64 {
	if v.View.Pocket > 0 {
		v.Pocket = words(sgip.Money{Amount: v.View.Pocket, Currency: p.currency()}, p.lang())
		v.Money = words(sgip.Money{Amount: v.Balance, Currency: p.currency()}, p.lang())
		return v.Balance
	}
	v.Money = ""
	ctx, cancel := context.WithTimeout(ctx, spendableWait)
	defer cancel()
	money, ok, err := p.purses.of(ctx, g, sales)
	switch {
	case err != nil:
		p.log.Info("spendable", "visit", g.VisitID, "error", err)
		v.Purse = "Your home doesn't say right now; try and see"
		return -1
	case !ok:
		v.Purse = "You came without money: looking around is free"
		return 0
	}
	v.Money, v.Left = words(money, p.lang()), money.Amount
	return money.Amount
}

// homeRate is the rate for this guest's money, from this game's own entry in
// the directory: there the active ones stand alone.
func (p *visitPages) homeRate(ctx context.Context, g visit.Guest) homeRate {
	own, err := p.games.Entry(ctx, p.games.ID())
	if err != nil {
		return homeRate{}
	}
	return rateFor(own.Accepts, g.Home, g.Budget, p.currency())
}
