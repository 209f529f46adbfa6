package town

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
)

// accountPages are the counter for those who live here.
type accountPages struct{ site }

// accountView is a form as it was filled in, with what is wrong with it.
type accountView struct {
	base
	Handle, Name string
	Trouble      string
	Codes        []string // shown once, after signing up
	Saved        bool
	Bio          string
	Blocks       []blockRow
	Keeper       bool // may open the keeper's page, or become the keeper
}

// blockRow is someone whose letters are kept away.
type blockRow struct {
	ID, Words string
	Game      bool
}

func (p *accountPages) mount(r fiber.Router) {
	r.Get("/sign-in", p.page("sign-in"))
	r.Post("/sign-in", p.signIn)
	r.Get("/sign-up", p.page("sign-up"))
	r.Post("/sign-up", p.signUp)
	r.Get("/recover", p.page("recover"))
	r.Post("/recover", p.recover)
	r.Post("/sign-out", p.signOut)
	r.Get("/settings", p.signedIn(p.settings))
	r.Post("/settings", p.signedIn(p.saveSettings))
}

func (p *accountPages) page(tmpl string) fiber.Handler {
	return p.maybeSignedIn(func(c *fiber.Ctx) error {
		return p.app.Render(c, fiber.StatusOK, tmpl, accountView{base: p.base(c)})
	})
}

// again shows a form anew with what was typed, but for the password.
func (p *accountPages) again(c *fiber.Ctx, tmpl, trouble string) error {
	return p.app.Render(c, fiber.StatusUnprocessableEntity, tmpl, accountView{
		base: p.base(c), Handle: c.FormValue("handle"), Name: c.FormValue("name"), Trouble: trouble})
}

func (p *accountPages) signIn(c *fiber.Ctx) error {
	token, err := p.town.SignIn(c.UserContext(), c.FormValue("handle"), c.FormValue("password"))
	return p.enter(c, "sign-in", token, err)
}

func (p *accountPages) recover(c *fiber.Ctx) error {
	token, err := p.town.Recover(c.UserContext(), c.FormValue("handle"), c.FormValue("code"), c.FormValue("password"))
	return p.enter(c, "recover", token, err)
}

func (p *accountPages) enter(c *fiber.Ctx, tmpl, token string, err error) error {
	if refused, ok := errors.AsType[*game.Error](err); ok {
		return p.again(c, tmpl, refused.Message)
	}
	if err != nil {
		return err
	}
	p.startSession(c, token)
	return c.Redirect("/play", fiber.StatusSeeOther)
}

// signUp makes the account, signs in, and shows the recovery codes once: they
// can't be shown again, so this is the one POST that answers with a page.
func (p *accountPages) signUp(c *fiber.Ctx) error {
	handle, password := c.FormValue("handle"), c.FormValue("password")
	codes, err := p.town.SignUp(c.UserContext(), handle, c.FormValue("name"), "", password)
	if refused, ok := errors.AsType[*game.Error](err); ok {
		return p.again(c, "sign-up", refused.Message)
	}
	if err != nil {
		return err
	}
	token, err := p.town.SignIn(c.UserContext(), handle, password)
	if err != nil {
		return err
	}
	p.startSession(c, token)
	return p.app.Render(c, fiber.StatusOK, "codes", accountView{base: p.base(c), Handle: handle, Codes: codes})
}

func (p *accountPages) signOut(c *fiber.Ctx) error {
	if token := c.Cookies(sessionCookie); token != "" {
		if err := p.town.SignOut(c.UserContext(), token); err != nil && !errors.Is(err, game.ErrNoSuch) {
			return err
		}
	}
	p.endSession(c)
	return c.Redirect("/", fiber.StatusSeeOther)
}

func (p *accountPages) settings(c *fiber.Ctx) error {
	return p.renderSettings(c, fiber.StatusOK, accountView{Saved: c.Query("saved") == "1", Bio: p.me(c).Bio})
}

func (p *accountPages) renderSettings(c *fiber.Ctx, status int, v accountView) error {
	me := p.me(c).ID
	v.base = p.base(c)
	blocks, err := p.town.Blocks(c.UserContext(), me)
	if err != nil {
		return err
	}
	for _, id := range blocks {
		row := blockRow{ID: id, Words: id, Game: !strings.Contains(id, "@") && strings.Contains(id, ".")}
		if row.Game {
			row.ID, row.Words = "anyone@"+id, "Everyone of "+id
		}
		v.Blocks = append(v.Blocks, row)
	}
	is, kept, err := p.town.Keeper(c.UserContext(), me)
	if err != nil {
		return err
	}
	v.Keeper = is || !kept
	return p.app.Render(c, status, "settings", v)
}

func (p *accountPages) saveSettings(c *fiber.Ctx) error {
	bio := strings.TrimSpace(newlines(c.FormValue("bio")))
	err := p.town.SetBio(c.UserContext(), p.me(c).ID, bio)
	if refused, ok := errors.AsType[*game.Error](err); ok {
		return p.renderSettings(c, fiber.StatusUnprocessableEntity, accountView{Bio: bio, Trouble: refused.Message})
	}
	if err != nil {
		return err
	}
	if err := p.town.SetDiscoverable(c.UserContext(), p.me(c).ID, c.FormValue("discoverable") == "on"); err != nil {
		return err
	}
	return c.Redirect("/settings?saved=1", fiber.StatusSeeOther)
}

// notFoundOr makes what the game doesn't know a missing page.
func notFoundOr(err error) error {
	if errors.Is(err, game.ErrNoSuch) || errors.Is(err, game.ErrNoPlayer) {
		return fiber.ErrNotFound
	}
	return err
}
