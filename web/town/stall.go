package town

import (
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
)

// stallPages are the book of the stall that a resident runs.
type stallPages struct{ site }

// stallPage is the book; its fragment "takings" is all that changes.
type stallPage struct {
	base
	Stall, Place string // how they are called, "" for someone who runs none
	Share        int    // percent
	Earned       string
	Takings      []takingLine
	ForSale      []game.Place // stalls, for someone who runs none
}

// takingLine is one sale in the book.
type takingLine struct {
	What, When, Buyer, Price, Share, Note string
	Returned                              bool // and the share with it
}

func (p *stallPages) mount(r fiber.Router) {
	r.Get("/stall", p.signedIn(p.show))
}

func (p *stallPages) show(c *fiber.Ctx) error {
	book, err := p.town.StallBook(c.UserContext(), p.me(c).ID)
	if err != nil {
		return err
	}
	w := p.town.World()
	v := stallPage{base: p.base(c), Earned: p.amount(book.Earned)}
	if book.Place != nil {
		v.Stall, v.Place, v.Share = book.Place.Stall.Label, book.Place.Name, book.Place.Stall.Share
		if first, size := utf8.DecodeRuneInString(v.Stall); size > 0 { // "a stall at …" stands in lists, too
			v.Stall = string(unicode.ToUpper(first)) + v.Stall[size:]
		}
	} else {
		for _, place := range w.Places {
			if place.Stall != nil {
				v.ForSale = append(v.ForSale, place)
			}
		}
	}
	for _, t := range book.Takings {
		v.Takings = append(v.Takings, p.takingLine(t))
	}
	return p.app.Render(c, fiber.StatusOK, "stall", v)
}

// amount writes the town's money in words.
func (s site) amount(minor int64) string {
	return Words(s.town.World())(minor)
}

func (p *stallPages) takingLine(t game.Taking) takingLine {
	l := takingLine{What: t.What, When: whenWords(t.At, p.now()), Buyer: "a neighbour", Price: p.amount(t.Price), Share: p.amount(t.Share)}
	if t.Guest != "" {
		l.Buyer = t.Guest + " of " + t.Home
	}
	switch {
	case t.Returned.IsZero():
	case t.Covered:
		l.Note = "given back " + whenWords(t.Returned, p.now()) + "; the town covered it, your share stays"
	default:
		l.Note, l.Returned = "given back "+whenWords(t.Returned, p.now())+", and your share with it", true
	}
	return l
}
