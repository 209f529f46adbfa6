package sgip

import (
	"math/big"
	"math/bits"
	"slices"
)

// decide settles a component in whole numbers. It keeps a tree of ways from one
// node to all others; an arc that makes more than the tree's own way either
// closes a ring or improves the tree. When no arc does, the tree's ways prove
// that no ring is there: round any cycle their advantages cancel out.
//
// A way's product is worked out only from where two ways part, so short ways
// stay short however many nodes there are.
func (g *ringGraph) decide(c component) []int32 {
	for _, arc := range c.arcs {
		g.arcs[arc].reduce()
	}
	t := newTree(g, c)
	for improved := true; improved; {
		improved = false
		for _, arc := range c.arcs {
			a := &g.arcs[arc]
			if t.via[a.to] == arc {
				continue
			}
			fork := t.fork(a.from, a.to)
			if !t.better(arc, fork) {
				continue
			}
			if fork == a.to {
				return t.ring(arc)
			}
			t.via[a.to] = arc
			improved = true
		}
	}
	return nil
}

// reduce writes a rate in its smallest numbers, which keeps products short.
func (a *ringArc) reduce() {
	x, y := a.get, a.give
	for y != 0 {
		x, y = y, x%y
	}
	a.get, a.give = a.get/x, a.give/x
}

// exceedsOne multiplies a cycle out.
func (g *ringGraph) exceedsOne(cycle []int32) bool {
	var over, under factors
	for _, arc := range cycle {
		over.add(g.arcs[arc].get)
		under.add(g.arcs[arc].give)
	}
	return over.above(&under)
}

// tree holds a way to each node, as the arc that comes last.
type tree struct {
	g    *ringGraph
	via  []int32 // -1 at the root
	seen []int32 // the round in which fork last passed a node
	turn int32
}

// newTree takes the ways with the fewest arcs.
func newTree(g *ringGraph, c component) *tree {
	t := &tree{g: g, via: make([]int32, g.nodes), seen: make([]int32, g.nodes)}
	inside := make([]bool, len(g.arcs))
	for _, arc := range c.arcs {
		inside[arc] = true
	}
	reached := make([]bool, g.nodes)
	queue := []int32{c.nodes[0]}
	reached[c.nodes[0]] = true
	t.via[c.nodes[0]] = -1
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for arc := g.first[n]; arc < g.first[n+1]; arc++ {
			if to := g.arcs[arc].to; inside[arc] && !reached[to] {
				reached[to] = true
				t.via[to] = arc
				queue = append(queue, to)
			}
		}
	}
	return t
}

// up is the node before n on its way; ok is false at the root.
func (t *tree) up(n int32) (before int32, ok bool) {
	if t.via[n] < 0 {
		return n, false
	}
	return t.g.arcs[t.via[n]].from, true
}

// fork finds where the ways to a and b part.
func (t *tree) fork(a, b int32) int32 {
	t.turn++
	for n, ok := a, true; ok; n, ok = t.up(n) {
		t.seen[n] = t.turn
	}
	for t.seen[b] != t.turn {
		b, _ = t.up(b)
	}
	return b
}

// better compares the way to arc.from and on by arc with the way to arc.to.
func (t *tree) better(arc, fork int32) bool {
	var over, under factors
	over.add(t.g.arcs[arc].get)
	under.add(t.g.arcs[arc].give)
	for n := t.g.arcs[arc].from; n != fork; n, _ = t.up(n) {
		a := &t.g.arcs[t.via[n]]
		over.add(a.get)
		under.add(a.give)
	}
	for n := t.g.arcs[arc].to; n != fork; n, _ = t.up(n) {
		a := &t.g.arcs[t.via[n]]
		over.add(a.give)
		under.add(a.get)
	}
	return over.above(&under)
}

// ring lists the cycle that arc closes, beginning with the arc after it.
func (t *tree) ring(arc int32) []int32 {
	ring := []int32{arc}
	for n := t.g.arcs[arc].from; n != t.g.arcs[arc].to; n, _ = t.up(n) {
		ring = append(ring, t.via[n])
	}
	slices.Reverse(ring)
	return ring
}

// factors gathers a product, in single words as long as they hold it.
type factors struct {
	word uint64
	full []*big.Int
}

func (f *factors) add(n uint64) {
	if f.word == 0 {
		f.word = n
		return
	}
	hi, lo := bits.Mul64(f.word, n)
	if hi == 0 {
		f.word = lo
		return
	}
	f.full = append(f.full, new(big.Int).SetUint64(f.word))
	f.word = n
}

// above compares two products.
func (f *factors) above(other *factors) bool {
	if f.full == nil && other.full == nil {
		return f.word > other.word
	}
	return f.product().Cmp(other.product()) > 0
}

// product multiplies by halves, which keeps long products fast.
func (f *factors) product() *big.Int {
	all := f.full
	if f.word != 0 || len(all) == 0 {
		all = append(all, new(big.Int).SetUint64(max(f.word, 1)))
	}
	return multiply(all)
}

func multiply(all []*big.Int) *big.Int {
	if len(all) == 1 {
		return all[0]
	}
	half := len(all) / 2
	return new(big.Int).Mul(multiply(all[:half]), multiply(all[half:]))
}
