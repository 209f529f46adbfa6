package town

import (
	"slices"
	"unicode/utf8"

	"sgip.example/starter/game"
)

// label is where the name of a place stands beside its pin.
type label struct {
	X, Y   int    // from the place
	Anchor string // of SVG text: middle, start, end
}

// What a pin and a name take up on the map, about.
const (
	pinHalf, pinTall = 15, 38
	nameTall         = 15
	nameLetter       = 7
)

type area struct{ x0, y0, x1, y1 int }

func (a area) overlap(b area) int {
	w, h := min(a.x1, b.x1)-max(a.x0, b.x0), min(a.y1, b.y1)-max(a.y0, b.y0)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h
}

// outside is how much of a name would hang over the edge of the map.
func (a area) outside() int {
	return nameTall * (max(0, -a.x0) + max(0, a.x1-game.MapWidth) + max(0, -a.y0) + max(0, a.y1-game.MapHeight))
}

// setLabels finds for each place the side on which its name covers least of
// other pins and names; below where nothing stands in the way.
func setLabels(places []game.Place) map[string]label {
	var taken []area
	for _, p := range places {
		taken = append(taken, area{p.At.X() - pinHalf, p.At.Y() - pinTall, p.At.X() + pinHalf, p.At.Y() + 3})
	}
	order := slices.Clone(places)
	slices.SortStableFunc(order, func(a, b game.Place) int { return len(b.Name) - len(a.Name) })
	labels := map[string]label{}
	for _, p := range order {
		width := utf8.RuneCountInString(p.Name) * nameLetter
		var best label
		var bestArea area
		least := -1
		for _, l := range []label{{0, 15, "middle"}, {18, -16, "start"}, {-18, -16, "end"}, {0, -43, "middle"}, {12, 14, "start"}, {-12, 14, "end"}} {
			a := l.area(p, width)
			cost := 2 * a.outside()
			for _, t := range taken {
				cost += a.overlap(t)
			}
			if least < 0 || cost < least {
				best, bestArea, least = l, a, cost
			}
		}
		labels[p.Slug] = best
		taken = append(taken, bestArea)
	}
	return labels
}

func (l label) area(p game.Place, width int) area {
	x := p.At.X() + l.X
	switch l.Anchor {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	y := p.At.Y() + l.Y
	return area{x, y - nameTall + 3, x + width, y + 3}
}
