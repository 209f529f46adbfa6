package web

import (
	"strconv"
	"strings"

	"github.com/bojanz/currency"
)

// FormatMoney writes an amount of minor units as people of that language do:
// ₦5,000, €20.00, 20,00 €. Decimals are the currency's own (JPY none, KWD
// three); amounts without minor units lose them where the currency's are never
// used in daily life. A game-only code (lagos:cowrie) stands plain after its number.
func FormatMoney(amount int64, code, lang string) string {
	if label, own, ok := strings.Cut(code, ":"); ok && label != "" {
		return groups(amount) + " " + strings.ReplaceAll(own, "_", " ")
	}
	if !currency.IsValid(code) {
		return groups(amount) + " " + code
	}
	digits, _ := currency.GetDigits(code)
	sum, err := currency.NewAmount(plain(amount, digits), code)
	if err != nil {
		return groups(amount) + " " + code
	}
	f := currency.NewFormatter(currency.NewLocale(lang))
	f.CurrencyDisplay = currency.DisplaySymbol
	if own, ok := symbols[code]; ok {
		f.SymbolMap = map[string]string{code: own}
	}
	if small[code] && amount%pow10(digits) == 0 {
		f.MinDigits, f.MaxDigits = 0, 0
	}
	return strings.ReplaceAll(f.Format(sum), "\u2013", "\u2212")
}

// symbols where CLDR writes the code outside the currency's own country, though
// people everywhere know the sign.
var symbols = map[string]string{"NGN": "₦", "GHS": "GH₵", "KES": "KSh"}

// small are currencies whose minor unit has no coin in use.
var small = map[string]bool{"NGN": true, "KES": true, "GHS": true}

// plain writes minor units as a decimal, without floats.
func plain(amount int64, digits uint8) string {
	sign, text := "", strconv.FormatInt(amount, 10)
	if amount < 0 {
		sign, text = "-", text[1:]
	}
	if digits == 0 {
		return sign + text
	}
	for len(text) <= int(digits) {
		text = "0" + text
	}
	cut := len(text) - int(digits)
	return sign + text[:cut] + "." + text[cut:]
}

func groups(amount int64) string {
	text := strconv.FormatInt(amount, 10)
	sign := ""
	if text[0] == '-' {
		sign, text = "−", text[1:]
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return sign + text
}

func pow10(n uint8) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
