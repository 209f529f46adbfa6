package town

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sgip.example/starter/game"
)

// card is something to do, as offered.
type card struct {
	ID, Label, About, Icon string
	Minutes                string
	Price                  string // in words; "Free", "+₦2,000"
	Earns, Costs           bool
	Effects                []effect
	Can                    bool
	Why                    string
	First                  bool // what helps most right now
	Post                   string
}

// effect is what an activity does to a stat.
type effect struct {
	Icon, Word string
	By         string
	Up         bool
}

// Cards are the options at the place where the person is; what helps most leads.
func (s scene) Cards() []card {
	cards := make([]card, 0, len(s.Options))
	first := s.first()
	for i, o := range s.Options {
		c := s.card(o.Activity, o.Price)
		c.Can, c.Why, c.First = o.Can, o.Why, i == first
		if c.First {
			cards = slices.Insert(cards, 0, c)
			continue
		}
		cards = append(cards, c)
	}
	return cards
}

// Offered is what can be done at the place that was picked on the map.
func (s scene) Offered() []card {
	p := s.World.Place(s.Chosen)
	if p == nil {
		return nil
	}
	cards := make([]card, 0, len(p.Activities))
	for _, a := range p.Activities {
		price := a.Price
		if a.Job != nil {
			price = -a.Job.Wage
		}
		cards = append(cards, s.card(a, price))
	}
	return cards
}

func (s scene) card(a game.Activity, price int64) card {
	c := card{ID: a.ID, Label: a.Label, About: a.About, Icon: verbIcon(a.Verb), Minutes: minutes(a.Minutes), Price: "Free", Post: s.Paths.Do}
	switch {
	case price < 0:
		c.Price, c.Earns = "+"+s.price(-price), true
	case price > 0:
		c.Price, c.Costs = s.price(price), true
		if s.Paths.Buy != "" {
			c.Post = s.Paths.Buy
		}
	}
	for stat, by := range a.Effects {
		if by != 0 {
			c.Effects = append(c.Effects, effect{Icon: stat, Word: statWord(stat), By: signed(by), Up: by > 0})
		}
	}
	slices.SortFunc(c.Effects, func(a, b effect) int {
		return cmp.Or(-cmp.Compare(upness(a), upness(b)), cmp.Compare(a.Word, b.Word))
	})
	return c
}

func upness(e effect) int {
	if e.Up {
		return 1
	}
	return 0
}

func signed(n int) string {
	if n < 0 {
		return fmt.Sprintf("−%d", -n)
	}
	return fmt.Sprintf("+%d", n)
}

func minutes(n int) string {
	if n < 60 {
		return fmt.Sprintf("%d min", n)
	}
	if n%60 == 0 {
		return fmt.Sprintf("%d h", n/60)
	}
	return fmt.Sprintf("%d h %d min", n/60, n%60)
}

// first is the option to do next: what raises the lowest stat, else what earns,
// else the first that can be done; -1 if none can.
func (s scene) first() int {
	if s.Lead() != nil {
		return -1
	}
	can := func(o game.Option) bool { return o.Can }
	if low, ok := s.lowest(); ok && low.Value < needsCare {
		if i := slices.IndexFunc(s.Options, func(o game.Option) bool { return o.Can && o.Activity.Effects[low.ID] > 0 }); i >= 0 {
			return i
		}
	}
	if i := slices.IndexFunc(s.Options, func(o game.Option) bool { return o.Can && o.Price < 0 }); i >= 0 {
		return i
	}
	return slices.IndexFunc(s.Options, can)
}

// Lead is what the person should see to elsewhere before all else, nil where
// nothing is urgent or something here helps.
func (s scene) Lead() *gauge {
	low, ok := s.lowest()
	if !ok || s.Underway() != nil {
		return nil
	}
	i := slices.IndexFunc(s.Gauges(), func(g gauge) bool { return g.ID == low.ID && g.Help != "" })
	helped := slices.ContainsFunc(s.Options, func(o game.Option) bool { return o.Can && o.Activity.Effects[low.ID] > 0 })
	if i < 0 || helped || s.Chosen != "" {
		return nil
	}
	return &s.Gauges()[i]
}

// needsCare is the value below which a stat is what the person should see to.
const needsCare = 60

func (s scene) lowest() (game.StatView, bool) {
	if len(s.Stats) == 0 {
		return game.StatView{}, false
	}
	return slices.MinFunc(s.Stats, func(a, b game.StatView) int { return a.Value - b.Value }), true
}

// gauge is a stat as shown.
type gauge struct {
	ID, Word string
	Value    int
	Class    string
	Hint     string
	Help     string // slug of the place that helps, "" for here or nowhere
}

// Gauges are the stats that the person has.
func (s scene) Gauges() []gauge {
	list := make([]gauge, 0, len(s.Stats))
	for _, v := range s.Stats {
		g := gauge{ID: v.ID, Word: statWord(v.ID), Value: v.Value, Hint: v.Hint}
		switch {
		case v.Value < 15:
			g.Class = "very-low"
		case v.Value < 35:
			g.Class = "low"
		}
		if v.Hint != "" {
			g.Help = s.helps(v.ID)
		}
		list = append(list, g)
	}
	return list
}

// helps is the nearest other place where something open raises a stat.
func (s scene) helps(stat string) string {
	best, nearest := "", math.Inf(1)
	here := s.Spot()
	for _, p := range s.World.Places {
		raises := slices.ContainsFunc(p.Activities, func(a game.Activity) bool {
			return a.Effects[stat] > 0 && !a.BuysStall && a.Hours.Open(s.Now.Minute)
		})
		far := math.Hypot(float64(p.At.X()-here.X), float64(p.At.Y()-here.Y))
		if !raises || !p.Hours.Open(s.Now.Minute) || far >= nearest {
			continue
		}
		best, nearest = p.Slug, far
	}
	if s.Here != nil && best == s.Here.Slug {
		return ""
	}
	return best
}

// way is how to get to one other place.
type way struct {
	Slug, Name, Icon string
	Shut             bool
	Opens            string
	About            string
	Rides            []ride
}

// ride is one way to go there.
type ride struct {
	Mode, Label, Icon, Minutes, Price, Why string
	Can                                    bool
	length                                 int
}

// Ways are the other places, nearest first, each with how to get there.
func (s scene) Ways() []way {
	var ways []way
	for _, r := range s.Routes {
		p := s.World.Place(r.Place)
		if p == nil {
			continue
		}
		i := slices.IndexFunc(ways, func(w way) bool { return w.Slug == r.Place })
		if i < 0 {
			w := way{Slug: p.Slug, Name: p.Name, About: p.About, Icon: placeIcon(p.Kind), Shut: !p.Hours.Open(s.Now.Minute)}
			if w.Shut {
				w.Opens = game.ClockText(p.Hours.NextOpen(s.Now.Minute))
			}
			ways, i = append(ways, w), len(ways)
		}
		d := ride{Mode: r.Mode, Label: r.Label, Icon: modeIcon(r.Mode), Minutes: minutes(r.Minutes), Price: "free", Can: r.Can, Why: r.Why, length: r.Minutes}
		if r.Price > 0 {
			d.Price = s.price(r.Price)
		}
		ways[i].Rides = append(ways[i].Rides, d)
	}
	slices.SortStableFunc(ways, func(a, b way) int { return cmp.Compare(a.shortest(), b.shortest()) })
	return ways
}

func (w way) shortest() int {
	return slices.MinFunc(w.Rides, func(a, b ride) int { return a.length - b.length }).length
}

// PickedWay is the way to the place that was picked on the map.
func (s scene) PickedWay() *way {
	ways := s.Ways()
	i := slices.IndexFunc(ways, func(w way) bool { return w.Slug == s.Chosen })
	if i < 0 {
		return nil
	}
	return &ways[i]
}

// With are the others at the same place, Elsewhere all the rest.
func (s scene) With() []game.Neighbour      { return s.split(true) }
func (s scene) Elsewhere() []game.Neighbour { return s.split(false) }

func (s scene) split(here bool) []game.Neighbour {
	var list []game.Neighbour
	for _, n := range s.People {
		if (s.Here != nil && n.Place == s.Here.Slug) == here {
			list = append(list, n)
		}
	}
	return list
}

// PlaceName is a place in words, for lists of people.
func (s scene) PlaceName(slug string) string { return s.placeName(slug) }
