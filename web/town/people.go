package town

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
)

// acquaintance is what the pages about others ask of the bridge.
type acquaintance interface {
	Card(ctx context.Context, who game.PersonID, id string) (sgip.ProfileCard, error)
	PlaceStatus(ctx context.Context, place string) (sgip.PlaceReport, error)
	Desk(ctx context.Context) ([]bridge.Destination, error)
}

var _ acquaintance = (*bridge.Bridge)(nil)

// peoplePages are about others: who someone is, and how a place is doing.
type peoplePages struct {
	site
	others acquaintance
}

// personView is someone's card, or why there is none.
type personView struct {
	base
	ID, Name, Avatar, Bio  string
	From                   string // their town
	District, Relationship string
	Stats                  []gauge
	Mine                   bool // the card of the one who looks
	Blocked                blocked
	Trouble                *trouble
	GameName               string
}

// blocked says what someone has blocked of another.
type blocked struct{ Player, Game bool }

func (b blocked) Any() bool { return b.Player || b.Game }

func (p *peoplePages) mount(r fiber.Router) {
	r.Get("/people/:who", p.signedIn(p.show))
	r.Post("/people/:who/block", p.signedIn(p.block))
	r.Get("/places", p.signedIn(p.place))
}

// maxPersonID bounds a name in an address: a handle, an @ and a domain name.
const maxPersonID = 300

func who(c *fiber.Ctx) (string, error) {
	id, err := url.PathUnescape(c.Params("who"))
	if err != nil || id == "" || len(id) > maxPersonID {
		return "", fiber.ErrNotFound
	}
	return strings.ToLower(id), nil
}

func (p *peoplePages) show(c *fiber.Ctx) error {
	id, err := who(c)
	if err != nil {
		return err
	}
	return p.render(c, fiber.StatusOK, id)
}

func (p *peoplePages) render(c *fiber.Ctx, status int, id string) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), directoryWait)
	defer cancel()
	me := p.me(c)
	handle, platform, abroad := strings.Cut(id, "@")
	v := personView{base: p.base(c), ID: id, Name: handle, From: p.town.World().Name, Mine: id == string(me.ID)}
	if abroad {
		v.From = nameOfGame(ctx, p.others.Desk, platform)
		v.GameName = v.From
	}
	blocks, err := p.town.Blocks(c.UserContext(), me.ID)
	if err != nil {
		return err
	}
	v.Blocked = blockedOf(blocks, id)
	card, err := p.others.Card(ctx, me.ID, id)
	if err != nil {
		refused := sgip.AsError(err)
		if refused.Code == sgip.Internal {
			return err
		}
		t := cardTrouble(refused.Code, handle, v.From)
		v.Trouble, status = &t, statusOf(refused.Code)
	}
	v.fill(card)
	return p.app.Render(c, status, "person", v)
}

// fill lays the card out; an empty one leaves the view as it is.
func (v *personView) fill(card sgip.ProfileCard) {
	v.Name, v.Avatar, v.Bio, v.District = orElse(card.Name, v.Name), card.Avatar, card.Bio, card.District
	v.Relationship = sgip.RelationshipWord(card.Relationship)
	order := game.StatIDs()
	ids := slices.SortedFunc(maps.Keys(card.Stats), func(a, b string) int {
		return rank(order, a) - rank(order, b)
	})
	for _, id := range ids {
		if slices.Contains(order, id) { // stats that aren't modelled here are ignored (8.3)
			v.Stats = append(v.Stats, gauge{ID: id, Word: statWord(id), Value: card.Stats[id]})
		}
	}
}

func rank(order []string, id string) int {
	if i := slices.Index(order, id); i >= 0 {
		return i
	}
	return len(order)
}

// blockedOf reads a list of blocks.
func blockedOf(blocks []string, id string) blocked {
	_, platform, abroad := strings.Cut(id, "@")
	return blocked{Player: slices.Contains(blocks, id), Game: abroad && slices.Contains(blocks, platform)}
}

// cardTrouble says why there is no card. One who isn't there and one who doesn't
// want to be found get the same words.
func cardTrouble(code sgip.Code, handle, town string) trouble {
	switch code {
	case sgip.NotFound, sgip.InvalidPayload:
		return trouble{"Nobody to be found", "Nothing is lost.", "Nobody called “" + handle + "” lets themselves be looked up in " + town + ". A letter may still reach whom you know."}
	case sgip.Forbidden:
		return trouble{"A closed door", "Nothing is lost.", "“" + handle + "” doesn't want to hear from you."}
	case sgip.RateLimited:
		return trouble{"A moment", "Nothing is lost.", "That were many questions at once; ask again in a little while."}
	}
	return trouble{town + " doesn't answer", "Nothing is lost.", "Look again in a moment."}
}

// block keeps someone's letters away, or everyone's of their game; or no longer.
func (p *peoplePages) block(c *fiber.Ctx) error {
	id, err := who(c)
	if err != nil {
		return err
	}
	whom := id
	if c.FormValue("all") == "1" {
		_, whom, _ = strings.Cut(id, "@")
	}
	if whom == "" || whom == string(p.me(c).ID) {
		return fiber.ErrNotFound
	}
	if err := p.town.Block(c.UserContext(), p.me(c).ID, whom, c.FormValue("on") == "1"); err != nil {
		return err
	}
	back := map[string]string{"letters": "/messages/" + url.PathEscape(id), "settings": "/settings"}[c.FormValue("back")]
	return c.Redirect(orElse(back, "/people/"+url.PathEscape(id)), fiber.StatusSeeOther)
}

// nameOfGame is how a game is called; its id while the directory is silent.
func nameOfGame(ctx context.Context, desk func(context.Context) ([]bridge.Destination, error), id string) string {
	destinations, err := desk(ctx)
	if err != nil {
		return id
	}
	for _, d := range destinations {
		if d.ID == id {
			return d.Name
		}
	}
	return id
}

// placeView is how a place is doing.
type placeView struct {
	base
	Report  sgip.PlaceReport
	Kind    string
	Icon    string
	Verbs   []string
	Trouble *trouble
}

// place shows one of this town by slug or of another by its address: how many
// are there, never who.
func (p *peoplePages) place(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), directoryWait)
	defer cancel()
	v, status := placeView{base: p.base(c), Icon: "pin"}, fiber.StatusOK
	report, err := p.others.PlaceStatus(ctx, c.Query("place"))
	if err != nil {
		refused := sgip.AsError(err)
		if refused.Code == sgip.Internal {
			return err
		}
		status = statusOf(refused.Code)
		v.Trouble = &trouble{"That place can't be seen from here", "Nothing is lost.", "It may be gone, or its town doesn't answer just now."}
	}
	v.Report, v.Kind, v.Icon = report, sgip.PlaceKindWord(report.Kind), placeIcon(report.Kind)
	for _, verb := range report.Verbs {
		if word := sgip.VerbWord(verb); word != "" {
			v.Verbs = append(v.Verbs, word)
		}
	}
	return p.app.Render(c, status, "place", v)
}
