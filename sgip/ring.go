package sgip

// Edge is one accepts entry in the graph of conversions: whoever holds Give at
// From can turn it into Get at Host.
type Edge struct {
	From, Host string
	Rate       Rate
}

// Ring finds a cycle of conversions whose rates multiply to more than 1, in
// exact rational arithmetic. It returns the edges of one such cycle in order,
// or nil. A cycle of exactly 1 is allowed.
func Ring(edges []Edge) []Edge { panic("unwritten") }

// DescribeRing names a ring in words, for the refusal of hub.hello@1.
func DescribeRing(ring []Edge) string { panic("unwritten") }
