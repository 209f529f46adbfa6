package town

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sgip.example/starter/game"
)

// roadWidths by kind, where a world gives none.
func roadWidth(r game.Road) int {
	switch {
	case r.Width > 0:
		return r.Width
	case r.Kind == "avenue", r.Kind == "bridge":
		return 16
	case r.Kind == "rail":
		return 5
	case r.Kind == "path":
		return 4
	}
	return 10
}

// drawRoads draws all casings before all surfaces, so that crossings are open.
func drawRoads(b *strings.Builder, list []game.Road) {
	for _, layer := range []string{"casing", "surface", "mark"} {
		for _, r := range list {
			if layer == "casing" && (r.Kind == "path" || r.Kind == "rail") {
				continue
			}
			if layer == "mark" && r.Kind != "avenue" && r.Kind != "rail" && r.Kind != "bridge" {
				continue
			}
			width := roadWidth(r)
			switch {
			case layer == "casing" && r.Kind == "bridge":
				width += 8
			case layer == "casing":
				width += 3
			case layer == "mark" && r.Kind == "rail":
				width += 4
			case layer == "mark":
				width = 1
			}
			fmt.Fprintf(b, `<path class="m-%s m-%s" stroke-width="%d" d="%s"/>`, layer, r.Kind, width, line(r.Line, false))
		}
	}
}

// spot is a place on the map, exactly.
type spot struct{ x, y float64 }

func at(p game.Point) spot { return spot{float64(p.X()), float64(p.Y())} }

func (s spot) far(o spot) float64 { return math.Hypot(s.x-o.x, s.y-o.y) }

// roads is the net that pins walk on: crossings and the ways between them.
type roads struct {
	spots []spot
	next  [][]int        // neighbours by index
	place map[string]int // slug to index
}

type edge struct{ a, b spot }

// newRoads joins the world's roads where they cross and ties each place to the
// nearest one.
func newRoads(w *game.World) *roads {
	edges := crossings(edgesOf(w.Map.Roads))
	n := &roads{place: map[string]int{}}
	for _, p := range w.Places {
		here := at(p.At)
		best, cut, foot := math.Inf(1), -1, spot{}
		for i, e := range edges {
			if d, f := nearest(here, e.a, e.b); d < best {
				best, cut, foot = d, i, f
			}
		}
		if cut >= 0 {
			e := edges[cut]
			edges[cut] = edge{e.a, foot}
			edges = append(edges, edge{foot, e.b}, edge{foot, here})
		}
		n.place[p.Slug] = n.add(here)
	}
	for _, e := range edges {
		n.join(n.add(e.a), n.add(e.b))
	}
	return n
}

func edgesOf(list []game.Road) []edge {
	var edges []edge
	for _, r := range list {
		if r.Kind == "rail" {
			continue
		}
		for i := 1; i < len(r.Line); i++ {
			edges = append(edges, edge{at(r.Line[i-1]), at(r.Line[i])})
		}
	}
	return edges
}

// crossings cuts edges where they meet, so that a walker may turn there.
func crossings(edges []edge) []edge {
	var out []edge
	for i, e := range edges {
		cuts := []spot{e.a, e.b}
		for j, o := range edges {
			if i == j {
				continue
			}
			if s, ok := meet(e, o); ok {
				cuts = append(cuts, s)
			}
			for _, end := range []spot{o.a, o.b} {
				if d, foot := nearest(end, e.a, e.b); d < touching {
					cuts = append(cuts, foot)
					out = append(out, edge{foot, end})
				}
			}
		}
		slices.SortFunc(cuts, func(a, b spot) int { return cmp.Compare(e.a.far(a), e.a.far(b)) })
		for k := 1; k < len(cuts); k++ {
			out = append(out, edge{cuts[k-1], cuts[k]})
		}
	}
	return out
}

// touching is how near a road's end must come to another road to run into it:
// hand-drawn maps miss by a few units.
const touching = 12

// meet is where two edges cross, if they do.
func meet(e, o edge) (spot, bool) {
	ex, ey, ox, oy := e.b.x-e.a.x, e.b.y-e.a.y, o.b.x-o.a.x, o.b.y-o.a.y
	d := ex*oy - ey*ox
	if d == 0 {
		return spot{}, false
	}
	t := ((o.a.x-e.a.x)*oy - (o.a.y-e.a.y)*ox) / d
	u := ((o.a.x-e.a.x)*ey - (o.a.y-e.a.y)*ex) / d
	if t < 0 || t > 1 || u < 0 || u > 1 {
		return spot{}, false
	}
	return spot{e.a.x + t*ex, e.a.y + t*ey}, true
}

// nearest is how far s is from the edge a-b, and the spot on it that is nearest.
func nearest(s, a, b spot) (float64, spot) {
	dx, dy := b.x-a.x, b.y-a.y
	t := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		t = min(max(((s.x-a.x)*dx+(s.y-a.y)*dy)/l, 0), 1)
	}
	foot := spot{a.x + t*dx, a.y + t*dy}
	return s.far(foot), foot
}

func (n *roads) add(s spot) int {
	for i, o := range n.spots {
		if s.far(o) < 0.5 {
			return i
		}
	}
	n.spots = append(n.spots, s)
	n.next = append(n.next, nil)
	return len(n.spots) - 1
}

func (n *roads) join(a, b int) {
	if a != b && !slices.Contains(n.next[a], b) {
		n.next[a] = append(n.next[a], b)
		n.next[b] = append(n.next[b], a)
	}
}

// way is the shortest walk along the roads between two places; the straight
// line where no road joins them, nothing where one isn't there.
func (n *roads) way(from, to string) []spot {
	a, okA := n.place[from]
	b, okB := n.place[to]
	if !okA || !okB {
		return nil
	}
	far := make([]float64, len(n.spots))
	via := make([]int, len(n.spots))
	seen := make([]bool, len(n.spots))
	for i := range far {
		far[i], via[i] = math.Inf(1), -1
	}
	far[a] = 0
	for range n.spots {
		i := closest(far, seen)
		if i < 0 || i == b {
			break
		}
		seen[i] = true
		for _, j := range n.next[i] {
			if d := far[i] + n.spots[i].far(n.spots[j]); d < far[j] {
				far[j], via[j] = d, i
			}
		}
	}
	if math.IsInf(far[b], 1) {
		return []spot{n.spots[a], n.spots[b]}
	}
	var walk []spot
	for i := b; i >= 0; i = via[i] {
		walk = append(walk, n.spots[i])
	}
	slices.Reverse(walk)
	return walk
}

func closest(far []float64, seen []bool) int {
	best := -1
	for i, d := range far {
		if !seen[i] && !math.IsInf(d, 1) && (best < 0 || d < far[best]) {
			best = i
		}
	}
	return best
}

// along is the spot at a share (0-1) of a walk's length.
func along(walk []spot, share float64) spot {
	if len(walk) == 0 {
		return spot{}
	}
	whole := 0.0
	for i := 1; i < len(walk); i++ {
		whole += walk[i-1].far(walk[i])
	}
	left := whole * min(max(share, 0), 1)
	for i := 1; i < len(walk); i++ {
		d := walk[i-1].far(walk[i])
		if left <= d && d > 0 {
			t := left / d
			return spot{walk[i-1].x + t*(walk[i].x-walk[i-1].x), walk[i-1].y + t*(walk[i].y-walk[i-1].y)}
		}
		left -= d
	}
	return walk[len(walk)-1]
}

func walkPath(walk []spot) string {
	var b strings.Builder
	for i, s := range walk {
		fmt.Fprintf(&b, "%c%.1f %.1f", "LM"[btoi(i == 0)], s.x, s.y)
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
