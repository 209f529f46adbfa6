package town

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// stampInks is how many inks paper knows; their colours are the classes ink-0 …
// of postcard.css, so that a stamp stays legible on light and on dark paper.
const stampInks = 10

// stampNameMax keeps a name on its arc: longer ones are cut.
const stampNameMax = 22

// stampOf is what a stamp shows. Shape, ink, tilt and wear come from ID and
// Icon alone, so a game's stamp is the same in every book, for ever.
type stampOf struct {
	ID   string // platform id
	Name string
	Icon string
	Line string // under the icon: a date, or what happened
	Key  string // tells it from others on the same page, where there are any
}

// stampShape draws an outline of about 180 units around the middle of a
// 200 × 200 sheet, at the given inset.
type stampShape struct {
	name    string
	outline func(inset float64) string
	arc     float64 // radius of the name's arc; 0: the name stands in straight lines
}

// stampShapes is the closed list; a new shape goes to the end, or old stamps change.
func stampShapes() []stampShape {
	return []stampShape{
		{"round", func(in float64) string { return circlePath(90 - in) }, 63},
		{"scallop", func(in float64) string { return scallopPath(87-in, 16) }, 57},
		{"octagon", func(in float64) string { return polygonPath(93-in, 8, math.Pi/8) }, 60},
		{"hexagon", func(in float64) string { return polygonPath(95-in, 6, 0) }, 56},
		{"oblong", func(in float64) string { return rectPath(92-in, 66-in, 8) }, 0},
		{"oval", func(in float64) string { return rectPath(94-in, 70-in, 70-in) }, 0},
		{"shield", func(in float64) string { return shieldPath(in) }, 0},
		{"diamond", func(in float64) string { return polygonPath(97-in, 4, 0) }, 0},
		{"ticket", func(in float64) string { return ticketPath(in) }, 0},
	}
}

// stamp draws a passport stamp as a self-contained SVG. Its colour is the
// text colour, set by its ink class; every text of the game's own is escaped.
func stamp(s stampOf) template.HTML {
	h := stampSeed(s.ID, s.Icon)
	shapes := stampShapes()
	shape := shapes[int(h[0])%len(shapes)]
	key := fmt.Sprintf("st%x%s", h[4:8], s.Key)
	tilt := float64(int(h[2])%15-7) * 1.2

	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="seal ink-%d" data-shape="%s" viewBox="0 0 200 200" role="img" aria-label="%s">`,
		stampInk(s.ID, s.Icon), shape.name, esc("Stamp of "+s.Name))
	stampWear(&b, key, int(h[3]))
	fmt.Fprintf(&b, `<g transform="rotate(%.1f 100 100)" filter="url(#%s-wear)" fill="none" stroke="currentColor">`, tilt, key)
	fmt.Fprintf(&b, `<path d="%s" stroke-width="4.5"/>`, shape.outline(0))
	fmt.Fprintf(&b, `<path d="%s" stroke-width="1.4"/>`, shape.outline(7))
	if shape.arc > 0 {
		stampRound(&b, key, shape, s)
	} else {
		stampStraight(&b, key, shape, s)
	}
	b.WriteString(`</g></svg>`)
	return template.HTML(b.String())
}

// stampWear defines the two filters of a print: uneven ink, and a picture
// turned into one ink by its darkness.
func stampWear(b *strings.Builder, key string, seed int) {
	fmt.Fprintf(b, `<defs><filter id="%s-wear" x="-5%%" y="-5%%" width="110%%" height="110%%">`+
		`<feTurbulence type="fractalNoise" baseFrequency=".55" numOctaves="2" seed="%d"/>`+
		`<feColorMatrix values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -5 3.9"/>`+
		`<feComposite in="SourceGraphic" operator="in"/></filter>`, key, seed)
	fmt.Fprintf(b, `<filter id="%s-print" color-interpolation-filters="sRGB">`+
		`<feColorMatrix in="SourceGraphic" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -.22 -.5 -.1 1.05 0" result="dark"/>`+
		`<feFlood flood-color="currentColor"/><feComposite in2="dark" operator="in"/></filter></defs>`, key)
}

func stampRound(b *strings.Builder, key string, shape stampShape, s stampOf) {
	r := shape.arc
	fmt.Fprintf(b, `<path id="%s-top" stroke="none" d="M%.1f 100a%.1f %.1f 0 0 1 %.1f 0"/>`, key, 100-r, r, r, 2*r)
	fmt.Fprintf(b, `<path id="%s-low" stroke="none" d="M%.1f 100a%.1f %.1f 0 0 0 %.1f 0"/>`, key, 100-r-14, r+14, r+14, 2*r+28)
	name := cut(strings.ToUpper(s.Name), stampNameMax)
	fmt.Fprintf(b, `<g fill="currentColor" stroke="none" font-weight="700" text-anchor="middle">`+
		`<text font-size="%.1f" letter-spacing="2"><textPath href="#%s-top" startOffset="50%%">%s</textPath></text>`+
		`<text font-size="9.5" letter-spacing="1"><textPath href="#%s-low" startOffset="50%%">%s</textPath></text>`,
		fitted(name, math.Pi*r*.86, 19), key, esc(name), key, esc(cut(s.ID, 26)))
	fmt.Fprintf(b, `<text x="100" y="114" font-size="52" filter="url(#%s-print)">%s</text>`, key, esc(s.Icon))
	fmt.Fprintf(b, `<text x="100" y="135" font-size="12" letter-spacing=".5">%s</text></g>`, esc(cut(s.Line, 16)))
}

func stampStraight(b *strings.Builder, key string, shape stampShape, s stampOf) {
	name := cut(strings.ToUpper(s.Name), stampNameMax)
	width, top := 150.0, 68.0
	if shape.name == "diamond" {
		width, top = 96, 78
	}
	if shape.name == "shield" {
		width, top = 128, 58
	}
	fmt.Fprintf(b, `<g fill="currentColor" stroke="none" font-weight="700" text-anchor="middle">`+
		`<text x="100" y="%.0f" font-size="%.1f" letter-spacing="2">%s</text>`, top, fitted(name, width, 24), esc(name))
	fmt.Fprintf(b, `<text x="100" y="%.0f" font-size="46" filter="url(#%s-print)">%s</text>`, top+44, key, esc(s.Icon))
	fmt.Fprintf(b, `<text x="100" y="%.0f" font-size="12" letter-spacing="1">%s</text></g>`, top+66, esc(cut(s.Line, 16)))
}

// fitted is the font size at which text takes about width units, largest at most.
func fitted(text string, width, largest float64) float64 {
	n := float64(max(len([]rune(text)), 1))
	return min(largest, width/(n*.74+1))
}

// cut shortens text to n code points.
func cut(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}

func esc(text string) string { return template.HTMLEscapeString(text) }

func circlePath(r float64) string {
	return fmt.Sprintf("M%.1f 100a%.1f %.1f 0 1 1 %.1f 0a%.1f %.1f 0 1 1 %.1f 0z", 100-r, r, r, 2*r, r, r, -2*r)
}

func polygonPath(r float64, corners int, turn float64) string {
	var b strings.Builder
	for i := range corners {
		a := turn + float64(i)*2*math.Pi/float64(corners)
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], 100+r*math.Cos(a), 100+r*math.Sin(a))
	}
	return b.String() + "z"
}

func scallopPath(r float64, waves int) string {
	var b strings.Builder
	for i := range waves + 1 {
		a := float64(i) * 2 * math.Pi / float64(waves)
		x, y := 100+r*math.Cos(a), 100+r*math.Sin(a)
		if i == 0 {
			fmt.Fprintf(&b, "M%.1f %.1f", x, y)
			continue
		}
		bow := r * math.Pi / float64(waves) * 1.05
		fmt.Fprintf(&b, "A%.1f %.1f 0 0 1 %.1f %.1f", bow, bow, x, y)
	}
	return b.String() + "z"
}

func rectPath(w, h, r float64) string {
	r = max(r, 1)
	return fmt.Sprintf("M%.1f %.1fh%.1fa%.1f %.1f 0 0 1 %.1f %.1fv%.1fa%.1f %.1f 0 0 1 %.1f %.1fh%.1fa%.1f %.1f 0 0 1 %.1f %.1fv%.1fa%.1f %.1f 0 0 1 %.1f %.1fz",
		100-w+r, 100-h, 2*(w-r), r, r, r, r, 2*(h-r), r, r, -r, r, -2*(w-r), r, r, -r, -r, -2*(h-r), r, r, r, -r)
}

func shieldPath(in float64) string {
	l, t := 22+in, 18+in
	return fmt.Sprintf("M%.1f %.1fH%.1fV104C%.1f 150 130 172 100 %.1fC70 172 %.1f 150 %.1f 104z", l, t, 200-l, 200-l, 188-in*1.3, l, l)
}

func ticketPath(in float64) string {
	l, t, n := 8+in, 34+in, 12.0
	return fmt.Sprintf("M%.1f %.1fH%.1fV%.1fa%.1f %.1f 0 0 0 0 %.1fV%.1fH%.1fV%.1fa%.1f %.1f 0 0 0 0 %.1fz",
		l, t, 200-l, 100-n, n, n, 2*n, 200-t, l, 100+n, n, n, -2*n)
}
