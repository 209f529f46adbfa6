package worlds

import (
	"hash/fnv"
	"math"
	"slices"

	"sgip.example/starter/game"
)

// draw completes the map: a world without one gets roads between its districts,
// and parks and water where its places are; every world gets its houses. The
// same file gives the same map.
func draw(w *game.World) {
	if len(w.Map.Roads) == 0 && len(w.Map.Water) == 0 && len(w.Map.Parks) == 0 {
		drawGround(w)
	}
	for i := range w.Map.Roads {
		if w.Map.Roads[i].Width == 0 {
			w.Map.Roads[i].Width = widthOf(w.Map.Roads[i].Kind)
		}
	}
	for _, areas := range [][]game.Area{w.Map.Water, w.Map.Parks} {
		for i := range areas {
			if areas[i].LabelAt == nil {
				middle := middleOf(areas[i].Shape)
				areas[i].LabelAt = &middle
			}
		}
	}
	w.Map.Blocks = blocks(w)
}

func widthOf(kind string) int {
	switch kind {
	case "avenue", "bridge":
		return 12
	case "street":
		return 8
	}
	return 4
}

func middleOf(shape []game.Point) game.Point {
	var x, y int
	for _, p := range shape {
		x, y = x+p.X(), y+p.Y()
	}
	return game.Point{x / len(shape), y / len(shape)}
}

// drawGround lays roads from each district to the nearest one before it, from
// each place to its district, and greens or waters where places have them.
func drawGround(w *game.World) {
	middles := map[string]game.Point{}
	for i, d := range w.Districts {
		middles[d.Slug] = d.At
		if i == 0 {
			continue
		}
		near := slices.MinFunc(w.Districts[:i], func(a, b game.District) int {
			return int(far(a.At, d.At) - far(b.At, d.At))
		})
		w.Map.Roads = append(w.Map.Roads, game.Road{Name: d.Name + " Road", Kind: "avenue", Line: bent(near.At, d.At)})
	}
	for _, p := range w.Places {
		if middle := middles[p.District]; middle != p.At {
			w.Map.Roads = append(w.Map.Roads, game.Road{Kind: "street", Line: []game.Point{middle, p.At}})
		}
		switch p.Kind {
		case "park", "garden", "forest", "zoo", "playground":
			w.Map.Parks = append(w.Map.Parks, game.Area{Name: p.Name, Shape: round(p.At, 70)})
		case "lake", "river", "beach", "ferry_terminal":
			w.Map.Water = append(w.Map.Water, game.Area{Shape: round(game.Point{p.At.X(), min(p.At.Y()+85, game.MapHeight)}, 80)})
		}
	}
}

// bent is a road with one corner, as towns have them.
func bent(a, b game.Point) []game.Point {
	if a.X() == b.X() || a.Y() == b.Y() {
		return []game.Point{a, b}
	}
	return []game.Point{a, {b.X(), a.Y()}, b}
}

// round is an uneven ring around a spot, cut off at the edge of the map.
func round(at game.Point, radius float64) []game.Point {
	const corners = 9
	ring := make([]game.Point, 0, corners)
	for i := range corners {
		angle := 2 * math.Pi * float64(i) / corners
		r := radius * (0.8 + 0.4*chance(at.X(), at.Y(), i))
		ring = append(ring, game.Point{
			min(max(0, at.X()+int(r*1.3*math.Cos(angle))), game.MapWidth),
			min(max(0, at.Y()+int(r*math.Sin(angle))), game.MapHeight),
		})
	}
	return ring
}

// Houses stand on a loose grid, near where people live and clear of all else.
const (
	blockPitch   = 21
	blockSpread  = 210 // how far houses reach around a place or district
	clearOfPlace = 24
	clearOfRoad  = 3
)

func blocks(w *game.World) []game.Block {
	var all []game.Block
	for y := 14; y < game.MapHeight-20; y += blockPitch {
		for x := 14; x < game.MapWidth-20; x += blockPitch {
			b := game.Block{
				X: x + int(4*chance(x, y, 1)), Y: y + int(4*chance(x, y, 2)),
				Width: 9 + int(8*chance(x, y, 3)), Height: 9 + int(7*chance(x, y, 4)),
			}
			crowd := crowding(w, b)
			if chance(x, y, 5) < 1.3*crowd && isClear(w, b) {
				b.Tall = chance(x, y, 6) < (crowd-0.5)/1.5
				all = append(all, b)
			}
		}
	}
	return all
}

// crowding is how likely a house stands here: 1 in the midst of things, 0 far out.
func crowding(w *game.World, b game.Block) float64 {
	nearest := math.Inf(1)
	middle := game.Point{b.X + b.Width/2, b.Y + b.Height/2}
	for i := range w.Places {
		nearest = min(nearest, far(w.Places[i].At, middle))
	}
	for i := range w.Districts {
		nearest = min(nearest, far(w.Districts[i].At, middle))
	}
	return max(0, 1-nearest/blockSpread)
}

// isClear reports whether a house would stand on dry, free ground.
func isClear(w *game.World, b game.Block) bool {
	middle := game.Point{b.X + b.Width/2, b.Y + b.Height/2}
	reach := math.Hypot(float64(b.Width), float64(b.Height)) / 2
	for i := range w.Places {
		if far(w.Places[i].At, middle) < clearOfPlace+reach/2 {
			return false
		}
	}
	for _, areas := range [][]game.Area{w.Map.Water, w.Map.Parks} {
		for _, a := range areas {
			if inside(a.Shape, middle) || edgeFar(append(slices.Clone(a.Shape), a.Shape[0]), middle) < reach {
				return false
			}
		}
	}
	for _, r := range w.Map.Roads {
		if edgeFar(r.Line, middle) < reach+float64(r.Width)/2+clearOfRoad {
			return false
		}
	}
	return !slices.ContainsFunc(w.Map.Landmarks, func(l game.Landmark) bool { return far(l.At, middle) < 30 })
}

func far(a, b game.Point) float64 {
	return math.Hypot(float64(a.X()-b.X()), float64(a.Y()-b.Y()))
}

// inside reports whether a spot lies in a shape, by counting the edges to its right.
func inside(shape []game.Point, p game.Point) bool {
	in := false
	for i, a := range shape {
		b := shape[(i+1)%len(shape)]
		if (a.Y() > p.Y()) == (b.Y() > p.Y()) {
			continue
		}
		if p.X() < a.X()+(b.X()-a.X())*(p.Y()-a.Y())/(b.Y()-a.Y()) {
			in = !in
		}
	}
	return in
}

// edgeFar is how far a spot is from a line.
func edgeFar(line []game.Point, p game.Point) float64 {
	best := math.Inf(1)
	for i := range line[1:] {
		a, b := line[i], line[i+1]
		dx, dy := float64(b.X()-a.X()), float64(b.Y()-a.Y())
		along := 0.0
		if length := dx*dx + dy*dy; length > 0 {
			along = min(max(0, (float64(p.X()-a.X())*dx+float64(p.Y()-a.Y())*dy)/length), 1)
		}
		best = min(best, math.Hypot(float64(p.X()-a.X())-along*dx, float64(p.Y()-a.Y())-along*dy))
	}
	return best
}

// chance is a number from 0 to 1 that looks random and never changes.
func chance(x, y, salt int) float64 {
	h := fnv.New32a()
	h.Write([]byte{byte(x), byte(x >> 8), byte(y), byte(y >> 8), byte(salt)})
	v := h.Sum32()
	v ^= v >> 15
	v *= 0x2c1b3c6d
	v ^= v >> 12
	return float64(v%1000) / 1000
}
