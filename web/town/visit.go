package town

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/fiberhttp"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/visit"
	"sgip.example/starter/web"
)

// guestbook is what the visit page asks of the visits.
type guestbook interface {
	Page(ctx context.Context, home, visitID string) (visit.Page, error)
	Guest(ctx context.Context, token string) (visit.Guest, error)
	Act(ctx context.Context, token string) (visit.Guest, error)
	Leave(ctx context.Context, visitID, reason string) error
	Parting(ctx context.Context, token string) (reason string, err error)
}

// till is what a guest's purchases ask of the bridge.
type till interface {
	Buy(ctx context.Context, g visit.Guest, activity string) (game.Sale, error)
	Return(ctx context.Context, g visit.Guest, saleID string) (game.Sale, error)
	Spendable(ctx context.Context, g visit.Guest) (sgip.Money, bool, error)
}

// directory is what the visit page asks of the seat.
type directory interface {
	ID() string
	Entry(ctx context.Context, platform string) (sgip.DirectoryEntry, error)
}

var (
	_ guestbook = (*visit.Visits)(nil)
	_ till      = (*bridge.Bridge)(nil)
	_ directory = (*platform.Seat)(nil)
)

// visitPages are the visit page and what a guest does on it. A guest has no
// cookie: each request bears the token that the page holds in memory.
type visitPages struct {
	site
	guests   guestbook
	till     till
	games    directory
	purses   *purses
	sessions fiber.Handler // takes passports
}

// visitPage is the visit page before anyone has entered.
type visitPage struct {
	base
	visit.Page
	HomeName string
}

// OriginList is the home's origins as the script reads them.
func (v visitPage) OriginList() string { return strings.Join(v.Origins, " ") }

func newVisitPages(s site, c Config) *visitPages {
	return &visitPages{site: s, guests: c.Visits, till: c.Bridge, games: c.Seat,
		purses: newPurses(c.Bridge.Spendable, s.now), sessions: fiberhttp.Session(c.Visits)}
}

func (p *visitPages) mount(r fiber.Router) {
	r.Get("/visit", p.show)
	r.Get("/visit/visit.js", fiberhttp.Script(visit.VisitScript()))
	r.Post("/visit/session", p.sessions)
	r.Post("/visit/leave", p.leave)
	r.Get("/visit/town", p.guest(p.look))
	r.Get("/visit/live", p.guest(p.live))
	r.Post("/visit/do", p.guest(p.do))
	r.Post("/visit/go", p.guest(p.goTo))
	r.Post("/visit/buy", p.guest(p.buy))
	r.Post("/visit/return", p.guest(p.giveBack))
}

// show answers with the page alone. It takes home and visit from the query,
// neither of which is secret, and nothing else: a passport put there is neither
// read nor repeated, and no cookie is set (contract 7.2).
func (p *visitPages) show(c *fiber.Ctx) error {
	page, err := p.guests.Page(c.UserContext(), c.Query("home"), c.Query("visit"))
	if err != nil {
		return err
	}
	v := visitPage{base: base{Town: p.town.World()}, Page: page, HomeName: orElse(page.Name, "your home")}
	web.SetPolicy(c, web.Policy{FrameAncestors: ancestors(page.Ancestors), OpenerPolicy: "unsafe-none", Referrer: "no-referrer"})
	return p.app.RenderBare(c, fiber.StatusOK, "visit", v)
}

// ancestors reads the value of frame-ancestors back into origins; 'none' is none.
func ancestors(value string) []string {
	if value == "'none'" {
		return nil
	}
	return strings.Fields(value)
}

// bearer is the guest token of a request, "" without one.
func bearer(c *fiber.Ctx) string {
	token, ok := strings.CutPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(token)
}

// leave ends the visit; visit.end@1 is written down before the answer goes out
// (contract 7.2), so that the page may say sgip.exit. The reason is the
// server's to give: a guest who asks to leave has left.
func (p *visitPages) leave(c *fiber.Ctx) error {
	g, err := p.guests.Guest(c.UserContext(), bearer(c))
	if err != nil {
		return answerError(c, err)
	}
	if err := p.guests.Leave(c.UserContext(), g.VisitID, sgip.EndLeft); err != nil {
		return answerError(c, err)
	}
	return c.JSON(fiber.Map{"ok": true})
}
