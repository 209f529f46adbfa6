package town

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
)

// postcardPage is one postcard with its surroundings.
type postcardPage struct {
	base
	postcardView
	Icon string
}

// showPostcard tells what a visit brought and cost; until the host has sent
// word it says that, and the page fills in by itself.
func (p *travelPages) showPostcard(c *fiber.Ctx) error {
	trip, err := p.findTrip(c)
	if err != nil {
		return err
	}
	cards, err := p.town.Postcards(c.UserContext(), string(p.me(c).ID))
	if err != nil {
		return err
	}
	bought, err := p.trips.Purchases(c.UserContext(), trip.VisitID)
	if err != nil {
		return err
	}
	var card *game.Postcard
	if i := slices.IndexFunc(cards, func(k game.Postcard) bool { return k.VisitID == trip.VisitID }); i >= 0 {
		card = &cards[i]
	}
	v := postcardPage{base: p.base(c), postcardView: newPostcard(trip, card, bought, p.lang()), Icon: iconOr(trip.HostIcon)}
	return p.app.Render(c, fiber.StatusOK, "postcard", v)
}
