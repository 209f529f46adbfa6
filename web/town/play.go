package town

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
)

// playPages are the town itself.
type playPages struct{ site }

// playView is the page /play. Its fragment "town" is all that changes.
type playView struct {
	base
	scene
	Trouble string // why the last wish couldn't be done
}

func (p *playPages) mount(r fiber.Router) {
	r.Get("/play", p.signedIn(p.show))
	r.Post("/play/do", p.signedIn(p.do))
	r.Post("/play/go", p.signedIn(p.goTo))
	r.Get("/play/live", p.signedIn(p.live))
}

func (p *playPages) show(c *fiber.Ctx) error { return p.render(c, fiber.StatusOK, "") }

func (p *playPages) do(c *fiber.Ctx) error {
	_, err := p.town.Do(c.UserContext(), p.me(c).ID, c.FormValue("activity"))
	return p.after(c, err)
}

func (p *playPages) goTo(c *fiber.Ctx) error {
	_, err := p.town.Go(c.UserContext(), p.me(c).ID, c.FormValue("place"), c.FormValue("mode"))
	return p.after(c, err)
}

// after leads back to the town; a refusal stands there in words, and nothing
// else has happened.
func (p *playPages) after(c *fiber.Ctx, err error) error {
	if err == nil {
		return c.Redirect("/play", fiber.StatusSeeOther)
	}
	if refused, ok := errors.AsType[*game.Error](err); ok {
		return p.render(c, refusalStatus(refused), refused.Message)
	}
	return err
}

// refusalStatus is the one table from what the game refuses to a page's status.
func refusalStatus(err error) int {
	switch {
	case errors.Is(err, game.ErrNoSuch), errors.Is(err, game.ErrNoPlayer):
		return fiber.StatusNotFound
	case errors.Is(err, game.ErrBusy), errors.Is(err, game.ErrTaken), errors.Is(err, game.ErrAway):
		return fiber.StatusConflict
	}
	return fiber.StatusUnprocessableEntity
}

func (p *playPages) render(c *fiber.Ctx, status int, trouble string) error {
	me := p.me(c)
	v, err := p.town.View(c.UserContext(), me.ID)
	if err != nil {
		return err
	}
	page := playView{base: p.base(c), Trouble: trouble,
		scene: newScene(v, p.town.World(), p.chart, residentPaths(), c.Query("to"), p.now())}
	page.Kept = keeps(c)
	return p.app.Render(c, status, "play", page)
}

// residentPaths is where those who live here send their wishes.
func residentPaths() paths {
	return paths{Do: "/play/do", Go: "/play/go", Pick: "/play?to=", Fragment: "town", Write: "/messages/", Meet: "/people/"}
}

func (p *playPages) live(c *fiber.Ctx) error {
	wake, stop := p.town.Subscribe(p.me(c).ID)
	return p.app.Stream(c, wake, stop)
}
