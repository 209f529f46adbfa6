package worlds

import (
	"fmt"
	"math"

	"sgip.example/starter/game"
)

// The paper on which all towns are drawn, by day and by night, and its ink.
const (
	paperLight = "#faf6ee"
	paperDark  = "#14171f"
	inkLight   = "#1f2430"
	inkDark    = "#faf6ee"
)

// complete fills in what a world may leave out and everything else rests on.
func complete(w *game.World) {
	if w.MinutesPerSecond == 0 {
		w.MinutesPerSecond = 1
	}
	if w.Pattern == "" {
		w.Pattern = "plain"
	}
	if w.Language == "" {
		w.Language = "en"
	}
	if w.Arrivals == "" {
		w.Arrivals = w.Start.Place
	}
	for i := range w.Surprises {
		if w.Surprises[i].Chances == 0 {
			w.Surprises[i].Chances = 1
		}
	}
	colours(&w.Palette)
}

// colours derives from the accent what a palette leaves out, so that a world
// with one colour looks designed. Colours that can't be read are left for check.
func colours(p *game.Palette) {
	accent := p.Accent.Light
	if !isColour(accent) {
		return
	}
	for _, c := range []struct {
		shade *game.Shade
		base  string // by day
		tint  float64
		night float64 // how far into the dark
	}{
		{&p.Accent, accent, 0, 0.12},
		{&p.Ground, "#f1e9d8", 0.05, 0.84},
		{&p.Water, "#a8d3dc", 0.06, 0.72},
		{&p.Road, "#fffdf7", 0.02, 0.70},
		{&p.Park, "#bfd8a2", 0.06, 0.74},
		{&p.Building, "#dfcfb4", 0.10, 0.74},
	} {
		if c.shade.Light == "" {
			c.shade.Light = mix(c.base, accent, c.tint)
		}
		if c.shade.Dark == "" && isColour(c.shade.Light) {
			c.shade.Dark = mix(c.shade.Light, paperDark, c.night)
		}
	}
	if p.AccentInk.Light == "" {
		p.AccentInk.Light = legible(p.Accent.Light)
	}
	if p.AccentInk.Dark == "" && isColour(p.Accent.Dark) {
		p.AccentInk.Dark = legible(p.Accent.Dark)
	}
}

// legible is the ink that reads better on a colour.
func legible(on string) string {
	if contrast(on, inkLight) >= contrast(on, inkDark) {
		return inkLight
	}
	return inkDark
}

func isColour(s string) bool {
	var r, g, b uint8
	n, err := fmt.Sscanf(s, "#%02x%02x%02x", &r, &g, &b)
	return len(s) == 7 && n == 3 && err == nil
}

func rgb(colour string) [3]float64 {
	var c [3]uint8
	_, _ = fmt.Sscanf(colour, "#%02x%02x%02x", &c[0], &c[1], &c[2]) // isColour came first
	return [3]float64{float64(c[0]), float64(c[1]), float64(c[2])}
}

// mix is a colour share of the way to another.
func mix(from, to string, share float64) string {
	a, b := rgb(from), rgb(to)
	var c [3]int
	for i := range c {
		c[i] = int(math.Round(a[i] + (b[i]-a[i])*share))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// contrast is the ratio of WCAG 2.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(colour string) float64 {
	weights := [3]float64{0.2126, 0.7152, 0.0722}
	sum := 0.0
	for i, v := range rgb(colour) {
		v /= 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weights[i] * v
	}
	return sum
}
