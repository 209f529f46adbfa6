package sgip

// MaxAmount is the largest amount on the wire, 2^53 - 1 minor units.
const MaxAmount = 1<<53 - 1

// Money is an amount in whole minor units of a currency (section 8.4). Its
// UnmarshalJSON accepts plain digits only.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Rate buys Get in the host's currency for Give in the home currency.
type Rate struct {
	Give Money `json:"give"`
	Get  Money `json:"get"`
}

// Debit is what a purchase of host costs at home, rounded up so that no charge
// costs nothing (7.4). InvalidPayload if the result is over MaxAmount or host
// is below 1 or not in Get's currency.
func (r Rate) Debit(host Money) (Money, error) { panic("unwritten") }

// Shown is what home money is worth at the host, rounded down, capped at MaxAmount.
func (r Rate) Shown(home Money) Money { panic("unwritten") }

// RefundShare is the credit for refunding refund of a charge: debit × refund ÷
// charge rounded down, or all of creditLeft when the refund completes the
// charge (refund == hostLeft).
func RefundShare(debit, charge, refund, hostLeft, creditLeft int64) int64 { panic("unwritten") }

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

// ValidCurrency reports the form of a currency code: three capitals, or
// <label>:<code>.
func ValidCurrency(code string) bool { panic("unwritten") }
