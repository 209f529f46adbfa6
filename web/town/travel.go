package town

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/fiberhttp"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/visit"
)

// travelDesk is what the travel desk asks of the bridge.
type travelDesk interface {
	Desk(ctx context.Context) ([]bridge.Destination, error)
	Budget(ctx context.Context, handle string) (balance, daily sgip.Money, ok bool, err error)
	SetOff(ctx context.Context, handle, host string, budget *sgip.Money) (platform.Trip, error)
}

// trips is what the pages of a trip ask of the seat.
type trips interface {
	Trip(ctx context.Context, handle string) (*platform.Trip, error)
	Trips(ctx context.Context, handle string) ([]platform.Trip, error)
	Ticket(ctx context.Context, handle, visitID string) (platform.Ticket, error)
	CloseTrip(ctx context.Context, handle, visitID string) error
	Purchases(ctx context.Context, visitIDs ...string) ([]platform.Purchase, error)
}

var (
	_ travelDesk = (*bridge.Bridge)(nil)
	_ trips      = (*platform.Seat)(nil)
)

// travelPages are the desk, the trip and its postcard.
type travelPages struct {
	site
	desk  travelDesk
	trips trips
}

// deskView is the travel desk.
type deskView struct {
	base
	Wallet, DailyLimit string
	Underway           *underway
	Trouble            *trouble
	Passes             []pass
}

// underway leads back into a trip that is still on.
type underway struct{ VisitID, Name, Icon string }

func (p *travelPages) mount(r fiber.Router) {
	r.Get("/travel", p.signedIn(p.showDesk))
	r.Post("/travel", p.signedIn(p.setOff))
	r.Get("/travel/:visit", p.signedIn(p.showTrip))
	r.Get("/travel/:visit/live", p.signedIn(p.live))
	r.Post("/travel/:visit/ticket", p.signedIn(p.ticket))
	r.Post("/travel/:visit/close", p.signedIn(p.closeTrip))
	r.Get("/postcards/:visit", p.signedIn(p.showPostcard))
	r.Get("/statement", p.signedIn(p.showStatement))
	r.Get("/trip.js", fiberhttp.Script(visit.TripScript()))
}

func (p *travelPages) showDesk(c *fiber.Ctx) error {
	return p.renderDesk(c, fiber.StatusOK, deskForm{})
}

// deskForm is what was asked at the desk and what came of it.
type deskForm struct {
	host, budget string
	trouble      *trouble
}

// directoryWait bounds how long the desk waits for the directory while a person
// looks on.
const directoryWait = 6 * time.Second

func (p *travelPages) renderDesk(c *fiber.Ctx, status int, form deskForm) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), directoryWait)
	defer cancel()
	me := p.me(c)
	handle := string(me.ID)
	v := deskView{base: p.base(c), Trouble: form.trouble}
	var pocket purse
	var err error
	if pocket.Balance, pocket.Daily, pocket.Known, err = p.desk.Budget(ctx, handle); err != nil {
		return err
	}
	if pocket.Known {
		v.Wallet, v.DailyLimit = words(pocket.Balance, p.lang()), words(pocket.Daily, p.lang())
	}
	trip, err := p.trips.Trip(ctx, handle)
	if err != nil {
		return err
	}
	if trip != nil {
		v.Underway = &underway{trip.VisitID, trip.HostName, iconOr(trip.HostIcon)}
	}
	destinations, err := p.desk.Desk(ctx)
	if err != nil {
		p.log.Warn("directory", "error", err)
		v.Trouble = orTrouble(v.Trouble, &trouble{"The board of departures is away", "Nothing is wrong with your things.", "The passport office doesn't answer right now; look again in a minute."})
	}
	for _, d := range destinations {
		card := newPass(d, p.town.World().Name, me.Name, p.lang(), pocket)
		if d.ID == form.host && card.Dial != nil {
			card.Dial.Typed = form.budget
		}
		v.Passes = append(v.Passes, card)
	}
	return p.app.Render(c, status, "travel", v)
}

func orTrouble(first, second *trouble) *trouble {
	if first != nil {
		return first
	}
	return second
}

// setOff asks for the passport. What can be mended is answered with the desk
// and what was typed.
func (p *travelPages) setOff(c *fiber.Ctx) error {
	form := deskForm{host: c.FormValue("host"), budget: c.FormValue("budget")}
	me := p.me(c)
	budget, wrong, err := p.readBudget(c.UserContext(), string(me.ID), form.budget)
	if err != nil {
		return err
	}
	if wrong != nil {
		form.trouble = wrong
		return p.renderDesk(c, fiber.StatusUnprocessableEntity, form)
	}
	trip, err := p.desk.SetOff(c.UserContext(), string(me.ID), form.host, budget)
	if err != nil {
		refused := sgip.AsError(err)
		p.log.Info("set off", "host", form.host, "code", refused.Code, "error", err)
		t := setOffTrouble(refused, p.hostName(c.UserContext(), form.host), p.town.World().Name)
		form.trouble = &t
		return p.renderDesk(c, statusOf(refused.Code), form)
	}
	return c.Redirect("/travel/"+url.PathEscape(trip.VisitID), fiber.StatusSeeOther)
}

// readBudget is nil for a visit without money.
func (p *travelPages) readBudget(ctx context.Context, handle, typed string) (*sgip.Money, *trouble, error) {
	balance, _, ok, err := p.desk.Budget(ctx, handle)
	if err != nil || !ok {
		return nil, nil, err
	}
	amount, ok := readAmount(typed, balance.Currency, p.lang())
	if !ok {
		return nil, &trouble{"“" + cut(typed, 30) + "” isn't an amount we can read", "Nothing was spent, and you are still in " + p.town.World().Name + ".", "Write a plain number, like 10,000."}, nil
	}
	if amount == 0 {
		return nil, nil, nil
	}
	return &sgip.Money{Amount: amount, Currency: balance.Currency}, nil, nil
}

func (p *travelPages) hostName(ctx context.Context, host string) string {
	destinations, err := p.desk.Desk(ctx)
	if err != nil {
		return "That town"
	}
	for _, d := range destinations {
		if d.ID == host {
			return d.Name
		}
	}
	return "That town"
}

// statusOf is the one table from a refusal at the desk to a status.
func statusOf(code sgip.Code) int {
	switch code {
	case sgip.NotFound, sgip.OpUnsupported:
		return fiber.StatusNotFound
	case sgip.Forbidden, sgip.LimitReached, sgip.InsufficientFunds, sgip.InvalidPayload, sgip.Expired, sgip.BadSignature:
		return fiber.StatusUnprocessableEntity
	case sgip.RateLimited:
		return fiber.StatusTooManyRequests
	case sgip.PlatformOffline:
		return fiber.StatusServiceUnavailable
	}
	return fiber.StatusInternalServerError
}

// findTrip is a trip of the one who asks; others' trips don't exist for them.
func (p *travelPages) findTrip(c *fiber.Ctx) (platform.Trip, error) {
	id := c.Params("visit")
	if !sgip.ValidULID(id) {
		return platform.Trip{}, fiber.ErrNotFound
	}
	all, err := p.trips.Trips(c.UserContext(), string(p.me(c).ID))
	if err != nil {
		return platform.Trip{}, err
	}
	i := slices.IndexFunc(all, func(t platform.Trip) bool { return t.VisitID == id })
	if i < 0 {
		return platform.Trip{}, fiber.ErrNotFound
	}
	return all[i], nil
}

func (p *travelPages) live(c *fiber.Ctx) error {
	if _, err := p.findTrip(c); err != nil {
		return err
	}
	wake, stop := p.town.Subscribe(p.me(c).ID)
	return p.app.Stream(c, wake, stop)
}
