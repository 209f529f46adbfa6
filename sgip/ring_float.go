package sgip

import (
	"math"
	"slices"
)

// slackStep is taken off every arc's gain while potentials are sought, so that
// cycles of exactly 1 don't go round for ever on rounding errors. It is far
// above those errors and far below any real spread; a ring that it hides is
// found by decide.
const slackStep = 0x1p-36

// gainError bounds how far a rounded gain may be off: two logarithms of at most
// 37, each within one unit of the last place (2^-47), and their difference.
const gainError = 0x1p-45

// estimate looks for the largest gain to each node (Bellman-Ford with a queue).
// It returns a ring, checked exactly, or the arcs that may still be part of one.
func (g *ringGraph) estimate(c component) (ring, tight []int32) {
	s := newSpread(g, c)
	for len(s.queue) > 0 {
		n := s.queue[0]
		s.queue = s.queue[1:]
		s.queued[n] = false
		s.relax(n)
		if s.changes < len(c.nodes) {
			continue
		}
		s.changes = 0
		if cycle := s.cycle(); cycle != nil {
			if g.exceedsOne(cycle) {
				return cycle, nil
			}
			break // rounding led in a circle: what has been reached must do
		}
	}
	return nil, s.tight()
}

// spread holds the potentials of one component's nodes.
type spread struct {
	g       *ringGraph
	c       component
	inside  []bool // arcs of the component
	reach   []float64
	via     []int32 // the arc by which a node was reached best, -1 for none
	queue   []int32
	queued  []bool
	changes int
}

func newSpread(g *ringGraph, c component) *spread {
	s := &spread{
		g: g, c: c, inside: make([]bool, len(g.arcs)), reach: make([]float64, g.nodes),
		via: make([]int32, g.nodes), queued: make([]bool, g.nodes),
	}
	for _, arc := range c.arcs {
		s.inside[arc] = true
	}
	for _, n := range c.nodes {
		s.reach[n], s.via[n] = math.Inf(-1), -1
	}
	s.reach[c.nodes[0]] = 0
	s.queue = append(s.queue, c.nodes[0])
	return s
}

func (s *spread) relax(n int32) {
	for arc := s.g.first[n]; arc < s.g.first[n+1]; arc++ {
		if !s.inside[arc] {
			continue
		}
		a := &s.g.arcs[arc]
		reach := s.reach[n] + a.gain - slackStep
		if reach <= s.reach[a.to] {
			continue
		}
		s.reach[a.to], s.via[a.to] = reach, arc
		s.changes++
		if !s.queued[a.to] {
			s.queued[a.to] = true
			s.queue = append(s.queue, a.to)
		}
	}
}

// cycle finds a circle among the best arcs, which is where a ring shows.
func (s *spread) cycle() []int32 {
	mark := make([]int32, s.g.nodes)
	for i, start := range s.c.nodes {
		round := int32(i + 1)
		n := start
		for mark[n] == 0 && s.via[n] >= 0 {
			mark[n] = round
			n = s.g.arcs[s.via[n]].from
		}
		if mark[n] == round && s.via[n] >= 0 {
			return s.unwind(n)
		}
	}
	return nil
}

// unwind lists the circle through n in the direction of the arcs.
func (s *spread) unwind(n int32) []int32 {
	var cycle []int32
	for at := n; ; {
		arc := s.via[at]
		cycle = append(cycle, arc)
		if at = s.g.arcs[arc].from; at == n {
			slices.Reverse(cycle)
			return cycle
		}
	}
}

// tight returns the arcs that a ring could be made of. Take any numbers p, one
// for each node, and call p(to) − p(from) − gain an arc's slack: round a cycle
// the slacks add up to minus its gains, so a ring's slacks add up to less than
// 0. If no slack is below −low, then none in a ring of n arcs is above n × low.
// Every bound below is widened by what floats may be off.
func (s *spread) tight() []int32 {
	slacks := make([]float64, len(s.c.arcs))
	lowest, far := 0.0, 0.0
	for i, arc := range s.c.arcs {
		a := &s.g.arcs[arc]
		slacks[i] = s.reach[a.to] - s.reach[a.from] - a.gain
		lowest = min(lowest, slacks[i])
		far = max(far, math.Abs(s.reach[a.to]))
	}
	off := gainError + (2*far+64)*0x1p-51
	bound := float64(len(s.c.nodes))*(off-lowest)*1.001 + off
	var tight []int32
	for i, arc := range s.c.arcs {
		if !(slacks[i] > bound) { // NaN and Inf, if ever, stay in
			tight = append(tight, arc)
		}
	}
	return tight
}
