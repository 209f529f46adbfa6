package worlds

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"sgip.example/starter/game"
	"sgip.example/starter/vocabulary"
)

// Bounds of what a world may say: generous, but a slip of the finger is caught.
const (
	maxPlaces        = 200
	maxActivities    = 40      // at one place
	maxMinutes       = 24 * 60 // one activity
	maxCooldown      = 7 * 24 * 60
	maxMinutesSecond = 60
	maxPrice         = 1_000_000_000_000
	maxDecimals      = 4
	maxLabel         = 140 // code points, what the network takes
	maxTownName      = 60
	maxAbout         = 280
	maxIcon          = 8
	minContrast      = 4.5 // WCAG AA
)

var (
	currencyForm = regexp.MustCompile(`^([A-Z]{3}|[a-z0-9][a-z0-9-]{0,62}:[a-z0-9_]{1,16})$`)
	languageForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
	handleForm   = regexp.MustCompile(`^[a-z0-9_]{2,32}$`)
)

// checker collects all that is wrong with a file.
type checker struct {
	file   string
	words  *vocabulary.Registry
	places map[string]*game.Place
	ids    map[string]bool
	verbs  map[string]bool
	wrong  []error
}

// bad notes a fault unless ok.
func (c *checker) bad(ok bool, path, format string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, fmt.Errorf("%s: %s: %s", c.file, path, fmt.Sprintf(format, args...)))
	}
}

// check judges a world that has been completed.
func check(file string, w *game.World, words *vocabulary.Registry) error {
	c := &checker{file: file, words: words, places: map[string]*game.Place{}, ids: map[string]bool{}, verbs: map[string]bool{}}
	for i := range w.Places {
		c.places[w.Places[i].Slug] = &w.Places[i]
	}
	c.town(w)
	c.palette(w.Palette)
	c.ground(w)
	c.allPlaces(w)
	c.modes(w)
	c.rules(w)
	c.goals(w.Goals)
	c.demo(w)
	return errors.Join(c.wrong...)
}

func (c *checker) text(path, text string, limit int) {
	if err := game.CheckText(text, limit); err != nil {
		c.bad(false, path, "%v (1 to %d characters)", err, limit)
	}
}

func (c *checker) maybeText(path, text string, limit int) {
	if text != "" {
		c.text(path, text, limit)
	}
}

func (c *checker) amount(path string, amount int64, least int64) {
	c.bad(amount >= least && amount <= maxPrice, path, "%d is not an amount of minor units from %d to %d", amount, least, int64(maxPrice))
}

func (c *checker) place(path, slug string) {
	c.bad(c.places[slug] != nil, path, "there is no place %q", slug)
}

func (c *checker) word(path, domain, id string) {
	c.bad(c.words.Has(domain, id), path, "%q is not a word of the shared vocabulary (%s)", id, domain)
}

func (c *checker) stats(path string, stats map[string]int, least, most int) {
	for id, v := range stats {
		c.bad(slices.Contains(game.StatIDs(), id), path+"."+id, "the game has no such stat")
		c.bad(v >= least && v <= most, path+"."+id, "%d is not from %d to %d", v, least, most)
	}
}

func (c *checker) town(w *game.World) {
	c.text("name", w.Name, maxTownName)
	c.maybeText("description", w.Description, maxAbout)
	c.text("icon", w.Icon, maxIcon)
	c.maybeText("farewell", w.Farewell, maxLabel)
	c.bad(languageForm.MatchString(w.Language), "language", "%q is not a language tag like en-NG", w.Language)
	c.bad(currencyForm.MatchString(w.Currency), "currency", "%q is neither like EUR nor like town:code", w.Currency)
	c.bad(w.Decimals >= 0 && w.Decimals <= maxDecimals, "decimals", "%d is not from 0 to %d", w.Decimals, maxDecimals)
	c.bad(w.MinutesPerSecond >= 1 && w.MinutesPerSecond <= maxMinutesSecond, "minutes_per_second", "%d is not from 1 to %d", w.MinutesPerSecond, maxMinutesSecond)
	c.bad(slices.Contains(game.Patterns[:], w.Pattern), "pattern", "%q is not one of %v", w.Pattern, game.Patterns)
}

func (c *checker) palette(p game.Palette) {
	for _, s := range []struct {
		name  string
		shade game.Shade
	}{
		{"accent", p.Accent}, {"accent_ink", p.AccentInk}, {"ground", p.Ground}, {"water", p.Water},
		{"road", p.Road}, {"park", p.Park}, {"building", p.Building},
	} {
		c.bad(isColour(s.shade.Light), "palette."+s.name+".light", "%q is not a colour like #0a7f6b", s.shade.Light)
		c.bad(isColour(s.shade.Dark), "palette."+s.name+".dark", "%q is not a colour like #0a7f6b", s.shade.Dark)
	}
	c.ink("light", p.Accent.Light, p.AccentInk.Light)
	c.ink("dark", p.Accent.Dark, p.AccentInk.Dark)
}

func (c *checker) ink(when, accent, ink string) {
	if isColour(accent) && isColour(ink) {
		ratio := contrast(accent, ink)
		c.bad(ratio >= minContrast, "palette.accent_ink."+when, "hard to read on the accent: contrast %.1f, %.1f is needed", ratio, minContrast)
	}
}

// ground judges the map and the districts.
func (c *checker) ground(w *game.World) {
	c.areas("map.water", w.Map.Water)
	c.areas("map.parks", w.Map.Parks)
	for i, r := range w.Map.Roads {
		at := fmt.Sprintf("map.roads[%d]", i)
		c.maybeText(at+".name", r.Name, maxLabel)
		c.bad(slices.Contains(game.RoadKinds[:], r.Kind), at+".kind", "%q is not one of %v", r.Kind, game.RoadKinds)
		c.bad(len(r.Line) >= 2, at+".line", "a road has at least two points")
		c.points(at+".line", r.Line)
		c.bad(r.Width >= 0 && r.Width <= 40, at+".width", "%d is not from 0 to 40", r.Width)
	}
	for i, l := range w.Map.Landmarks {
		at := fmt.Sprintf("map.landmarks[%d]", i)
		c.text(at+".name", l.Name, maxLabel)
		c.bad(slices.Contains(game.Pictures[:], l.Picture), at+".picture", "%q is not one of %v", l.Picture, game.Pictures)
		c.points(at+".at", []game.Point{l.At})
		c.bad(l.Size >= 0 && l.Size <= 200, at+".size", "%d is not from 0 to 200", l.Size)
	}
	seen := map[string]bool{}
	for i, d := range w.Districts {
		at := fmt.Sprintf("districts[%d]", i)
		c.slug(at+".slug", d.Slug, seen)
		c.text(at+".name", d.Name, maxLabel)
		c.points(at+".at", []game.Point{d.At})
		c.bad(len(d.Outline) == 0 || len(d.Outline) >= 3, at+".outline", "an outline has at least three points")
		c.points(at+".outline", d.Outline)
	}
	c.bad(len(w.Districts) > 0, "districts", "a town has at least one district")
}

func (c *checker) areas(path string, areas []game.Area) {
	for i, a := range areas {
		at := fmt.Sprintf("%s[%d]", path, i)
		c.maybeText(at+".name", a.Name, maxLabel)
		c.bad(len(a.Shape) >= 3, at+".shape", "a shape has at least three points")
		c.points(at+".shape", a.Shape)
		if a.LabelAt != nil {
			c.points(at+".label_at", []game.Point{*a.LabelAt})
		}
	}
}

func (c *checker) points(path string, points []game.Point) {
	for _, p := range points {
		c.bad(p.X() >= 0 && p.X() <= game.MapWidth && p.Y() >= 0 && p.Y() <= game.MapHeight,
			path, "[%d, %d] is off the map of %d by %d", p.X(), p.Y(), game.MapWidth, game.MapHeight)
	}
}

// slug judges a name that must be new.
func (c *checker) slug(path, slug string, seen map[string]bool) {
	c.bad(slugForm.MatchString(slug), path, "%q is not made of a-z, 0-9, - and _", slug)
	c.bad(!seen[slug], path, "%q is there twice", slug)
	seen[slug] = true
}
