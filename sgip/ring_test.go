package sgip

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edge is "whoever holds give of from can turn it into get at host".
func edge(from string, give int64, giveCurrency, host string, get int64, getCurrency string) Edge {
	return Edge{From: from, Host: host, Rate: Rate{Give: Money{give, giveCurrency}, Get: Money{get, getCurrency}}}
}

func TestRing_Find(t *testing.T) {
	const lagos, berlin, tokyo = "lagos.example", "berlin.example", "tokyo.example"
	out := edge(lagos, 500000, "NGN", berlin, 1000, "EUR")
	for _, c := range []struct {
		name  string
		edges []Edge
		ring  int
	}{
		{"no edges", nil, 0},
		{"one way only", []Edge{out}, 0},
		{"there and back makes exactly 1", []Edge{out, edge(berlin, 1000, "EUR", lagos, 500000, "NGN")}, 0},
		{"there and back makes 1 in other numbers", []Edge{out, edge(berlin, 1, "EUR", lagos, 500, "NGN")}, 0},
		{"barely below 1", []Edge{edge(lagos, MaxAmount, "NGN", berlin, MaxAmount-1, "EUR"), edge(berlin, MaxAmount-1, "EUR", lagos, MaxAmount-1, "NGN")}, 0},
		{"barely above 1", []Edge{edge(lagos, MaxAmount-1, "NGN", berlin, MaxAmount, "EUR"), edge(berlin, MaxAmount, "EUR", lagos, MaxAmount, "NGN")}, 2},
		{"above 1 by less than a float can tell", []Edge{
			edge(lagos, MaxAmount-1, "NGN", berlin, MaxAmount-2, "EUR"), edge(berlin, MaxAmount-1, "EUR", lagos, MaxAmount, "NGN"),
		}, 0}, // (M-2)M/(M-1)² is just below 1
		{"the other way round", []Edge{
			edge(lagos, MaxAmount-2, "NGN", berlin, MaxAmount-1, "EUR"), edge(berlin, MaxAmount, "EUR", lagos, MaxAmount-1, "NGN"),
		}, 2}, // (M-1)²/((M-2)M) is just above 1
		{"plainly above 1", []Edge{out, edge(berlin, 1000, "EUR", lagos, 500001, "NGN")}, 2},
		{"through three games and currencies", []Edge{
			out, edge(berlin, 1000, "EUR", tokyo, 1600, "JPY"), edge(tokyo, 1600, "JPY", lagos, 500001, "NGN"),
		}, 3},
		{"another currency of the same game doesn't connect", []Edge{out, edge(berlin, 1, "USD", lagos, 500000, "NGN")}, 0},
		{"the better of parallel edges counts", []Edge{
			out, edge(berlin, 1000, "EUR", lagos, 400000, "NGN"), edge(berlin, 1000, "EUR", lagos, 600000, "NGN"),
		}, 2},
		{"a game that accepts its own money below 1", []Edge{edge(lagos, 2, "NGN", lagos, 1, "NGN")}, 0},
		{"a game that accepts its own money at 1", []Edge{edge(lagos, 2, "NGN", lagos, 2, "NGN")}, 0},
		{"a game that accepts its own money above 1", []Edge{edge(lagos, 1, "NGN", lagos, 2, "NGN")}, 1},
		{"the largest rates", []Edge{edge(lagos, 1, "NGN", berlin, MaxAmount, "EUR"), edge(berlin, MaxAmount, "EUR", lagos, 1, "NGN")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring := Ring(c.edges)
			if len(ring) != c.ring {
				t.Fatalf("ring of %d, want %d: %v", len(ring), c.ring, ring)
			}
			if ring != nil {
				checkRing(t, c.edges, ring)
			}
		})
	}
}

// checkRing proves a ring: its edges are given ones, they join, and they
// multiply to more than 1.
func checkRing(t interface{ Fatalf(string, ...any) }, edges, ring []Edge) {
	round := big.NewRat(1, 1)
	for i, e := range ring {
		next := ring[(i+1)%len(ring)]
		if e.Host != next.From || e.Rate.Get.Currency != next.Rate.Give.Currency {
			t.Fatalf("edge %d doesn't lead to the next: %v", i, ring)
		}
		known := false
		for _, g := range edges {
			known = known || g == e
		}
		if !known {
			t.Fatalf("edge %d was never given: %v", i, e)
		}
		round.Mul(round, big.NewRat(e.Rate.Get.Amount, e.Rate.Give.Amount))
	}
	if round.Cmp(big.NewRat(1, 1)) <= 0 {
		t.Fatalf("the ring multiplies to %s", round)
	}
}

// slowRing decides by rationals alone, over all ways of at most nodes edges.
func slowRing(edges []Edge) bool {
	type node struct{ platform, currency string }
	best := map[node]map[node]*big.Rat{}
	nodes := map[node]bool{}
	for _, e := range edges {
		a, b := node{e.From, e.Rate.Give.Currency}, node{e.Host, e.Rate.Get.Currency}
		nodes[a], nodes[b] = true, true
		if best[a] == nil {
			best[a] = map[node]*big.Rat{}
		}
		r := big.NewRat(e.Rate.Get.Amount, e.Rate.Give.Amount)
		if old := best[a][b]; old == nil || r.Cmp(old) > 0 {
			best[a][b] = r
		}
	}
	one := big.NewRat(1, 1)
	for k := range nodes {
		for i := range nodes {
			for j := range nodes {
				if best[i][k] == nil || best[k][j] == nil {
					continue
				}
				r := new(big.Rat).Mul(best[i][k], best[k][j])
				if old := best[i][j]; old == nil || r.Cmp(old) > 0 {
					best[i][j] = r
				}
			}
		}
		for i := range nodes {
			if best[i][i] != nil && best[i][i].Cmp(one) > 0 {
				return true
			}
		}
	}
	return false
}

func TestRing_AgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		games := rapid.IntRange(1, 6).Draw(t, "games")
		// Few numbers close together make exact and nearly exact rings likely.
		amounts := rapid.SampledFrom([]int64{1, 2, 3, 6, 999, 1000, 1001, MaxAmount - 2, MaxAmount - 1, MaxAmount})
		currency := rapid.SampledFrom([]string{"NGN", "EUR"})
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			from := rapid.IntRange(1, games).Draw(t, "from")
			host := rapid.IntRange(1, games).Draw(t, "host")
			return edge(fmt.Sprintf("g%d.example", from), amounts.Draw(t, "give"), currency.Draw(t, "of"),
				fmt.Sprintf("g%d.example", host), amounts.Draw(t, "get"), currency.Draw(t, "into"))
		}), 0, 12).Draw(t, "edges")
		ring := Ring(edges)
		if want := slowRing(edges); want != (ring != nil) {
			t.Fatalf("Ring says %v, rationals say %v", ring, want)
		}
		if ring != nil {
			checkRing(t, edges, ring)
		}
	})
}

func TestRing_TellsTheLeastDifference(t *testing.T) {
	// Rates from one price list multiply to exactly 1 all the way round.
	edges := priced(400, 4000, 1, 0)
	if ring := Ring(edges); ring != nil {
		t.Fatalf("a ring where all rates come from one price list: %s", DescribeRing(ring))
	}
	// One rate better by the least that an amount can say makes a ring.
	e := edges[17]
	e.Rate.Give.Amount, e.Rate.Get.Amount = widen(e.Rate)
	e.Rate.Get.Amount++
	ring := Ring(append(edges, e))
	if ring == nil {
		t.Fatal("the better rate wasn't found")
	}
	checkRing(t, append(edges, e), ring)
}

// widen writes a rate in the largest numbers that fit.
func widen(r Rate) (give, get int64) {
	by := min(MaxAmount/r.Give.Amount, (MaxAmount-1)/r.Get.Amount)
	return r.Give.Amount * by, r.Get.Amount * by
}

// priced is a network of games whose rates follow one price list, less spread
// in hundredths of a percent, where each game accepts a few others.
func priced(games, edges int, seed uint64, spread int64) []Edge {
	random := rand.New(rand.NewPCG(seed, seed))
	price := make([]int64, games)
	for i := range price {
		price[i] = 1 + random.Int64N(100000)
	}
	list := make([]Edge, edges)
	for i := range list {
		a, b := random.IntN(games), random.IntN(games-1)
		if b >= a {
			b++
		}
		list[i] = edge(fmt.Sprintf("g%d.example", a), price[b]*10000, "NGN", fmt.Sprintf("g%d.example", b), price[a]*(10000-spread), "NGN")
	}
	return list
}

func TestRing_Describe(t *testing.T) {
	ring := []Edge{edge("lagos.example", 500000, "NGN", "berlin.example", 1000, "EUR"), edge("berlin.example", 1000, "EUR", "lagos.example", 600000, "NGN")}
	want := "NGN of lagos.example, to EUR of berlin.example (500000 buys 1000), to NGN of lagos.example (1000 buys 600000): each round makes 120.00 of 100"
	if got := DescribeRing(ring); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	ring[1].Rate = Rate{Give: Money{MaxAmount - 1, "EUR"}, Get: Money{MaxAmount, "NGN"}}
	ring[0].Rate = Rate{Give: Money{1, "NGN"}, Get: Money{1, "EUR"}}
	if got := DescribeRing(ring); !strings.HasSuffix(got, ": each round makes more than it began with") {
		t.Errorf("got %s", got)
	}
	var long []Edge
	for i := range 40 {
		long = append(long, edge(fmt.Sprintf("g%d.example", i), 1, "NGN", fmt.Sprintf("g%d.example", (i+1)%40), 2, "NGN"))
	}
	if got := DescribeRing(long); len(got) > 600 || !strings.Contains(got, "through 34 more conversions") {
		t.Errorf("got %s", got)
	}
}

func benchmarkRing(b *testing.B, edges []Edge) {
	b.ReportAllocs()
	for b.Loop() {
		if ring := Ring(edges); ring != nil {
			b.Fatal("a ring")
		}
	}
}

func BenchmarkRing100(b *testing.B)        { benchmarkRing(b, priced(25, 100, 1, 30)) }
func BenchmarkRing10000(b *testing.B)      { benchmarkRing(b, priced(2500, 10000, 1, 30)) }
func BenchmarkRingExact100(b *testing.B)   { benchmarkRing(b, priced(25, 100, 1, 0)) }
func BenchmarkRingExact10000(b *testing.B) { benchmarkRing(b, priced(2500, 10000, 1, 0)) }
