package town

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
	"unicode"

	"github.com/bojanz/currency"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
	"sgip.example/starter/web"
)

// trouble is an error in words: what happened, that nothing was lost, what to do.
type trouble struct{ What, Safe, Next string }

// pass is one boarding-pass card of the travel desk.
type pass struct {
	ID, Name, Icon, Description string
	Anchor                      string // the id as an HTML id
	Passenger                   string
	FromCode, ToCode            string
	Ink                         int // of the host's stamp
	Open, Away, Embed           bool
	Gate, Why                   string
	Rates                       []string // "₦5,000 buys €10"
	Dial                        *dial    // nil: no money goes along
	NoMoney                     string   // why not
}

// dial chooses a budget in home money. Amounts are in minor units.
type dial struct {
	Sign, Typed      string
	Max, Step, Start int64
	Digits           int
	Currency         string
	Give, Get        int64
	GetDigits        int
	GetCurrency      string
	Buys             string // "₦10,000, about €20"
}

// purse is what a traveller has at home: nil balance, no wallet abroad.
type purse struct {
	Balance, Daily sgip.Money
	Known          bool
}

// newPass lays one destination out. from is the home town's name.
func newPass(d bridge.Destination, from, passenger, lang string, p purse) pass {
	v := pass{
		ID: d.ID, Name: d.Name, Icon: iconOr(d.Icon), Description: d.Description, Anchor: anchor(d.ID),
		Passenger: passenger, FromCode: cityCode(from), ToCode: cityCode(d.Name), Ink: stampInk(d.ID, d.Icon),
		Open: d.Welcome, Embed: d.Embed,
	}
	switch {
	case !d.Welcome:
		v.Gate, v.Why = "Closed to travellers from "+from, orElse(d.Why, d.Name+" chooses whom it takes in, and doesn't take travellers from "+from+" right now.")
	case !d.Online:
		v.Away, v.Gate, v.Why = true, "Silent just now", orElse(d.Why, d.Name+" didn't answer last time. You can try; it may be back.")
	default:
		v.Gate = "Open, you are welcome"
	}
	for _, x := range d.Pay {
		v.Rates = append(v.Rates, words(x.Give, lang)+" buys "+words(x.Get, lang))
	}
	if p.Known && len(d.Pay) > 0 {
		v.NoMoney = "Your pocket is empty, so you go without money: looking around costs nothing."
		v.Dial = newDial(d.Pay[0], p, lang)
	} else {
		v.NoMoney = "Your money isn't taken there, so it stays home: looking around costs nothing."
	}
	return v
}

// dialSteps is how many stops a dial has, about: enough to choose, few enough to hit.
const dialSteps = 40

// newDial sets a dial up to what can be spent at all today; nil for an empty pocket.
func newDial(x bridge.Exchange, p purse, lang string) *dial {
	most := p.Balance.Amount
	if p.Daily.Amount > 0 {
		most = min(most, p.Daily.Amount)
	}
	if x.Inflow.Amount > 0 {
		most = min(most, scale(x.Inflow.Amount, x.Give.Amount, x.Get.Amount))
	}
	digits := currencyDigits(x.Give.Currency)
	step := niceStep(most/dialSteps, digits)
	most -= most % step
	if most <= 0 {
		return nil
	}
	start := max(most/4/step*step, step)
	d := &dial{
		Sign: currencySign(x.Give.Currency, lang), Max: most, Step: step, Start: start, Digits: digits, Currency: x.Give.Currency,
		Give: x.Give.Amount, Get: x.Get.Amount, GetDigits: currencyDigits(x.Get.Currency), GetCurrency: x.Get.Currency,
	}
	d.Typed = plainAmount(start, digits)
	d.Buys = buys(x, start, lang)
	return d
}

// buys says what an amount of home money is worth there, never more than it is.
func buys(x bridge.Exchange, amount int64, lang string) string {
	there := sgip.Money{Amount: scale(amount, x.Get.Amount, x.Give.Amount), Currency: x.Get.Currency}
	return words(sgip.Money{Amount: amount, Currency: x.Give.Currency}, lang) + ", about " + words(there, lang)
}

// niceStep is the smallest of 1, 2 and 5 times a power of ten that is at least
// about, and not under a whole unit of the currency.
func niceStep(about int64, digits int) int64 {
	power := int64(1)
	for range digits {
		power *= 10
	}
	for ; power < sgip.MaxAmount/10; power *= 10 {
		for _, n := range []int64{1, 2, 5} {
			if n*power >= about {
				return n * power
			}
		}
	}
	return power
}

// scale is amount × up ÷ down rounded down, at most sgip.MaxAmount.
func scale(amount, up, down int64) int64 {
	if down <= 0 {
		return 0
	}
	v := new(big.Int).Mul(big.NewInt(amount), big.NewInt(up))
	v.Quo(v, big.NewInt(down))
	if !v.IsInt64() || v.Int64() > sgip.MaxAmount {
		return sgip.MaxAmount
	}
	return v.Int64()
}

// readAmount turns what a person typed ("10,000", "₦ 2 500.50") into minor
// units; empty is 0. ok is false for anything that could mean two things.
func readAmount(typed, code, lang string) (minor int64, ok bool) {
	text := strings.TrimSpace(typed)
	text = strings.TrimPrefix(text, currencySign(code, lang))
	text = strings.TrimSpace(strings.TrimPrefix(text, code))
	if text == "" {
		return 0, true
	}
	whole, part, _ := strings.Cut(text, ".")
	digits := currencyDigits(code)
	if len(part) > digits {
		return 0, false
	}
	whole, ok = ungroup(whole)
	if !ok || whole == "" {
		return 0, false
	}
	all := whole + part + strings.Repeat("0", digits-len(part))
	for _, r := range all {
		if r < '0' || r > '9' {
			return 0, false
		}
		minor = minor*10 + int64(r-'0')
		if minor > sgip.MaxAmount {
			return 0, false
		}
	}
	return minor, true
}

// ungroup takes thousands marks out. A comma must stand before three digits:
// "1,5" would be one and a half to some and fifteen to others.
func ungroup(whole string) (string, bool) {
	parts := strings.FieldsFunc(whole, func(r rune) bool { return r == ',' || r == '_' || r == '\'' || unicode.IsSpace(r) })
	for _, p := range parts[min(1, len(parts)):] {
		if len(p) != 3 {
			return "", false
		}
	}
	return strings.Join(parts, ""), true
}

// Words writes amounts of a town's money as people say them, for game.World.Words.
func Words(w *game.World) func(amount int64) string {
	return func(amount int64) string { return words(sgip.Money{Amount: amount, Currency: w.Currency}, w.Language) }
}

// words writes money as people say it: no ".00".
func words(m sgip.Money, lang string) string {
	text := web.FormatMoney(m.Amount, m.Currency, lang)
	digits := currencyDigits(m.Currency)
	if digits == 0 || m.Amount%pow10(digits) != 0 {
		return text
	}
	for _, mark := range []string{".", ",", "٫"} {
		decimals := mark + strings.Repeat("0", digits)
		i := strings.LastIndex(text, decimals)
		if i < 0 {
			continue
		}
		rest := text[i+len(decimals):]
		if rest == "" || rest[0] < '0' || rest[0] > '9' { // else it is a thousands mark
			return text[:i] + rest
		}
	}
	return text
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// currencyDigits is 0 for game-only money, whose minor unit is its only one to others.
func currencyDigits(code string) int {
	digits, ok := currency.GetDigits(code)
	if !ok {
		return 0
	}
	return int(digits)
}

func currencySign(code, lang string) string {
	sign, ok := currency.GetSymbol(code, currency.NewLocale(lang))
	if !ok {
		_, short, _ := strings.Cut(code, ":")
		return orElse(short, code)
	}
	return sign
}

// plainAmount is what stands in the field, as someone would type it.
func plainAmount(minor int64, digits int) string {
	whole, part := minor/pow10(digits), minor%pow10(digits)
	text := fmt.Sprint(whole)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if part == 0 {
		return text
	}
	return fmt.Sprintf("%s.%0*d", text, digits, part)
}

// cityCode is three letters for the big print of a boarding pass.
func cityCode(name string) string {
	var code []rune
	for _, r := range strings.ToUpper(name) {
		if unicode.IsLetter(r) && len(code) < 3 {
			code = append(code, r)
		}
	}
	return string(code)
}

// anchor makes a platform id usable as an HTML id.
func anchor(id string) string { return strings.NewReplacer(".", "-", ":", "-").Replace(id) }

func iconOr(icon string) string { return orElse(icon, "🎟️") }

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// stampInk is the ink of a game's stamp, for what else bears its colour.
func stampInk(id, icon string) int { return int(stampSeed(id, icon)[1]) % stampInks }

func stampSeed(id, icon string) [sha256.Size]byte { return sha256.Sum256([]byte(id + "\x00" + icon)) }

// setOffTrouble puts a refused departure into words.
func setOffTrouble(err *sgip.Error, host, home string) trouble {
	nothing := "Nothing was spent, and you are still in " + home + "."
	switch err.Code {
	case sgip.Forbidden:
		return trouble{host + " won't take this trip", nothing, "It may have closed its gates or stopped taking your money a moment ago. Look at the board again, or go without money."}
	case sgip.NotFound, sgip.OpUnsupported:
		return trouble{host + " isn't on the board any more", nothing, "Pick another town, or look again later."}
	case sgip.RateLimited:
		return trouble{"The passport office is busy", nothing, waitWords(err.RetryAfter)}
	case sgip.PlatformOffline:
		return trouble{"The passport office doesn't answer", nothing, "Wait a minute and set off again."}
	case sgip.InvalidPayload:
		return trouble{"The passport office couldn't read this request", nothing, "Check the amount and set off again."}
	}
	return trouble{"Something broke at the desk", nothing, "Set off again in a moment."}
}

func waitWords(seconds int) string {
	if seconds <= 0 {
		return "Try again in a moment."
	}
	return fmt.Sprintf("Try again in %d seconds.", seconds)
}
