package town

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

// gatehouse is what the keeper's page asks of the visits.
type gatehouse interface {
	Active(ctx context.Context) ([]visit.Guest, error)
	Leave(ctx context.Context, visitID, reason string) error
}

// departures is what it asks of the bridge.
type departures interface {
	Desk(ctx context.Context) ([]bridge.Destination, error)
}

var (
	_ gatehouse  = (*visit.Visits)(nil)
	_ departures = (*bridge.Bridge)(nil)
)

// keeperPages are for the one who keeps the town. To all others they don't exist,
// but for the counter where the one-time key is handed in, while nobody has it.
type keeperPages struct {
	site
	guests gatehouse
	desk   departures
}

// keeperView is the keeper's room.
type keeperView struct {
	base
	Closed  bool
	Guests  []guestRow
	Games   []gameRow
	Others  []gameRow // that could be kept out
	Away    []string  // visitors who were turned away
	Trouble string
}

// guestRow is a visitor in town.
type guestRow struct {
	VisitID, ID, Name, Avatar string
	From, Since, Until        string
}

// gameRow is another game on the network.
type gameRow struct{ ID, Name, Icon string }

// claimView is the counter for the one-time key.
type claimView struct {
	base
	Trouble string
}

func (p *keeperPages) mount(r fiber.Router) {
	r.Get("/keeper", p.maybeSignedIn(p.show))
	r.Post("/keeper", p.signedIn(p.claim))
	r.Post("/keeper/remove", p.keeper(p.remove))
	r.Post("/keeper/gates", p.keeper(p.gates))
	r.Post("/keeper/bar", p.keeper(p.bar))
}

// keeper lets the keeper through, and nobody else.
func (p *keeperPages) keeper(h fiber.Handler) fiber.Handler {
	return p.signedIn(func(c *fiber.Ctx) error {
		is, _, err := p.town.Keeper(c.UserContext(), p.me(c).ID)
		if err != nil {
			return err
		}
		if !is {
			return fiber.ErrNotFound
		}
		return h(c)
	})
}

func (p *keeperPages) show(c *fiber.Ctx) error {
	is, kept, err := p.town.Keeper(c.UserContext(), p.me(c).ID)
	switch {
	case err != nil:
		return err
	case is:
		return p.render(c, fiber.StatusOK, "")
	case kept:
		return fiber.ErrNotFound
	}
	return p.app.Render(c, fiber.StatusOK, "claim", claimView{base: p.base(c)})
}

// claim takes the one-time key. It comes from the link's fragment, by script or
// by hand, so that no address that a server sees ever holds it.
func (p *keeperPages) claim(c *fiber.Ctx) error {
	err := p.town.BecomeKeeper(c.UserContext(), p.me(c).ID, c.FormValue("key"))
	if refused, ok := errors.AsType[*game.Error](err); ok {
		return p.app.Render(c, fiber.StatusUnprocessableEntity, "claim", claimView{base: p.base(c), Trouble: refused.Message})
	}
	if err != nil {
		return err
	}
	return c.Redirect("/keeper", fiber.StatusSeeOther)
}

func (p *keeperPages) render(c *fiber.Ctx, status int, trouble string) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), directoryWait)
	defer cancel()
	gates := p.town.Gates()
	v := keeperView{base: p.base(c), Closed: gates.Closed, Away: gates.Guests, Trouble: trouble}
	known := towns{}
	destinations, err := p.desk.Desk(ctx)
	if err != nil {
		p.log.Warn("directory", "error", err)
	}
	for _, d := range destinations {
		known[d.ID] = d
		if !slices.Contains(gates.Games, d.ID) {
			v.Others = append(v.Others, gameRow{d.ID, d.Name, iconOr(d.Icon)})
		}
	}
	for _, id := range gates.Games {
		v.Games = append(v.Games, gameRow{id, known.name(id), iconOr(known[id].Icon)})
	}
	guests, err := p.guests.Active(c.UserContext())
	if err != nil {
		return err
	}
	now := p.now()
	for _, g := range guests {
		v.Guests = append(v.Guests, guestRow{VisitID: g.VisitID, ID: g.ID, Name: g.Name, Avatar: g.Avatar, From: known.name(g.Home),
			Since: whenWords(g.StartedAt, now), Until: g.ExpiresAt.UTC().Format("15:04")})
	}
	return p.app.Render(c, status, "keeper", v)
}

// remove ends one visit; where asked, the visitor isn't let in again.
func (p *keeperPages) remove(c *fiber.Ctx) error {
	guests, err := p.guests.Active(c.UserContext())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(guests, func(g visit.Guest) bool { return g.VisitID == c.FormValue("visit") })
	if i < 0 {
		return p.render(c, fiber.StatusConflict, "That visit has ended by itself meanwhile.")
	}
	if c.FormValue("away") == "on" {
		if err := p.town.Bar(c.UserContext(), guests[i].ID, true); err != nil {
			return err
		}
	}
	if err := p.guests.Leave(c.UserContext(), guests[i].VisitID, sgip.EndRemoved); err != nil {
		return err
	}
	return c.Redirect("/keeper", fiber.StatusSeeOther)
}

func (p *keeperPages) gates(c *fiber.Ctx) error {
	if err := p.town.CloseGates(c.UserContext(), c.FormValue("closed") == "1"); err != nil {
		return err
	}
	return c.Redirect("/keeper", fiber.StatusSeeOther)
}

// bar keeps a game or a visitor out, or lets them in again.
func (p *keeperPages) bar(c *fiber.Ctx) error {
	who, on := strings.TrimSpace(c.FormValue("who")), c.FormValue("on") == "1"
	if on && !p.knows(c.UserContext(), who) {
		return p.render(c, fiber.StatusUnprocessableEntity, "No game on the network goes by that name.")
	}
	if err := p.town.Bar(c.UserContext(), who, on); err != nil {
		if refused, ok := errors.AsType[*game.Error](err); ok {
			return p.render(c, fiber.StatusUnprocessableEntity, refused.Message)
		}
		return err
	}
	return c.Redirect("/keeper", fiber.StatusSeeOther)
}

// knows reports whether the directory lists a game: only what is listed can be
// kept out, since a name that is none would make the descriptor one that the
// hub refuses.
func (p *keeperPages) knows(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, directoryWait)
	defer cancel()
	destinations, err := p.desk.Desk(ctx)
	return err == nil && slices.ContainsFunc(destinations, func(d bridge.Destination) bool { return d.ID == id })
}
