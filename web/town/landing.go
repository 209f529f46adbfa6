package town

import (
	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
)

// landingPages are what a stranger sees first.
type landingPages struct{ site }

// landingView is the page /: the town from outside.
type landingView struct {
	base
	scene
	Demo []game.Person // who may be played as
}

func (p *landingPages) mount(r fiber.Router) {
	r.Get("/", p.maybeSignedIn(p.show))
	r.Post("/play-as", p.playAs)
}

func (p *landingPages) show(c *fiber.Ctx) error {
	people, now, err := p.town.Overview(c.UserContext())
	if err != nil {
		return err
	}
	world := p.town.World()
	v := landingView{base: p.base(c), scene: newScene(game.View{Now: now, People: people}, world, p.chart, paths{}, "", p.now())}
	if p.demo {
		for _, d := range world.Demo {
			person, err := p.town.Resident(c.UserContext(), d.Handle)
			if err != nil {
				return err
			}
			v.Demo = append(v.Demo, person)
		}
	}
	return p.app.Render(c, fiber.StatusOK, "landing", v)
}

// playAs signs in as a demo player, in local mode alone.
func (p *landingPages) playAs(c *fiber.Ctx) error {
	if !p.demo {
		return fiber.ErrNotFound
	}
	token, err := p.town.PlayAs(c.UserContext(), c.FormValue("handle"))
	if err != nil {
		return notFoundOr(err)
	}
	p.startSession(c, token)
	return c.Redirect("/play", fiber.StatusSeeOther)
}
