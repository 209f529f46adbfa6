package vectors

import (
	"slices"

	"sgip.example/starter/sgip"
)

type moneyFile struct {
	About   string       `json:"about"`
	Amounts []amountCase `json:"amounts"`
	Codes   []codeCase   `json:"currencies"`
	Debits  []debitCase  `json:"debits"`
	Shown   []shownCase  `json:"shown"`
	Balance []spendable  `json:"spendable"`
	Refunds []refundCase `json:"refunds"`
	Rings   []ringCase   `json:"rings"`
}

const moneyAbout = "Sections 7.4 and 8.4. Amounts are whole minor units. amounts: is this JSON money at all? debits: what a purchase costs at home, " +
	"rounded up. shown: what home money is worth at the host, rounded down. spendable: the answer to wallet.balance@1. refunds: one charge, refunded " +
	"step by step. rings: would these accepts entries, all taken together, complete a cycle that multiplies to more than 1?"

type money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

func (m money) wire() sgip.Money { return sgip.Money(m) }

type rate struct {
	Give money `json:"give"`
	Get  money `json:"get"`
}

func (r rate) wire() sgip.Rate { return sgip.Rate{Give: r.Give.wire(), Get: r.Get.wire()} }

type amountCase struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	JSON        string `json:"json"`
	Expect      string `json:"expect"`
}

type codeCase struct {
	Code        string `json:"code"`
	Description string `json:"description"`
	Expect      string `json:"expect"`
}

type debitCase struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Rate        rate   `json:"rate"`
	Host        money  `json:"host_amount"`
	Debit       *money `json:"debit,omitempty"`
	Expect      string `json:"expect"`
}

type shownCase struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Rate        rate   `json:"rate"`
	Home        money  `json:"home_amount"`
	Shown       money  `json:"shown"`
}

type spendable struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Rate        rate   `json:"rate"`
	Balance     int64  `json:"home_balance"`
	Budget      int64  `json:"budget_left"`
	Daily       int64  `json:"daily_left"`
	Inflow      int64  `json:"inflow_left"`
	Spendable   money  `json:"spendable"`
}

type refundCase struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Charge      int64        `json:"charge"`
	Debit       int64        `json:"debit"`
	Steps       []refundStep `json:"steps"`
}

type refundStep struct {
	Refund     int64 `json:"refund"`
	Credit     int64 `json:"credit"`
	HostLeft   int64 `json:"remaining"`
	CreditLeft int64 `json:"debit_left"`
}

type ringCase struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Accepts     []accepts `json:"accepts"`
	Ring        bool      `json:"ring"`
}

type accepts struct {
	Host string `json:"host"`
	From string `json:"from"`
	rate
}

func newMoney() (moneyFile, error) {
	return moneyFile{
		About: moneyAbout, Amounts: amounts(), Codes: codes(), Debits: debits(), Shown: shown(), Balance: balances(), Refunds: refunds(), Rings: rings(),
	}, nil
}

func amounts() []amountCase {
	good := func(name, description, text string) amountCase { return amountCase{name, description, text, ok} }
	bad := func(name, description, text string) amountCase {
		return amountCase{name, description, text, string(sgip.InvalidPayload)}
	}
	return []amountCase{
		good("plain", "minor units", `{"amount":500000,"currency":"NGN"}`),
		good("zero", "nothing is an amount; where at least 1 is asked for, the field's own rule says so", `{"amount":0,"currency":"NGN"}`),
		good("largest", "2^53 - 1", `{"amount":9007199254740991,"currency":"NGN"}`),
		good("game_only", "a game's own currency", `{"amount":3,"currency":"lagos:cowrie"}`),
		good("unknown_field", "ignored", `{"amount":3,"currency":"NGN","later":null,"Amount":4}`),
		bad("too_large", "2^53", `{"amount":9007199254740992,"currency":"NGN"}`),
		bad("minus_zero", "no sign", `{"amount":-0,"currency":"NGN"}`),
		bad("negative", "no sign", `{"amount":-1,"currency":"NGN"}`),
		bad("fraction", "no fraction, even of nothing", `{"amount":1.0,"currency":"NGN"}`),
		bad("exponent", "no exponent", `{"amount":1e2,"currency":"NGN"}`),
		bad("million_digits", "no exponent, and no work done on one", `{"amount":1e999999,"currency":"NGN"}`),
		bad("text", "a number", `{"amount":"1","currency":"NGN"}`),
		bad("null_amount", "null is not absence", `{"amount":null,"currency":"NGN"}`),
		bad("no_amount", "absence is not 0", `{"currency":"NGN"}`),
		bad("no_currency", "an amount of something", `{"amount":1}`),
		bad("amount_in_another_case", "names are matched by exact case", `{"Amount":1,"currency":"NGN"}`),
		bad("amount_twice", "nothing stands twice", `{"amount":1,"amount":2,"currency":"NGN"}`),
		bad("bare_number", "money is an object", `500000`),
		bad("null", "money is an object", `null`),
	}
}

func codes() []codeCase {
	good := func(code, description string) codeCase { return codeCase{code, description, ok} }
	bad := func(code, description string) codeCase {
		return codeCase{code, description, string(sgip.InvalidPayload)}
	}
	return []codeCase{
		good("NGN", "three capitals"),
		good("lagos:cowrie", "label and code"),
		good("lagos-1:cow_rie2", "all the letters there may be"),
		good("lagos:0123456789abcdef", "a code of 16"),
		bad("ngn", "capitals"),
		bad("NGNN", "three"),
		bad("N1N", "letters"),
		bad("", "nothing"),
		bad("lagos:", "no code"),
		bad(":cowrie", "no label"),
		bad("lagos:Cowrie", "a code is lower-case"),
		bad("Lagos:cowrie", "a label is lower-case"),
		bad("-lagos:cowrie", "a label begins with a letter or digit"),
		bad("lagos.example:cowrie", "the first label of the name alone"),
		bad("lagos:0123456789abcdefg", "a code of 17"),
		bad("lagos:cow-rie", "a code has no hyphen"),
	}
}

func exchange(give, get int64) rate { return rate{money{give, "NGN"}, money{get, "EUR"}} }

const largest = sgip.MaxAmount

func debits() []debitCase {
	debit := func(name, description string, r rate, host money) debitCase {
		c := debitCase{Name: name, Description: description, Rate: r, Host: host, Expect: ok}
		home, err := r.wire().Debit(host.wire())
		if err != nil {
			c.Expect = string(sgip.CodeOf(err))
			return c
		}
		c.Debit = &money{home.Amount, home.Currency}
		return c
	}
	eur := func(amount int64) money { return money{amount, "EUR"} }
	return []debitCase{
		debit("exact", "350 × 500000 ÷ 1000", exchange(500000, 1000), eur(350)),
		debit("rounded_up", "1000 ÷ 3 is 333.3", exchange(1000, 3), eur(1)),
		debit("rounded_up_by_a_hair", "1 ÷ (2^53 - 1) still costs 1", exchange(1, largest), eur(1)),
		debit("not_rounded_twice", "the product is rounded once, never the rate", exchange(2, 3), eur(3)),
		debit("over_53_bits", "the product needs more bits than a double has", exchange(largest, largest), eur(largest)),
		debit("over_64_bits", "the product needs more than 64 bits", exchange(largest-1, largest), eur(largest-1)),
		debit("largest_result", "2^53 - 1 is allowed", exchange(largest, largest-1), eur(largest-1)),
		debit("too_large_by_one", "a result of 2^53", exchange(largest, largest-1), eur(largest)),
		debit("too_large", "a result far over it", exchange(largest, 1), eur(largest)),
		debit("wraps_64_bits", "a result that is small again modulo 2^64", exchange(1<<52, 1), eur(1<<13)),
		debit("nothing", "a charge is at least 1", exchange(500000, 1000), eur(0)),
		debit("another_currency", "the host's currency of the rate", exchange(500000, 1000), money{350, "USD"}),
		debit("no_decimals", "units are the smallest there are, whatever the currency's decimals", rate{money{3, "KWD"}, money{1500, "JPY"}}, money{1000, "JPY"}),
		debit("game_only", "a game's own currency", rate{money{7, "lagos:cowrie"}, money{2, "berlin:pfand"}}, money{3, "berlin:pfand"}),
	}
}

func shown() []shownCase {
	show := func(name, description string, r rate, home int64) shownCase {
		worth := r.wire().Shown(money{home, r.Give.Currency}.wire())
		return shownCase{name, description, r, money{home, r.Give.Currency}, money{worth.Amount, worth.Currency}}
	}
	return []shownCase{
		show("exact", "2500000 × 1000 ÷ 500000", exchange(500000, 1000), 2500000),
		show("rounded_down", "999 is worth 1.998", exchange(500000, 1000), 999),
		show("too_little", "499 is worth 0.998: nothing to spend", exchange(500000, 1000), 499),
		show("nothing", "nothing", exchange(500000, 1000), 0),
		show("over_53_bits", "the product needs more bits than a double has", exchange(largest-1, largest-2), largest),
		show("capped", "never more than an amount can say", exchange(1, largest), largest),
		show("largest", "one for one", exchange(largest, largest), largest),
	}
}

func balances() []spendable {
	answer := func(name, description string, r rate, balance, budget, daily, inflow int64) spendable {
		home := min(max(balance, 0), budget, daily)
		worth := r.wire().Shown(money{home, r.Give.Currency}.wire())
		return spendable{name, description, r, balance, budget, daily, inflow, money{min(worth.Amount, inflow), worth.Currency}}
	}
	r := exchange(500000, 1000)
	return []spendable{
		answer("balance", "the balance is lowest", r, 1000000, 2500000, 20000000, 200000),
		answer("budget", "the trip budget is lowest", r, 9000000, 2500000, 20000000, 200000),
		answer("daily", "what is left of the daily limit is lowest", r, 9000000, 2500000, 1200999, 200000),
		answer("inflow", "what is left of the host's inflow is lowest, in the host's currency", r, 9000000, 2500000, 20000000, 777),
		answer("nothing_left", "no inflow left", r, 9000000, 2500000, 20000000, 0),
		answer("arrears", "a balance below zero counts as zero", r, -5000, 2500000, 20000000, 200000),
	}
}

func refunds() []refundCase {
	steps := func(name, description string, charge, debit int64, refunds ...int64) refundCase {
		c := refundCase{Name: name, Description: description, Charge: charge, Debit: debit}
		hostLeft, creditLeft := charge, debit
		for _, refund := range refunds {
			credit := sgip.RefundShare(debit, charge, refund, hostLeft, creditLeft)
			hostLeft, creditLeft = hostLeft-refund, creditLeft-credit
			c.Steps = append(c.Steps, refundStep{refund, credit, hostLeft, creditLeft})
		}
		return c
	}
	return []refundCase{
		steps("whole", "all at once gives all back", 350, 175000, 350),
		steps("half", "half and half", 350, 175000, 175, 175),
		steps("thirds", "each share is of the whole debit, rounded down; the last gives what remains", 3, 1000, 1, 1, 1),
		steps("part_only", "what isn't refunded stays taken", 3, 1000, 2),
		steps("shares_of_nothing", "a share of 0 is recorded, and no credit is sent", 100, 1, 1, 98, 1),
		steps("no_drift", "many small refunds", 7, 10, 1, 1, 1, 1, 1, 1, 1),
		steps("largest", "the product needs more than 64 bits", largest, largest, largest-1, 1),
	}
}

func rings() []ringCase {
	ring := func(name, description string, list ...accepts) ringCase {
		edges := make([]sgip.Edge, len(list))
		for i, a := range list {
			edges[i] = sgip.Edge{From: a.From, Host: a.Host, Rate: a.wire()}
		}
		return ringCase{name, description, list, sgip.Ring(edges) != nil}
	}
	take := func(host, get string, getAmount int64, from, give string, giveAmount int64) accepts {
		return accepts{host, from, rate{money{giveAmount, give}, money{getAmount, get}}}
	}
	const lagos, berlin, tokyo = "lagos.example", "berlin.example", "tokyo.example"
	out := take(berlin, "EUR", 1000, lagos, "NGN", 500000)
	back := func(get, give int64) accepts { return take(lagos, "NGN", get, berlin, "EUR", give) }
	inflated := slices.Clone([]accepts{take(berlin, "EUR", largest, lagos, "NGN", largest-1), back(largest, largest)})
	return []ringCase{
		ring("one_way", "no way back", out),
		ring("exactly_1", "there and back at the same rate", out, back(500000, 1000)),
		ring("exactly_1_reduced", "the same rate in smaller numbers", out, back(500, 1)),
		ring("above_1", "500001 for what cost 500000", out, back(500001, 1000)),
		ring("below_1", "a spread", out, back(499999, 1000)),
		ring("barely_above_1", "(2^53 - 1) ÷ (2^53 - 2), which doubles can't tell from 1 once multiplied", inflated...),
		ring("barely_below_1", "(M - 2) × M is less than (M - 1)², by 1", take(berlin, "EUR", largest-2, lagos, "NGN", largest-1), back(largest, largest-1)),
		ring("barely_above_1_again", "(M - 1)² is more than (M - 2) × M, by 1", take(berlin, "EUR", largest-1, lagos, "NGN", largest-2), back(largest-1, largest)),
		ring("three_games", "each pair looks fair", out, take(tokyo, "JPY", 1600, berlin, "EUR", 1000), take(lagos, "NGN", 500001, tokyo, "JPY", 1600)),
		ring("another_currency", "nodes are platform and currency: dollars of Berlin aren't its euros", out, take(lagos, "NGN", 900000, berlin, "USD", 1)),
		ring("same_code_elsewhere", "euros of Tokyo aren't euros of Berlin", out, take(lagos, "NGN", 900000, tokyo, "EUR", 1000)),
		ring("parallel_entries", "the best of several entries counts", out, back(400000, 1000), back(600000, 1000)),
		ring("ring_off_the_path", "a ring anywhere, not only through the first game", out, take(tokyo, "JPY", 2, berlin, "EUR", 1), take(berlin, "EUR", 1, tokyo, "JPY", 1)),
	}
}
