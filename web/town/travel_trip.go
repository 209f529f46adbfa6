package town

import (
	"errors"
	"html/template"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/web"
)

// tripView is the page around the other town. Its fragment "purse" is what
// moves while the player is away.
type tripView struct {
	base
	Trip                   platform.Trip
	Budget                 string
	Left                   string // "" on a visit without money
	LeftMinor, WalletMinor int64
	Unit                   int64 // minor units in one of the currency
	Wallet                 string
	Time                   string
	Minute                 int // of the town's day
	Stamp                  template.HTML
	Code                   string // the passport's last line
}

// showTrip answers with the frame, or leads to the postcard once the trip is over.
func (p *travelPages) showTrip(c *fiber.Ctx) error {
	trip, err := p.findTrip(c)
	if err != nil {
		return err
	}
	if trip.Over && c.Get(web.FragmentHeader) == "" {
		return c.Redirect("/postcards/"+trip.VisitID, fiber.StatusSeeOther)
	}
	v, err := p.tripView(c, trip)
	if err != nil {
		return err
	}
	if c.Get(web.FragmentHeader) != "" {
		return p.app.Render(c, fiber.StatusOK, "trip", v)
	}
	// The tab's opener must stay usable, and the frame may show this one origin.
	web.SetPolicy(c, web.Policy{FrameSrc: []string{trip.HostOrigin}, OpenerPolicy: "same-origin-allow-popups"})
	return p.app.RenderBare(c, fiber.StatusOK, "trip", v)
}

func (p *travelPages) tripView(c *fiber.Ctx, trip platform.Trip) (tripView, error) {
	me := p.me(c)
	view, err := p.town.View(c.UserContext(), me.ID)
	if err != nil {
		return tripView{}, err
	}
	world := p.town.World()
	v := tripView{base: p.base(c), Trip: trip, WalletMinor: view.Balance,
		Wallet: web.FormatMoney(view.Balance, world.Currency, p.lang()), Time: game.ClockText(view.Now.Minute), Minute: view.Now.Minute,
		Unit: pow10(currencyDigits(world.Currency)), Code: passportCode(world.Name, me.Name, trip)}
	if trip.Budget != nil {
		v.LeftMinor = max(0, trip.Budget.Amount-trip.Spent)
		v.Budget = words(*trip.Budget, p.lang())
		v.Left = web.FormatMoney(v.LeftMinor, trip.Budget.Currency, p.lang())
	}
	v.Stamp = stamp(stampOf{ID: trip.Host, Name: trip.HostName, Icon: iconOr(trip.HostIcon),
		Line: strings.ToUpper(trip.StartedAt.UTC().Format("2 Jan 2006"))})
	return v, nil
}

// passportCode is the machine-readable line of a passport, for the eye alone.
func passportCode(home, name string, trip platform.Trip) string {
	line := "P<" + cityCode(home) + machine(name) + "<<" + machine(trip.HostName) + "<" + trip.VisitID[max(0, len(trip.VisitID)-10):]
	return (line + strings.Repeat("<", 44))[:44]
}

// machine writes a name as machines read it.
func machine(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '<'
	}, strings.ToUpper(name))
}

// ticket hands a fresh passport to this player's own page (contract 7.2). It is
// for one pair of eyes: no-store is on every page already, and it is never logged.
func (p *travelPages) ticket(c *fiber.Ctx) error {
	trip, err := p.findTrip(c)
	if err != nil {
		return answerError(c, err)
	}
	t, err := p.trips.Ticket(c.UserContext(), string(p.me(c).ID), trip.VisitID)
	if err != nil {
		return answerError(c, err)
	}
	return c.JSON(fiber.Map{"passport": t.Token, "expires_at": t.ExpiresAt.Unix()})
}

// answerError tells a script what a page would be told, in the form of section 5.
func answerError(c *fiber.Ctx, err error) error {
	if e, ok := errors.AsType[*fiber.Error](err); ok && e.Code == fiber.StatusNotFound {
		err = sgip.Errorf(sgip.NotFound, "no such trip")
	}
	e := sgip.AsError(err)
	return c.Status(statusOf(e.Code)).JSON(fiber.Map{"error": fiber.Map{"code": e.Code, "message": e.Message}})
}

// closeTrip notes that the player is home. The script wants an answer, the
// plain form a page.
func (p *travelPages) closeTrip(c *fiber.Ctx) error {
	trip, err := p.findTrip(c)
	if err != nil {
		return err
	}
	if err := p.trips.CloseTrip(c.UserContext(), string(p.me(c).ID), trip.VisitID); err != nil {
		return err
	}
	p.town.Wake(c.UserContext(), p.me(c).ID) // another page of theirs may show the trip, too
	if c.Accepts(fiber.MIMETextHTML, fiber.MIMEApplicationJSON) == fiber.MIMEApplicationJSON {
		return c.SendStatus(fiber.StatusNoContent)
	}
	return c.Redirect("/postcards/"+trip.VisitID, fiber.StatusSeeOther)
}
