package town

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"sgip.example/starter/game"
)

// letter is about how wide one letter of a road's name is on the map.
const letter = 7.2

// drawNames writes names where they belong: along roads that are long enough,
// in waters and parks, and large and faint over districts.
func drawNames(b *strings.Builder, w *game.World) {
	for _, d := range w.Districts {
		fmt.Fprintf(b, `<text class="m-district" x="%d" y="%d">%s</text>`, d.At.X(), d.At.Y(), esc(d.Name))
	}
	for _, areas := range []struct {
		class string
		list  []game.Area
	}{{"m-waters", w.Map.Water}, {"m-parks", w.Map.Parks}} {
		for _, a := range areas.list {
			if a.Name == "" || len(a.Shape) == 0 {
				continue
			}
			x, y := middle(a)
			fmt.Fprintf(b, `<text class="%s" x="%d" y="%d">%s</text>`, areas.class, x, y, esc(a.Name))
		}
	}
	for i, r := range w.Map.Roads {
		stretch := longest(r.Line, float64(utf8.RuneCountInString(r.Name))*letter)
		if r.Name == "" || stretch == nil {
			continue
		}
		fmt.Fprintf(b, `<path id="r%d" class="m-guide" d="%s"/><text class="m-along" dy="3.5"><textPath href="#r%d" startOffset="50%%">%s</textPath></text>`,
			i, line(stretch, false), i, esc(r.Name))
	}
}

func middle(a game.Area) (int, int) {
	if a.LabelAt != nil {
		return a.LabelAt.X(), a.LabelAt.Y()
	}
	x0, y0, x1, y1 := box(a.Shape)
	return (x0 + x1) / 2, (y0 + y1) / 2
}

// longest is the part of a road, seen on the map, that turns little and is long
// enough for a name; it runs so that the name isn't upside down. Nil if there
// is none.
func longest(points []game.Point, need float64) []game.Point {
	var best []game.Point
	bestLength := need
	for from := range points {
		length := 0.0
		for to := from + 1; to < len(points); to++ {
			if to > from+1 && turn(points[to-2], points[to-1], points[to]) > math.Pi/5 {
				break
			}
			length += at(points[to-1]).far(at(points[to]))
			if length > bestLength {
				best, bestLength = points[from:to+1], length
			}
		}
	}
	if best == nil {
		return nil
	}
	best = slices.Clone(best)
	if first, last := best[0], best[len(best)-1]; first.X() > last.X() {
		slices.Reverse(best)
	}
	return best
}

// turn is the angle by which a road bends at b.
func turn(a, b, c game.Point) float64 {
	in := math.Atan2(float64(b.Y()-a.Y()), float64(b.X()-a.X()))
	out := math.Atan2(float64(c.Y()-b.Y()), float64(c.X()-b.X()))
	d := math.Abs(in - out)
	return min(d, 2*math.Pi-d)
}
