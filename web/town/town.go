// Package town is a town's pages: the landing page, the town itself, accounts,
// letters, the travel desk and the page on which guests play. Call Mount once
// the parts it shows are built.
package town

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/visit"
	"sgip.example/starter/web"
)

//go:embed templates assets
var files embed.FS

// Config is what the pages stand on.
type Config struct {
	Town   *game.Town
	Bridge *bridge.Bridge
	Visits *visit.Visits
	Seat   *platform.Seat
	Origin string // the town's own, as in web.Options
	Local  bool   // demo players may be played by everyone
	Clock  game.Clock
	Log    *slog.Logger
}

// site is what all pages of a town share.
type site struct {
	app    *web.App
	town   *game.Town
	log    *slog.Logger
	now    func() time.Time
	chart  *drawing
	secure bool // the origin is https, so cookies are
	demo   bool
}

// Mount adds the town's assets, templates and routes to the app.
func Mount(a *web.App, c Config) error {
	s, err := newSite(a, c)
	if err != nil {
		return err
	}
	r := a.Fiber()
	(&landingPages{s}).mount(r)
	(&accountPages{s}).mount(r)
	(&playPages{s}).mount(r)
	(&stallPages{s}).mount(r)
	(&messagePages{site: s, box: c.Bridge}).mount(r)
	(&travelPages{site: s, desk: c.Bridge, trips: c.Seat}).mount(r)
	(&peoplePages{site: s, others: c.Bridge}).mount(r)
	(&passportPages{site: s, trips: c.Seat}).mount(r)
	(&keeperPages{site: s, guests: c.Visits, desk: c.Bridge}).mount(r)
	newVisitPages(s, c).mount(r)
	return nil
}

func newSite(a *web.App, c Config) (site, error) {
	s := site{app: a, town: c.Town, log: c.Log, now: c.Clock, demo: c.Local, secure: len(c.Origin) > 5 && c.Origin[:5] == "https"}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	world := c.Town.World()
	s.chart = draw(world)
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		return s, err
	}
	if err := a.MountAssets(assets); err != nil {
		return s, err
	}
	a.AddAsset("town.css", themeCSS(world))
	templates, err := fs.Sub(files, "templates")
	if err != nil {
		return s, err
	}
	return s, a.MountTemplates(templates, template.FuncMap{
		"bar": barOf, "face": portrait, "ring": ring, "world": func() *game.World { return world },
		"icon": func(name string) template.HTML { return icon(a, name) },
		"pair": func(s any, w any) map[string]any { return map[string]any{"Scene": sceneOf(s), "Way": w} },
		"neighbour": func(s any, n game.Neighbour) map[string]any {
			return map[string]any{"Scene": sceneOf(s), "Neighbour": n}
		},
	})
}

// icon draws one of icons.svg. Words stand beside it, so it is hidden from
// those who can't see it.
func icon(a *web.App, name string) template.HTML {
	return template.HTML(`<svg class="icon" aria-hidden="true"><use href="` + template.HTMLEscapeString(a.Asset("icons.svg")+"#"+name) + `"/></svg>`)
}

// base is what every page's data begins with: embed it.
type base struct {
	Town    *game.World
	Me      *game.Person // nil when nobody is signed in
	Unread  int
	Current string // the link of the bar that is open
}

// Bar makes any page that embeds base show the town's bar.
func (b base) Bar() base { return b }

// barOf is the bar's data of a page, nil for pages that know nobody, such as
// error pages.
func barOf(data any) *base {
	if b, ok := data.(interface{ Bar() base }); ok {
		own := b.Bar()
		return &own
	}
	return nil
}

func (s site) base(c *fiber.Ctx) base {
	b := base{Town: s.town.World(), Current: firstPart(c.Path())}
	me, ok := c.Locals(localMe).(game.Person)
	if !ok {
		return b
	}
	b.Me = &me
	unread, err := s.town.Unread(c.UserContext(), me.ID)
	if err != nil { // the page is worth more than its count
		s.log.Warn("count unread letters", "error", err)
	}
	b.Unread = unread
	return b
}

func firstPart(path string) string {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return path
}

func (s site) lang() string { return s.town.World().Language }

// localMe is where signedIn leaves the person for the handlers behind it.
const localMe = "me"

// me is the person who is signed in, behind signedIn.
func (s site) me(c *fiber.Ctx) game.Person {
	me, _ := c.Locals(localMe).(game.Person)
	return me
}

// sessionCookie holds the session's token. Lax keeps it from other sites' posts;
// the Origin check stands behind it.
const sessionCookie = "town_session"

// signedIn lets those in who are signed in, and leads the others to the counter.
func (s site) signedIn(h fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		me, err := s.person(c)
		switch {
		case err == nil:
			c.Locals(localMe, me)
			return h(c)
		case !errors.Is(err, game.ErrNoSuch) && !errors.Is(err, game.ErrNoPlayer):
			return err
		case c.Method() != fiber.MethodGet || c.Get(web.FragmentHeader) != "" || c.Get(fiber.HeaderAccept) == "text/event-stream":
			return fiber.ErrUnauthorized
		}
		return c.Redirect("/sign-in", fiber.StatusSeeOther)
	}
}

// maybeSignedIn notes who is signed in where a page is for everyone.
func (s site) maybeSignedIn(h fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if me, err := s.person(c); err == nil {
			c.Locals(localMe, me)
		}
		return h(c)
	}
}

func (s site) person(c *fiber.Ctx) (game.Person, error) {
	token := c.Cookies(sessionCookie)
	if token == "" {
		return game.Person{}, game.ErrNoSuch
	}
	return s.sessionPerson(c.UserContext(), token)
}

func (s site) sessionPerson(ctx context.Context, token string) (game.Person, error) {
	who, err := s.town.Session(ctx, token)
	if err != nil {
		return game.Person{}, err
	}
	return s.town.Resident(ctx, string(who))
}

// sessionLife is how long a browser keeps a session that isn't used.
const sessionLife = 30 * 24 * time.Hour

func (s site) startSession(c *fiber.Ctx, token string) {
	c.Cookie(&fiber.Cookie{Name: sessionCookie, Value: token, Path: "/", HTTPOnly: true, SameSite: "Lax",
		Secure: s.secure, MaxAge: int(sessionLife.Seconds())})
}

func (s site) endSession(c *fiber.Ctx) {
	c.Cookie(&fiber.Cookie{Name: sessionCookie, Path: "/", HTTPOnly: true, SameSite: "Lax", Secure: s.secure, Expires: time.Unix(1, 0)})
}
