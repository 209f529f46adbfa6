package sgip

import (
	"math"
	"slices"
)

// ringArc is an edge between numbered nodes. gain is log(get ÷ give), rounded.
type ringArc struct {
	index     int32 // of the Edge
	from, to  int32
	get, give uint64
	gain      float64
}

// ringGraph is the network of conversions with its arcs sorted by from.
type ringGraph struct {
	nodes int
	arcs  []ringArc
	first []int32 // the arcs of node n are arcs[first[n]:first[n+1]]
}

// component is a part of the graph in which every node reaches every other.
// Only the arcs inside it can be part of a ring.
type component struct {
	nodes []int32
	arcs  []int32
}

// holding is a node: a currency at a platform.
type holding struct{ platform, currency string }

// newRingGraph numbers the nodes. Rates outside 1 to MaxAmount never reach a
// hub's book; such an edge is left out.
func newRingGraph(edges []Edge) *ringGraph {
	numbers := make(map[holding]int32, len(edges))
	number := func(platform, currency string) int32 {
		key := holding{platform, currency}
		n, ok := numbers[key]
		if !ok {
			n = int32(len(numbers))
			numbers[key] = n
		}
		return n
	}
	arcs := make([]ringArc, 0, len(edges))
	for i := range edges {
		e := &edges[i]
		if !e.Rate.valid() {
			continue
		}
		arcs = append(arcs, ringArc{
			index: int32(i), from: number(e.From, e.Rate.Give.Currency), to: number(e.Host, e.Rate.Get.Currency),
			get: uint64(e.Rate.Get.Amount), give: uint64(e.Rate.Give.Amount),
		})
	}
	return sortArcs(arcs, len(numbers))
}

// sortArcs sorts by from, by counting.
func sortArcs(arcs []ringArc, nodes int) *ringGraph {
	g := &ringGraph{nodes: nodes, arcs: make([]ringArc, len(arcs)), first: make([]int32, nodes+1)}
	for i := range arcs {
		g.first[arcs[i].from+1]++
	}
	for n := range nodes {
		g.first[n+1] += g.first[n]
	}
	next := slices.Clone(g.first)
	for i := range arcs {
		at := &next[arcs[i].from]
		g.arcs[*at] = arcs[i]
		*at++
	}
	return g
}

// all takes every arc into account.
func (g *ringGraph) all() func(arc int32) bool { return func(int32) bool { return true } }

// components finds the strongly connected components of the arcs in use that
// have an arc inside them (Tarjan's algorithm, without recursion).
func (g *ringGraph) components(use func(arc int32) bool) []component {
	t := tarjan{
		g: g, use: use, order: make([]int32, g.nodes), low: make([]int32, g.nodes),
		comp: make([]int32, g.nodes), next: slices.Clone(g.first[:g.nodes]),
	}
	for n := range int32(g.nodes) {
		if t.order[n] == 0 {
			t.visit(n)
		}
	}
	return t.collect()
}

type tarjan struct {
	g     *ringGraph
	use   func(arc int32) bool
	order []int32 // 0 for a node not met yet
	low   []int32
	comp  []int32 // from 1; 0 while undecided
	next  []int32 // the arc to look at next
	path  []int32
	stack []int32
	seen  int32
	comps int32
}

func (t *tarjan) enter(n int32) {
	t.seen++
	t.order[n], t.low[n] = t.seen, t.seen
	t.path = append(t.path, n)
	t.stack = append(t.stack, n)
}

func (t *tarjan) visit(root int32) {
	t.enter(root)
	for len(t.path) > 0 {
		n := t.path[len(t.path)-1]
		if t.next[n] == t.g.first[n+1] {
			t.leave(n)
			continue
		}
		arc := t.next[n]
		t.next[n]++
		if !t.use(arc) {
			continue
		}
		switch to := t.g.arcs[arc].to; {
		case t.order[to] == 0:
			t.enter(to)
		case t.comp[to] == 0:
			t.low[n] = min(t.low[n], t.order[to])
		}
	}
}

func (t *tarjan) leave(n int32) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		parent := t.path[len(t.path)-1]
		t.low[parent] = min(t.low[parent], t.low[n])
	}
	if t.low[n] != t.order[n] {
		return
	}
	t.comps++
	for {
		member := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.comp[member] = t.comps
		if member == n {
			return
		}
	}
}

func (t *tarjan) collect() []component {
	byNumber := make([]component, t.comps)
	for i := range t.g.arcs {
		a := &t.g.arcs[i]
		if c := t.comp[a.from]; c == t.comp[a.to] && t.use(int32(i)) {
			byNumber[c-1].arcs = append(byNumber[c-1].arcs, int32(i))
		}
	}
	for n, c := range t.comp {
		if byNumber[c-1].arcs != nil {
			byNumber[c-1].nodes = append(byNumber[c-1].nodes, int32(n))
		}
	}
	return slices.DeleteFunc(byNumber, func(c component) bool { return c.arcs == nil })
}

// search looks for a ring in a component: by floats, then exactly among the
// arcs that floats can't clear.
func (g *ringGraph) search(c component) []int32 {
	for _, arc := range c.arcs {
		a := &g.arcs[arc]
		a.gain = math.Log(float64(a.get)) - math.Log(float64(a.give))
	}
	ring, tight := g.estimate(c)
	if ring != nil || len(tight) == 0 {
		return ring
	}
	open := make([]bool, len(g.arcs))
	for _, arc := range tight {
		open[arc] = true
	}
	for _, part := range g.components(func(arc int32) bool { return open[arc] }) {
		if ring := g.decide(part); ring != nil {
			return ring
		}
	}
	return nil
}
