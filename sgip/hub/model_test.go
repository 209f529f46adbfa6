package hub_test

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

// model is what must be true of one player's money, whatever the messages
// between hub and home go through.
type model struct {
	*rapid.T
	n      *network
	home   *modelHome
	berlin *game
	rate   sgip.Rate

	handle, visit string
	budget, purse int64
	counted       int64    // against the budget
	later         []func() // what is due once the home game can be reached again
	charges       []*modelCharge
	openAnswers   []chan sgip.Reply // of refunds that wait for the home game
}

type modelCharge struct {
	env                sgip.Envelope
	price, debit       int64
	state              hub.ChargeState
	refunded, credited int64
	refunds            []modelRefund
}

type modelRefund struct {
	env            sgip.Envelope
	amount, credit int64
}

// TestModel plays random purchases, refunds and repeats while messages are lost,
// doubled, torn and late, and hub and home crash. After each step the real hub
// and the real seat must hold what the model says.
func TestModel(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	home := n.modelHome(lagos)
	lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = sgip.MaxAmount })
	players := 0
	rapid.Check(t, func(r *rapid.T) {
		players++
		m := &model{T: r, n: n, home: home, berlin: berlin, handle: fmt.Sprintf("tunde_%d", players)}
		m.begin(lagos)
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			m.step()
			m.check()
		}
		m.end()
	})
	n.wantClean(home.books())
}

func (m *model) begin(lagos *game) {
	give, get := rapid.Int64Range(1, 1_000).Draw(m.T, "give"), rapid.Int64Range(1, 1_000).Draw(m.T, "get")
	m.rate = sgip.Rate{Give: ngn(give), Get: eur(get)}
	m.berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0] = accepts(lagos, give, get, sgip.MaxAmount) })
	m.budget = rapid.Int64Range(1, 10_000).Draw(m.T, "budget")
	m.purse = rapid.Int64Range(0, 10_000).Draw(m.T, "purse")
	m.home.endow(m.handle, m.purse)
	budget := ngn(m.budget)
	m.visit = lagos.visit(m.handle, m.berlin, &budget).VisitID
}

func (m *model) step() {
	steps := map[string]func(){
		"charge": m.charge, "refund": m.refund, "charge again": m.chargeAgain, "refund again": m.refundAgain,
		"another charge under the same id": m.chargeOther, "refund too much": m.refundTooMuch,
		"come late": m.comeLate, "come again": m.comeAgain,
		"the hub dies while it asks": m.dieAsking, "the hub dies": m.die, "the home restarts": m.home.restart, "go away": m.goAway, "come back": m.comeBack,
	}
	steps[rapid.SampledFrom([]string{
		"charge", "charge", "charge", "refund", "refund", "charge again", "refund again",
		"another charge under the same id", "refund too much", "come late", "come again",
		"the hub dies while it asks", "the hub dies", "the home restarts", "go away", "come back",
	}).Draw(m.T, "step")]()
}

// quiet waits until the hub owes nothing. The home game says hello meanwhile,
// which makes the hub try again at once.
func (m *model) quiet() {
	waitUntil(m.n.t, "the hub owes nothing", func() bool {
		open := m.n.query(`SELECT (SELECT COUNT(*) FROM hub_charges WHERE state = 'asked') + (SELECT COUNT(*) FROM hub_credits WHERE settled_at IS NULL)`)
		if open > 0 {
			wantCode(m.n.t, m.home.hello(), "")
		}
		return open == 0
	})
}

// check holds the real thing to the model. While the home game is away only what
// the hub knows can be held.
func (m *model) check() {
	if !m.home.isAway() {
		m.quiet()
		if got := m.home.purse(m.handle); got != m.purse {
			m.Fatalf("the purse holds %d, want %d", got, m.purse)
		}
	}
	if got := m.n.query("SELECT COALESCE(SUM(used), 0) FROM hub_counters WHERE kind = 'budget' AND party = ?", m.visit); got != m.counted {
		m.Fatalf("%d are counted, want %d", got, m.counted)
	}
	for _, c := range m.charges {
		if m.n.query("SELECT COUNT(*) FROM hub_charges WHERE id = ? AND state = ? AND refunded = ? AND credited = ?",
			c.env.ID, string(c.state), c.refunded, c.credited) != 1 {
			m.Fatalf("charge %s isn't %s with %d refunded", c.env.ID, c.state, c.refunded)
		}
	}
}

// end lets everything arrive, and asks for every answer once more.
func (m *model) end() {
	m.comeBack()
	for m.home.keeps() > 0 {
		m.comeLate()
	}
	m.check()
	for _, c := range m.charges {
		m.answers(m.berlin.post(c.env), c, false)
		for _, f := range c.refunds {
			m.refunds(m.berlin.post(f.env), c, f, false)
		}
	}
	m.check()
}

// cost is the debit of a price, by arithmetic of its own.
func (m *model) cost(price int64) int64 {
	up := new(big.Int).Mul(big.NewInt(price), big.NewInt(m.rate.Give.Amount))
	up.Add(up, big.NewInt(m.rate.Get.Amount-1)).Div(up, big.NewInt(m.rate.Get.Amount))
	return up.Int64()
}

// share is what a refund gives back, likewise.
func (c *modelCharge) share(amount int64) int64 {
	if c.refunded+amount == c.price {
		return c.debit - c.credited
	}
	down := new(big.Int).Mul(big.NewInt(c.debit), big.NewInt(amount))
	return down.Div(down, big.NewInt(c.price)).Int64()
}
