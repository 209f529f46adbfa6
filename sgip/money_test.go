package sgip

import (
	stdjson "encoding/json"
	"math/big"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

// naira buys ten euros for five thousand naira, in minor units.
var naira = Rate{Give: Money{500000, "NGN"}, Get: Money{1000, "EUR"}}

func TestMoney_Unmarshal(t *testing.T) {
	read := map[string]func([]byte, any) error{
		"v2": func(b []byte, v any) error { return json.Unmarshal(b, v) },
		"v1": stdjson.Unmarshal,
	}
	for name, unmarshal := range read {
		for body, want := range map[string]Money{
			`{"amount":0,"currency":"NGN"}`:                           {0, "NGN"},
			`{"currency":"lagos:cowrie_1","amount":9007199254740991}`: {MaxAmount, "lagos:cowrie_1"},
			`{"amount":1,"currency":"NGN","Amount":7,"later":null}`:   {1, "NGN"},
		} {
			var m Money
			if err := unmarshal([]byte(body), &m); err != nil || m != want {
				t.Errorf("%s %s: %v %v", name, body, m, err)
			}
		}
		for _, body := range []string{
			`null`, `{}`, `5`, `"5"`, `[]`,
			`{"amount":1}`, `{"currency":"NGN"}`, `{"amount":null,"currency":"NGN"}`, `{"amount":1,"currency":null}`,
			`{"amount":-0,"currency":"NGN"}`, `{"amount":-1,"currency":"NGN"}`, `{"amount":1.0,"currency":"NGN"}`, `{"amount":1e2,"currency":"NGN"}`,
			`{"amount":"1","currency":"NGN"}`, `{"amount":9007199254740992,"currency":"NGN"}`, `{"amount":1e999999,"currency":"NGN"}`,
			`{"amount":1,"currency":"ngn"}`, `{"amount":1,"currency":""}`, `{"amount":1,"amount":2,"currency":"NGN"}`, `{"Amount":1,"currency":"NGN"}`,
		} {
			var m Money
			if err := unmarshal([]byte(body), &m); err == nil {
				t.Errorf("%s takes %s as %v", name, body, m)
			}
		}
	}
}

func TestCurrency_Valid(t *testing.T) {
	for code, want := range map[string]bool{
		"NGN": true, "EUR": true, "lagos:cowrie": true, "lagos-1:c": true, "0a:c_1": true, "lagos:0123456789abcdef": true,
		"": false, "NG": false, "NGNN": false, "ngn": false, "NG1": false, "N G": false, "ÄÖÜ": false, "lagos:": false, ":cowrie": false,
		"Lagos:cowrie": false, "lagos:Cowrie": false, "lagos:cow-rie": false, "-lagos:cowrie": false, "lagos:0123456789abcdefg": false,
		"lagos.example:cowrie": false, "lagos:a:b": false, "NGN\n": false,
	} {
		if got := ValidCurrency(code); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}

func TestRate_Debit(t *testing.T) {
	rate := func(give, get int64) Rate { return Rate{Money{give, "NGN"}, Money{get, "EUR"}} }
	for _, c := range []struct {
		name string
		rate Rate
		host Money
		want int64
		code Code
	}{
		{"exactly", naira, Money{350, "EUR"}, 175000, ""},
		{"rounded up", rate(1000, 3), Money{1, "EUR"}, 334, ""},
		{"never nothing", rate(1, MaxAmount), Money{1, "EUR"}, 1, ""},
		{"the largest, exactly", rate(MaxAmount, MaxAmount), Money{MaxAmount, "EUR"}, MaxAmount, ""},
		{"the largest, rounded up to it", rate(MaxAmount-1, MaxAmount), Money{MaxAmount, "EUR"}, MaxAmount - 1, ""},
		{"too large by rounding up", rate(MaxAmount, MaxAmount-1), Money{MaxAmount - 1, "EUR"}, MaxAmount, ""},
		{"too large by one", rate(MaxAmount, MaxAmount-1), Money{MaxAmount, "EUR"}, 0, InvalidPayload},
		{"far too large", rate(MaxAmount, 1), Money{MaxAmount, "EUR"}, 0, InvalidPayload},
		{"over 64 bits", rate(MaxAmount, 1), Money{4096, "EUR"}, 0, InvalidPayload},
		{"nothing", naira, Money{0, "EUR"}, 0, InvalidPayload},
		{"less than nothing", naira, Money{-1, "EUR"}, 0, InvalidPayload},
		{"over the largest", rate(1, MaxAmount), Money{MaxAmount + 1, "EUR"}, 0, InvalidPayload},
		{"another currency", naira, Money{1, "NGN"}, 0, InvalidPayload},
		{"a rate that gives nothing", rate(0, 1), Money{1, "EUR"}, 0, InvalidPayload},
		{"a rate that gets nothing", rate(1, 0), Money{1, "EUR"}, 0, InvalidPayload},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.rate.Debit(c.host)
			wantCode(t, err, c.code)
			if err == nil && got != (Money{c.want, "NGN"}) {
				t.Errorf("got %v, want %d", got, c.want)
			}
		})
	}
}

func TestRate_Shown(t *testing.T) {
	rate := func(give, get int64) Rate { return Rate{Money{give, "NGN"}, Money{get, "EUR"}} }
	for _, c := range []struct {
		name string
		rate Rate
		home Money
		want int64
	}{
		{"exactly", naira, Money{2500000, "NGN"}, 5000},
		{"rounded down", naira, Money{999, "NGN"}, 1},
		{"too little to show", naira, Money{499, "NGN"}, 0},
		{"nothing", naira, Money{0, "NGN"}, 0},
		{"arrears", naira, Money{-5000, "NGN"}, 0},
		{"another currency", naira, Money{5000, "USD"}, 0},
		{"capped", rate(1, 2), Money{MaxAmount, "NGN"}, MaxAmount},
		{"capped over 64 bits", rate(1, MaxAmount), Money{MaxAmount, "NGN"}, MaxAmount},
		{"the largest", rate(MaxAmount, MaxAmount), Money{MaxAmount, "NGN"}, MaxAmount},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.rate.Shown(c.home); got != (Money{c.want, "EUR"}) {
				t.Errorf("got %v, want %d", got, c.want)
			}
		})
	}
}

func TestRefundShare_Act(t *testing.T) {
	for _, c := range []struct {
		name                                        string
		debit, charge, refund, hostLeft, creditLeft int64
		want                                        int64
	}{
		{"all at once", 334, 1, 1, 1, 334, 334},
		{"half", 1000, 10, 5, 10, 1000, 500},
		{"rounded down", 1000, 3, 1, 3, 1000, 333},
		{"again", 1000, 3, 1, 2, 667, 333},
		{"the last gives what remains", 1000, 3, 1, 1, 334, 334},
		{"a share of nothing", 1, 100, 1, 100, 1, 0},
		{"the last of shares of nothing", 1, 100, 99, 99, 1, 1},
		{"the largest", MaxAmount, MaxAmount, MaxAmount - 1, MaxAmount, MaxAmount, MaxAmount - 1},
	} {
		if got := RefundShare(c.debit, c.charge, c.refund, c.hostLeft, c.creditLeft); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// amount draws across all sizes up to the largest.
func amount() *rapid.Generator[int64] {
	return rapid.Custom(func(t *rapid.T) int64 {
		top := int64(1) << rapid.IntRange(0, 53).Draw(t, "bits")
		return rapid.Int64Range(1, min(top, MaxAmount)).Draw(t, "amount")
	})
}

func TestRate_ExactForAllAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{Money{amount().Draw(t, "give"), "NGN"}, Money{amount().Draw(t, "get"), "EUR"}}
		n := amount().Draw(t, "n")
		exact := new(big.Int).Mul(big.NewInt(n), big.NewInt(r.Give.Amount))
		up := new(big.Int).Div(new(big.Int).Add(exact, big.NewInt(r.Get.Amount-1)), big.NewInt(r.Get.Amount))
		got, err := r.Debit(Money{n, "EUR"})
		if fits := up.Cmp(big.NewInt(MaxAmount)) <= 0; fits != (err == nil) {
			t.Fatalf("%s fits: %v, but %v", up, fits, err)
		}
		if err == nil && up.Cmp(big.NewInt(got.Amount)) != 0 {
			t.Fatalf("debit %d, want %s", got.Amount, up)
		}
		down := new(big.Int).Div(new(big.Int).Mul(big.NewInt(n), big.NewInt(r.Get.Amount)), big.NewInt(r.Give.Amount))
		want := int64(MaxAmount)
		if down.Cmp(big.NewInt(MaxAmount)) < 0 {
			want = down.Int64()
		}
		if got := r.Shown(Money{n, "NGN"}); got.Amount != want {
			t.Fatalf("shown %d, want %d", got.Amount, want)
		}
	})
}

// What is shown can be spent: charging all of it never takes more than is there.
func TestRate_ShownCanBeSpent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{Money{amount().Draw(t, "give"), "NGN"}, Money{amount().Draw(t, "get"), "EUR"}}
		home := Money{amount().Draw(t, "home"), "NGN"}
		shown := r.Shown(home)
		if shown.Amount == 0 {
			return
		}
		cost, err := r.Debit(shown)
		if err != nil || cost.Amount > home.Amount {
			t.Fatalf("%d is shown for %d, but costs %d (%v)", shown.Amount, home.Amount, cost.Amount, err)
		}
	})
}

// However a purchase is split, the parts never cost less than the whole.
func TestRate_SplitsCostNoLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{Money{rapid.Int64Range(1, 1000000).Draw(t, "give"), "NGN"}, Money{rapid.Int64Range(1, 1000000).Draw(t, "get"), "EUR"}}
		parts := rapid.SliceOfN(rapid.Int64Range(1, 100000), 1, 10).Draw(t, "parts")
		whole, sum := Money{0, "EUR"}, int64(0)
		for _, part := range parts {
			cost, err := r.Debit(Money{part, "EUR"})
			if err != nil {
				t.Fatal(err)
			}
			whole.Amount += part
			sum += cost.Amount
		}
		if once, err := r.Debit(whole); err != nil || sum < once.Amount {
			t.Fatalf("%v cost %d in parts, %d at once (%v)", parts, sum, once.Amount, err)
		}
	})
}

// Partial refunds never give back more than was taken, never less than nothing,
// and all of it once the charge is refunded whole.
func TestRefundShare_NeverPrints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rate{Money{amount().Draw(t, "give"), "NGN"}, Money{amount().Draw(t, "get"), "EUR"}}
		charge := amount().Draw(t, "charge")
		debit, err := r.Debit(Money{charge, "EUR"})
		if err != nil {
			return // too large to be charged
		}
		hostLeft, creditLeft := charge, debit.Amount
		for hostLeft > 0 {
			refund := rapid.Int64Range(1, hostLeft).Draw(t, "refund")
			if rapid.IntRange(0, 9).Draw(t, "rest") == 0 {
				refund = hostLeft
			}
			share := RefundShare(debit.Amount, charge, refund, hostLeft, creditLeft)
			if share < 0 || share > creditLeft {
				t.Fatalf("gives %d of %d", share, creditLeft)
			}
			exact := new(big.Int).Mul(big.NewInt(debit.Amount), big.NewInt(refund))
			if over := exact.Cmp(new(big.Int).Mul(big.NewInt(share), big.NewInt(charge))) < 0; over && refund != hostLeft {
				t.Fatalf("gives %d, more than its share", share)
			}
			hostLeft -= refund
			creditLeft -= share
			if hostLeft > 0 && rapid.IntRange(0, 19).Draw(t, "stop") == 0 {
				return
			}
		}
		if creditLeft != 0 {
			t.Fatalf("%d were never given back", creditLeft)
		}
	})
}

// Money that goes round a ring of games whose rates pass the ring check never
// grows: each stage is charged at one game and paid out at the next.
func TestRing_RoundTripsNeverPrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5).Draw(t, "games")
		small := rapid.Int64Range(1, 40)
		var ring []Edge
		for i := range size {
			ring = append(ring, Edge{From: platformNo(i), Host: platformNo((i + 1) % size), Rate: Rate{
				Money{small.Draw(t, "give"), "NGN"}, Money{small.Draw(t, "get"), "NGN"}}})
		}
		if Ring(ring) != nil {
			return
		}
		start := rapid.Int64Range(1, 100000).Draw(t, "start")
		held := start
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for _, e := range ring {
				held = e.Rate.Shown(Money{held, "NGN"}).Amount
				if held == 0 {
					return
				}
			}
			if held > start {
				t.Fatalf("%d became %d through %v", start, held, ring)
			}
		}
	})
}

func platformNo(i int) string { return string(rune('a'+i)) + ".example" }
