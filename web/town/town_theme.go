package town

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"sgip.example/starter/game"
)

// themeCSS is a town's colours and pattern as a stylesheet, by day and by dark.
// Text on paper in the accent is shifted until it can be read there.
func themeCSS(w *game.World) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ":root{%s%s}\n", shades(w.Palette, lightPaper, func(s game.Shade) string { return s.Light }), pattern(w.Pattern))
	fmt.Fprintf(&b, "@media (prefers-color-scheme:dark){:root{%s}}\n", shades(w.Palette, darkPaper, func(s game.Shade) string { return s.Dark }))
	b.WriteString(cloth(w.Pattern))
	return []byte(b.String())
}

// The papers of paper.css that accent text must be readable on.
const (
	lightPaper = "#f1eadb"
	darkPaper  = "#1c212c"
)

func shades(p game.Palette, paper string, of func(game.Shade) string) string {
	var b strings.Builder
	for _, c := range []struct {
		name  string
		shade game.Shade
	}{{"ground", p.Ground}, {"water", p.Water}, {"road", p.Road}, {"park", p.Park}, {"building", p.Building},
		{"accent", p.Accent}, {"accent-ink", p.AccentInk}} {
		if isColour(of(c.shade)) {
			fmt.Fprintf(&b, "--%s:%s;", c.name, of(c.shade))
		}
	}
	if accent := of(p.Accent); isColour(accent) {
		fmt.Fprintf(&b, "--accent-text:%s;", readable(accent, paper))
	}
	return b.String()
}

func pattern(name string) string {
	switch name {
	case "adire":
		return `--pattern:url(map_adire.svg);--pattern-size:7rem;`
	case "tiles":
		return `--pattern:url(map_tiles.svg);--pattern-size:4rem;`
	}
	return ""
}

// cloth is how a town dresses its name: the side of a danfo, a station's sign.
func cloth(name string) string {
	switch name {
	case "adire":
		return ".cloth{--cloth:#f6c21c;--cloth-ink:#16130a;background:linear-gradient(#0000 62%,#16130a 62% 70%,#0000 70% 78%,#16130a 78% 86%,#0000 86%),var(--cloth)}" +
			".cloth-line{background:linear-gradient(#f6c21c 0 40%,#16130a 40% 60%,#f6c21c 60% 80%,#16130a 80%);height:10px}" +
			".sign{background:#f6c21c;color:#16130a;border:0;border-bottom:.5em double #16130a}\n"
	case "tiles":
		return ".cloth-line{background:repeating-linear-gradient(90deg,#0000 0 34px,#0004 34px 36px),linear-gradient(var(--accent),var(--accent));height:10px}" +
			".sign{background:#f7f5ef;color:#17191f;border:.14em solid #17191f;outline:.1em solid #f7f5ef;outline-offset:-.3em;letter-spacing:.02em}\n"
	}
	return ""
}

func isColour(s string) bool {
	_, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	return len(s) == 7 && s[0] == '#' && err == nil
}

// enough is the contrast that WCAG AA asks of text.
const enough = 4.6

// readable moves a colour towards ink or towards light, away from its paper,
// until text in it can be read there.
func readable(colour, paper string) string {
	target := 0.0
	if luminance(paper) < 0.2 {
		target = 255
	}
	r, g, b := channels(colour)
	for range 40 {
		now := hex(r, g, b)
		if contrast(now, paper) >= enough {
			return now
		}
		r, g, b = r+(target-r)*.08, g+(target-g)*.08, b+(target-b)*.08
	}
	return hex(r, g, b)
}

func hex(r, g, b float64) string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(r)), int(math.Round(g)), int(math.Round(b)))
}

func channels(colour string) (r, g, b float64) {
	n, _ := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	return float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance is the relative luminance of WCAG 2.
func luminance(colour string) float64 {
	part := func(c float64) float64 {
		if c /= 255; c <= .04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	r, g, b := channels(colour)
	return .2126*part(r) + .7152*part(g) + .0722*part(b)
}
