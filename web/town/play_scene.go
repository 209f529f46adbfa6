package town

import (
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/web"
)

// scene is one person's view of the town, laid out. It is the data of the
// partials "map", "stats", "options", "people", "ways" and "now", for residents
// and guests alike; newScene makes it.
type scene struct {
	game.View
	World  *game.World
	Map    *drawing
	Paths  paths
	Chosen string // slug of the place that was picked on the map, or ""
	Money  string // the wallet in words; what a guest can spend
	Left   int64  // the same in minor units
	Trail  []spot // the way that is being walked
	Kept   bool   // the page holds the land already; set by keeps
	at     time.Time
}

// paths are where a scene's forms and links lead.
type paths struct {
	Do, Go   string // POST activity; POST place, mode
	Buy      string // POST activity, where things with a price go; "" is Do
	Pick     string // GET, a place's slug is put behind it
	Fragment string // id of the element that all of them renew
	Write    string // GET, a person's id is put behind it; "" offers no letters
	Meet     string // GET, a person's id is put behind it; "" offers no cards
}

func newScene(v game.View, w *game.World, m *drawing, p paths, chosen string, at time.Time) scene {
	s := scene{View: v, World: w, Map: m, Paths: p, at: at, Left: v.Balance}
	if w.Place(chosen) != nil && (v.Here == nil || v.Here.Slug != chosen) {
		s.Chosen = chosen
	}
	s.Money = web.FormatMoney(v.Balance, w.Currency, w.Language)
	if v.Journey != nil {
		s.Trail = m.roads.way(v.Journey.From, v.Journey.To)
	}
	return s
}

// keeps reports whether the page that asks holds the map's land already.
func keeps(c *fiber.Ctx) bool { return c.Get(web.KeepHeader) == "map-land" }

// sceneOf finds the scene in a page's data: itself, or embedded.
func sceneOf(data any) scene {
	if s, ok := data.(interface{ Scene() scene }); ok {
		return s.Scene()
	}
	return scene{}
}

// Scene is s itself; pages that embed it hand it to partials.
func (s scene) Scene() scene { return s }

func (s scene) price(amount int64) string {
	return web.FormatMoney(amount, s.World.Currency, s.World.Language)
}

// Clock is the time of day in town, as 07:05.
func (s scene) Clock() string { return game.ClockText(s.Now.Minute) }

// StallName is how the stall is called that the person runs, "" for none.
func (s scene) StallName() string {
	if p := s.World.Place(s.Person.Stall); p != nil && p.Stall != nil {
		return p.Stall.Label
	}
	return ""
}

// Unit is how many minor units one of the currency has, for counts that are shown.
func (s scene) Unit() int64 {
	unit := int64(1)
	for range s.World.Decimals {
		unit *= 10
	}
	return unit
}

// progress is how far something has come that ends by the clock.
type progress struct {
	Label   string
	Elapsed int64 // milliseconds so far
	Total   int64
	Percent int
	Until   string // the town's time at its end
	Minutes int    // of the town, that are left
}

// Underway is the journey or activity that is going on, nil when the person is free.
func (s scene) Underway() *progress {
	switch {
	case s.Journey != nil:
		return s.progress("On the way to "+s.placeName(s.Journey.To), s.Journey.Started, s.Journey.Arrives)
	case s.Busy != nil:
		return s.progress(s.Busy.Label, s.Busy.Started, s.Busy.Until)
	}
	return nil
}

func (s scene) progress(label string, from, to time.Time) *progress {
	p := &progress{Label: label, Elapsed: max(0, s.at.Sub(from).Milliseconds()), Total: max(1, to.Sub(from).Milliseconds())}
	p.Percent = int(min(100, p.Elapsed*100/p.Total))
	left := max(0, p.Total-p.Elapsed) * int64(s.World.MinutesPerSecond) / 1000
	p.Minutes = int(left)
	p.Until = game.ClockText((s.Now.Minute + int(left)) % game.DayMinutes)
	return p
}

func (s scene) placeName(slug string) string {
	if p := s.World.Place(slug); p != nil {
		return p.Name
	}
	return slug
}

// Said is what just happened, "" when it is old.
func (s scene) Said() string {
	if len(s.News) == 0 || s.at.Sub(s.News[0].At) > justNow {
		return ""
	}
	return s.News[0].Text
}

// justNow is how long news is shown beside what one does next.
const justNow = 25 * time.Second

// pin is a place on the map.
type pin struct {
	Slug, Name, Icon   string
	X, Y               int
	Here, Picked, Shut bool
	Label              label
}

// Pins are all places.
func (s scene) Pins() []pin {
	pins := make([]pin, 0, len(s.World.Places))
	for _, p := range s.World.Places {
		pins = append(pins, pin{Slug: p.Slug, Name: p.Name, Icon: placeIcon(p.Kind), X: p.At.X(), Y: p.At.Y(), Label: s.Map.labels[p.Slug],
			Here: s.Here != nil && s.Here.Slug == p.Slug, Picked: s.Chosen == p.Slug, Shut: !p.Hours.Open(s.Now.Minute)})
	}
	slices.SortFunc(pins, func(a, b pin) int { return a.Y - b.Y })
	return pins
}

// dot is a person on the map.
type dot struct {
	game.Neighbour
	X, Y    int
	Initial string
	Ring    string // class of a guest's ring
}

// dotGap is how far apart people stand around a place.
const dotGap = 15

// Dots are the others, standing around their places.
func (s scene) Dots() []dot {
	crowd := map[string]int{}
	var dots []dot
	for _, n := range s.People {
		p := s.World.Place(n.Place)
		if p == nil {
			continue
		}
		i := crowd[n.Place]
		crowd[n.Place]++
		if i >= maxDots {
			continue
		}
		dots = append(dots, dot{Neighbour: n, X: p.At.X() - 26 - dotGap*(i%2), Y: p.At.Y() - 12 - dotGap*(i/2), Initial: initial(n.Name), Ring: ring(n.Home)})
	}
	return dots
}

// maxDots is how many people are drawn at one place; the list has them all.
const maxDots = 6

func initial(name string) string {
	for _, r := range name {
		return string(r)
	}
	return "?"
}

// ring is the class of a guest's ring, by home; "" for residents. A palette
// doesn't travel, so the colour follows from the home's id.
func ring(home string) string {
	if home == "" {
		return ""
	}
	h := fnv.New32a()
	h.Write([]byte(home))
	return "ring ring-" + string(rune('0'+h.Sum32()%6))
}

// Spot is where the person stands or walks right now.
func (s scene) Spot() (at struct{ X, Y int }) {
	where := spot{game.MapWidth / 2, game.MapHeight / 2}
	switch {
	case len(s.Trail) > 0:
		p := s.Underway()
		where = along(s.Trail, float64(p.Elapsed)/float64(p.Total))
	case s.Here != nil:
		where = spot{float64(s.Here.At.X()) + shoulder, float64(s.Here.At.Y()) - 2*shoulder}
	}
	at.X, at.Y = int(math.Round(where.x)), int(math.Round(where.y))
	return at
}

// shoulder is where one stands beside the pin of a place, so that neither it nor
// its name is covered.
const shoulder = 17

// TrailPath is the way under the feet, for the pin to follow.
func (s scene) TrailPath() string { return walkPath(s.Trail) }
