package town

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// passportPages are the book in which each visit has left its stamp.
type passportPages struct {
	site
	trips trips
}

// bookView is the passport book, the newest stamp first.
type bookView struct {
	base
	Since  string // of the first stamp
	Towns  int    // different ones
	Stamps []stampEntry
	Code   string // the last line, for the eye alone
}

// stampEntry is one visit in the book.
type stampEntry struct {
	VisitID   string
	Host      string
	Ink       int
	Stamp     template.HTML
	Date      string
	Stayed    string
	Pending   bool // the host hasn't sent word yet
	Underway  bool
	Words     string // the postcard's, shortened
	Changes   []change
	Souvenirs []souvenir
}

// souvenir is something done abroad, by a word that all towns share.
type souvenir struct{ Icon, Word string }

func (p *passportPages) mount(r fiber.Router) { r.Get("/passport", p.signedIn(p.show)) }

func (p *passportPages) show(c *fiber.Ctx) error {
	me := p.me(c)
	trips, err := p.trips.Trips(c.UserContext(), string(me.ID))
	if err != nil {
		return err
	}
	cards, err := p.town.Postcards(c.UserContext(), string(me.ID))
	if err != nil {
		return err
	}
	v := bookView{base: p.base(c), Stamps: stampEntries(trips, cards), Code: bookCode(p.town.World().Name, me.Name)}
	hosts := map[string]bool{}
	for _, t := range trips {
		hosts[t.Host] = true
	}
	if v.Towns = len(hosts); v.Towns > 0 {
		v.Since = trips[len(trips)-1].StartedAt.UTC().Format("January 2006")
	}
	return p.app.Render(c, fiber.StatusOK, "passport", v)
}

// stampEntries joins the trips, which know the host's icon, with the postcards,
// which know what came of them.
func stampEntries(trips []platform.Trip, cards []game.Postcard) []stampEntry {
	entries := make([]stampEntry, 0, len(trips))
	for _, t := range trips {
		e := stampEntry{VisitID: t.VisitID, Host: t.HostName, Ink: stampInk(t.Host, t.HostIcon), Underway: !t.Over, Pending: true}
		at := t.StartedAt
		if i := slices.IndexFunc(cards, func(c game.Postcard) bool { return c.VisitID == t.VisitID }); i >= 0 {
			card := cards[i]
			at, e.Pending = card.At, false
			e.Stayed, e.Changes, e.Souvenirs = stayedWords(card.Stayed), changesOf(card.Changes), souvenirsOf(card.Verbs)
			e.Words = cut(orElse(card.Text, partingWords(card.Reason, t.HostName)), maxBookWords)
		}
		e.Date = strings.ToUpper(at.UTC().Format("2 Jan 2006"))
		e.Stamp = stamp(stampOf{ID: t.Host, Name: t.HostName, Icon: iconOr(t.HostIcon), Line: e.Date, Key: t.VisitID})
		entries = append(entries, e)
	}
	return entries
}

// Bounds of an entry, so that a talkative host leaves room for the next.
const (
	maxBookWords     = 120
	maxBookSouvenirs = 6
)

// souvenirsOf are the shared words of what was done; a word that nobody here
// knows is left out, since its sender's label didn't travel with it.
func souvenirsOf(verbs []string) []souvenir {
	var list []souvenir
	for _, verb := range verbs {
		if word := sgip.VerbWord(verb); word != "" && len(list) < maxBookSouvenirs {
			list = append(list, souvenir{verbIcon(verb), word})
		}
	}
	return list
}

// bookCode is the machine-readable line of the book's owner, for the eye alone.
func bookCode(home, name string) string {
	return fmt.Sprintf("P<%s%s%s", cityCode(home), machine(name), strings.Repeat("<", 44))[:44]
}
