package town

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"sgip.example/starter/game"
)

// drawing is a town's map: the part that never changes, drawn once from its
// world, and the roads that a traveller's pin walks along.
type drawing struct {
	Land    template.HTML // ground, water, parks, roads, houses, landmarks
	Windows template.HTML // those that light up; above the tint of the night
	Names   template.HTML // of roads, waters, parks and districts
	roads   *roads
	labels  map[string]label
}

// draw makes a map from what a world says of its ground. The same world gives
// the same map, byte for byte.
func draw(w *game.World) *drawing {
	var land, names, windows strings.Builder
	land.WriteString(`<rect class="m-ground" width="1000" height="700"/>`)
	for _, a := range w.Map.Parks {
		drawPark(&land, a)
	}
	drawWater(&land, w.Map.Water)
	drawRoads(&land, w.Map.Roads)
	drawBlocks(&land, &windows, w.Map.Blocks)
	for _, l := range w.Map.Landmarks {
		drawLandmark(&land, l)
	}
	drawNames(&names, w)
	return &drawing{
		Land: template.HTML(land.String()), Windows: template.HTML(windows.String()),
		Names: template.HTML(names.String()), roads: newRoads(w), labels: setLabels(w.Places),
	}
}

// line writes points as the data of a path.
func line(points []game.Point, closed bool) string {
	var b strings.Builder
	for i, p := range points {
		if i == 0 {
			fmt.Fprintf(&b, "M%d %d", p.X(), p.Y())
			continue
		}
		fmt.Fprintf(&b, "L%d %d", p.X(), p.Y())
	}
	if closed {
		b.WriteByte('Z')
	}
	return b.String()
}

// soft is a closed shape whose corners are rounded off: shores and lawns have
// no corners. It runs through the middles of the edges, bent towards each corner.
func soft(shape []game.Point) string {
	if len(shape) < 3 {
		return line(shape, true)
	}
	var b strings.Builder
	for i, p := range shape {
		q := shape[(i+1)%len(shape)]
		if i == 0 {
			last := shape[len(shape)-1]
			fmt.Fprintf(&b, "M%s", cornerEnd(last, p))
		}
		b.WriteString(corner(p, prev(shape, i), q))
	}
	b.WriteByte('Z')
	return b.String()
}

func prev(shape []game.Point, i int) game.Point { return shape[(i+len(shape)-1)%len(shape)] }

// bend is how far from a corner its curve begins, in map units at most.
const bend = 46.0

// cornerEnd is where the straight part of an edge begins, after its first corner.
func cornerEnd(from, to game.Point) string {
	x, y := toward(to, from)
	return fmt.Sprintf("%.0f %.0f", x, y)
}

// corner goes straight to where the curve of p begins and around it. A point on
// the frame of the map stays sharp: what leaves the map has no shore there.
func corner(p, before, after game.Point) string {
	if p.X() <= 0 || p.Y() <= 0 || p.X() >= game.MapWidth || p.Y() >= game.MapHeight {
		return fmt.Sprintf("L%d %d", p.X(), p.Y())
	}
	ax, ay := toward(p, before)
	bx, by := toward(p, after)
	return fmt.Sprintf("L%.0f %.0fQ%d %d %.0f %.0f", ax, ay, p.X(), p.Y(), bx, by)
}

// toward is the spot near p on the way to q where its curve begins.
func toward(p, q game.Point) (float64, float64) {
	dx, dy := float64(q.X()-p.X()), float64(q.Y()-p.Y())
	length := math.Hypot(dx, dy)
	if length == 0 {
		return float64(p.X()), float64(p.Y())
	}
	share := min(bend/length, 0.5)
	return float64(p.X()) + dx*share, float64(p.Y()) + dy*share
}

func drawWater(b *strings.Builder, waters []game.Area) {
	for _, a := range waters {
		d := soft(a.Shape)
		fmt.Fprintf(b, `<path class="m-shore" d="%s"/>`, d)
	}
	for i, a := range waters {
		d := soft(a.Shape)
		fmt.Fprintf(b, `<path class="m-water" d="%s"/><clipPath id="w%d"><path d="%s"/></clipPath>`, d, i, d)
		fmt.Fprintf(b, `<g clip-path="url(#w%d)"><path class="m-shallow" d="%s"/><path class="m-wave" d="%s"/></g>`, i, d, waves(a.Shape))
	}
}

// waves strews short ripples over a water's box; the clip keeps them inside.
func waves(shape []game.Point) string {
	var b strings.Builder
	x0, y0, x1, y1 := box(shape)
	for y := y0 + 14; y < y1; y += 26 {
		for x := x0 + 10 + noise(y, 0)%40; x < x1; x += 62 + noise(x, y)%50 {
			fmt.Fprintf(&b, "M%d %dq5 -5 10 0t10 0", x, y+noise(x, y)%9)
		}
	}
	return b.String()
}

func drawPark(b *strings.Builder, a game.Area) {
	fmt.Fprintf(b, `<path class="m-park" d="%s"/>`, soft(a.Shape))
	var trunks, crowns strings.Builder
	x0, y0, x1, y1 := box(a.Shape)
	for y := y0 + 10; y < y1-4; y += 19 {
		for x := x0 + 8 + noise(y, 3)%14; x < x1-4; x += 21 {
			n := noise(x, y)
			tx, ty := x+n%9, y+n%7
			if n%3 == 0 || !inside(a.Shape, tx, ty, 9) {
				continue
			}
			r := 4 + n%3
			fmt.Fprintf(&trunks, "M%d %da%d %d 0 1 0 .1 0", tx+2, ty+r+2, r, r)
			fmt.Fprintf(&crowns, "M%d %da%d %d 0 1 0 .1 0", tx, ty+r, r, r)
		}
	}
	fmt.Fprintf(b, `<path class="m-treeshade" d="%s"/><path class="m-tree" d="%s"/>`, trunks.String(), crowns.String())
}

// drawBlocks draws all houses as a few paths: their shadows, walls, roofs and
// windows. Tall ones stand on higher walls.
func drawBlocks(b, lit *strings.Builder, blocks []game.Block) {
	var shade, wall, roof, roofTall, ridge, panes, lights strings.Builder
	for _, k := range blocks {
		up := 5
		if k.Tall {
			up = 14 + noise(k.X, k.Y)%9
		}
		bottom := k.Y + k.Height
		fmt.Fprintf(&shade, "M%d %dh%dl%d %dv%dh%dz", k.X, bottom, k.Width, up/2, -up/2, -(k.Height - up/2), -k.Width/3)
		fmt.Fprintf(&wall, "M%d %dh%dv%dh%dz", k.X, bottom-up, k.Width, up, -k.Width)
		top := &roof
		if k.Tall {
			top = &roofTall
		}
		fmt.Fprintf(top, "M%d %dh%dv%dh%dz", k.X, k.Y-up, k.Width, k.Height, -k.Width)
		drawRidge(&ridge, k, up)
		drawWindows(&panes, &lights, k, bottom-up, up)
	}
	for _, part := range []struct {
		class string
		d     *strings.Builder
	}{{"m-shade", &shade}, {"m-wall", &wall}, {"m-roof", &roof}, {"m-roof m-tall", &roofTall}, {"m-ridge", &ridge}, {"m-pane", &panes}} {
		if part.d.Len() > 0 {
			fmt.Fprintf(b, `<path class="%s" d="%s"/>`, part.class, part.d.String())
		}
	}
	if lights.Len() > 0 {
		fmt.Fprintf(lit, `<path class="m-lights" d="%s"/>`, lights.String())
	}
}

// drawRidge gives a low roof its ridge and a flat one its border.
func drawRidge(b *strings.Builder, k game.Block, up int) {
	switch {
	case k.Tall && k.Width > 14 && k.Height > 14:
		fmt.Fprintf(b, "M%d %dh%dv%dh%dz", k.X+4, k.Y-up+4, k.Width-8, k.Height-8, -(k.Width - 8))
	case k.Width >= k.Height:
		fmt.Fprintf(b, "M%d %dh%d", k.X+3, k.Y-up+k.Height/2, k.Width-6)
	default:
		fmt.Fprintf(b, "M%d %dv%d", k.X+k.Width/2, k.Y-up+3, k.Height-6)
	}
}

// drawWindows sets a row of windows (three on tall walls) into the wall that
// faces the reader; about half of them are lit at night.
func drawWindows(panes, lights *strings.Builder, k game.Block, top, up int) {
	rows := max(up/6, 1)
	for row := range rows {
		y := top + 2 + row*6
		for x := k.X + 3; x+3 <= k.X+k.Width-2; x += 7 {
			fmt.Fprintf(panes, "M%d %dh3v3h-3z", x, y)
			if noise(x, y)%5 < 3 {
				fmt.Fprintf(lights, "M%d %dh3v3h-3z", x, y)
			}
		}
	}
}

// noise is a number that looks random and is the same for the same spot.
func noise(x, y int) int {
	n := uint32(x)*73856093 ^ uint32(y)*19349663
	n ^= n >> 13
	n *= 0x5bd1e995
	n ^= n >> 15
	return int(n & 0xffff)
}

func box(shape []game.Point) (x0, y0, x1, y1 int) {
	x0, y0 = game.MapWidth, game.MapHeight
	for _, p := range shape {
		x0, y0, x1, y1 = min(x0, p.X()), min(y0, p.Y()), max(x1, p.X()), max(y1, p.Y())
	}
	return max(x0, 0), max(y0, 0), min(x1, game.MapWidth), min(y1, game.MapHeight)
}

// inside reports whether a spot lies in the shape, at least gap from its edges.
func inside(shape []game.Point, x, y, gap int) bool {
	in := false
	for i, p := range shape {
		q := prev(shape, i)
		if (p.Y() > y) != (q.Y() > y) && x < (q.X()-p.X())*(y-p.Y())/(q.Y()-p.Y())+p.X() {
			in = !in
		}
		if d, _ := nearest(spot{float64(x), float64(y)}, at(q), at(p)); d < float64(gap) {
			return false
		}
	}
	return in
}
