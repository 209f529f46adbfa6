package sgip

import (
	"fmt"
	"math/big"
	"strings"
)

// Edge is one accepts entry in the graph of conversions: whoever holds Give at
// From can turn it into Get at Host.
type Edge struct {
	From, Host string
	Rate       Rate
}

// Ring finds a cycle of conversions whose rates multiply to more than 1, in
// exact rational arithmetic. It returns the edges of one such cycle in order,
// or nil. A cycle of exactly 1 is allowed.
//
// Nodes are (platform, currency). The work is done by strongly connected
// components, in two steps. Logarithms in floating point find a cycle that is
// well above 1, or potentials that prove most edges harmless, with a bound on
// their own error; what they can't tell apart is decided by whole numbers.
func Ring(edges []Edge) []Edge {
	g := newRingGraph(edges)
	for _, component := range g.components(g.all()) {
		if ring := g.search(component); ring != nil {
			found := make([]Edge, len(ring))
			for i, e := range ring {
				found[i] = edges[g.arcs[e].index]
			}
			return found
		}
	}
	return nil
}

// maxDescribed is how many conversions of a ring are named in a message; a
// longer one is cut in the middle of the journey.
const maxDescribed = 6

// DescribeRing names a ring in words, for the refusal of hub.hello@1.
func DescribeRing(ring []Edge) string {
	if len(ring) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s", ring[0].Rate.Give.Currency, ring[0].From)
	for i, e := range ring {
		if i >= maxDescribed-1 && i < len(ring)-1 {
			if i == maxDescribed-1 {
				fmt.Fprintf(&b, ", through %d more conversions", len(ring)-maxDescribed)
			}
			continue
		}
		fmt.Fprintf(&b, ", to %s of %s (%d buys %d)", e.Rate.Get.Currency, e.Host, e.Rate.Give.Amount, e.Rate.Get.Amount)
	}
	return b.String() + gain(ring)
}

// gain tells what a round makes of 100, where decimals can show it.
func gain(ring []Edge) string {
	over, under := product(ring)
	round := new(big.Rat).SetFrac(over.Mul(over, big.NewInt(100)), under)
	if text := round.FloatString(2); text != "100.00" && len(text) < 20 {
		return ": each round makes " + text + " of 100"
	}
	return ": each round makes more than it began with"
}

// product multiplies what a chain of conversions gets and what it gives.
func product(chain []Edge) (gets, gives *big.Int) {
	var over, under factors
	for _, e := range chain {
		over.add(uint64(e.Rate.Get.Amount))
		under.add(uint64(e.Rate.Give.Amount))
	}
	return over.product(), under.product()
}
