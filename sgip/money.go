package sgip

import (
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxAmount is the largest amount on the wire, 2^53 - 1 minor units.
const MaxAmount = 1<<53 - 1

// maxGameCode is the longest code of a game-only currency (contract 0).
const maxGameCode = 16

// Money is an amount in whole minor units of a currency (section 8.4). Its
// UnmarshalJSON accepts plain digits only.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// UnmarshalJSON reads an amount and its currency, both of which must be there.
// Null, a sign, a fraction, an exponent and more than MaxAmount are InvalidPayload.
func (m *Money) UnmarshalJSON(raw []byte) error {
	o, err := readObject(raw, MaxBody)
	if err != nil {
		return err
	}
	*m, err = o.money()
	return err
}

// moneyOf reads a value, already checked as part of a body, that must be money.
func moneyOf(field string, v jsontext.Value) (Money, error) {
	o, err := nested(field, v)
	if err != nil {
		return Money{}, err
	}
	m, err := o.money()
	if err != nil {
		return Money{}, Wrap(InvalidPayload, err, field+": must be money")
	}
	return m, nil
}

func (o object) money() (Money, error) {
	amount, err := o.integer("amount")
	if err != nil {
		return Money{}, err
	}
	currency, err := o.text("currency")
	if err != nil {
		return Money{}, err
	}
	if !ValidCurrency(currency) {
		return Money{}, Errorf(InvalidPayload, "currency: must be three capitals or <label>:<code>")
	}
	return Money{Amount: amount, Currency: currency}, nil
}

// Rate buys Get in the host's currency for Give in the home currency.
type Rate struct {
	Give Money `json:"give"`
	Get  Money `json:"get"`
}

// Debit is what a purchase of host costs at home, rounded up so that no charge
// costs nothing (7.4). InvalidPayload if the result is over MaxAmount or host
// is below 1 or not in Get's currency.
func (r Rate) Debit(host Money) (Money, error) {
	if host.Currency != r.Get.Currency {
		return Money{}, Errorf(InvalidPayload, "amount.currency: must be %s", r.Get.Currency)
	}
	if host.Amount < 1 || host.Amount > MaxAmount || !r.valid() {
		return Money{}, Errorf(InvalidPayload, "amount: must be at least 1 and at most %d", int64(MaxAmount))
	}
	home, rest, ok := mulDiv(host.Amount, r.Give.Amount, r.Get.Amount)
	if ok && rest {
		home++
	}
	if !ok || home > MaxAmount {
		return Money{}, Errorf(InvalidPayload, "amount: comes to more than %d at home", int64(MaxAmount))
	}
	return Money{Amount: home, Currency: r.Give.Currency}, nil
}

// Shown is what home money is worth at the host, rounded down, capped at
// MaxAmount; nothing for arrears and for another currency than Give's.
func (r Rate) Shown(home Money) Money {
	shown := Money{Currency: r.Get.Currency}
	if home.Currency != r.Give.Currency || home.Amount < 1 || !r.valid() {
		return shown
	}
	worth, _, ok := mulDiv(min(home.Amount, MaxAmount), r.Get.Amount, r.Give.Amount)
	if !ok {
		worth = MaxAmount
	}
	shown.Amount = min(worth, MaxAmount)
	return shown
}

// valid wants both sides of a rate from 1 to MaxAmount: a side of 0 would give
// money away or divide by nothing.
func (r Rate) valid() bool {
	return r.Give.Amount >= 1 && r.Give.Amount <= MaxAmount && r.Get.Amount >= 1 && r.Get.Amount <= MaxAmount
}

// RefundShare is the credit for refunding refund of a charge: debit × refund ÷
// charge rounded down, or all of creditLeft when the refund completes the
// charge (refund == hostLeft).
func RefundShare(debit, charge, refund, hostLeft, creditLeft int64) int64 {
	if refund == hostLeft {
		return creditLeft
	}
	if debit < 1 || charge < 1 || refund < 1 {
		return 0
	}
	share, _, ok := mulDiv(debit, refund, charge)
	if !ok {
		return creditLeft
	}
	return min(share, creditLeft)
}

// mulDiv is a × b ÷ c rounded down, over 128 bits, for positive numbers; rest
// says whether something was cut off, ok whether the result fits an int64.
func mulDiv(a, b, c int64) (quotient int64, rest, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 0, false, false
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	if q > 1<<63-1 {
		return 0, false, false
	}
	return int64(q), r > 0, true
}

// ValidCurrency reports the form of a currency code: three capitals, or
// <label>:<code>.
func ValidCurrency(code string) bool {
	label, own, gameOnly := strings.Cut(code, ":")
	if gameOnly {
		return validLabel(label) && own != "" && len(own) <= maxGameCode && strings.Trim(own, gameCodeBytes) == ""
	}
	return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

const gameCodeBytes = "abcdefghijklmnopqrstuvwxyz0123456789_"
