package hub_test

import (
	"pgregory.net/rapid"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

// charge buys something, and the debit meets a fate.
func (m *model) charge() {
	fates := []fate{arrives, arrives, arrives, arrives, twice, neverComes, answerLost, answerTorn, comesLate, homeFails}
	if m.home.isAway() {
		fates = []fate{neverComes, comesLate}
	}
	f := rapid.SampledFrom(fates).Draw(m.T, "fate of the debit")
	c := m.newCharge()
	m.home.meet(f, m.lossesOfCredits())
	reply := m.berlin.post(c.env)
	if m.over(c, reply) {
		return
	}
	switch {
	case f != arrives && f != twice:
		m.void(c)
	case m.purse >= c.debit:
		c.state, m.purse, m.counted = hub.ChargeSettled, m.purse-c.debit, m.counted+c.debit
	default:
		c.state = hub.ChargeFailed
	}
	m.charges = append(m.charges, c)
	m.answers(reply, c, true)
}

func (m *model) newCharge() *modelCharge {
	c := &modelCharge{price: rapid.Int64Range(1, 1_000).Draw(m.T, "price")}
	c.debit = m.cost(c.price)
	c.env = m.berlin.chargeEnvelope(m.visit, eur(c.price))
	return c
}

// over reports whether the budget forbids the charge, and wants that said.
func (m *model) over(c *modelCharge, reply sgip.Reply) bool {
	if m.counted+c.debit <= m.budget {
		return false
	}
	wantCode(m, reply, sgip.LimitReached)
	return true
}

// void: whatever the home did, in the end nothing was taken; the limits are free
// again once it has answered.
func (m *model) void(c *modelCharge) {
	c.state = hub.ChargeVoid
	if m.home.isAway() {
		m.counted += c.debit
		m.later = append(m.later, func() { m.counted -= c.debit })
	}
}

// answers holds the answer to a charge to its state.
func (m *model) answers(reply sgip.Reply, c *modelCharge, first bool) {
	switch c.state {
	case hub.ChargeSettled:
		got := result[sgip.ChargeResult](m, sgip.WalletCharge, reply)
		if got.ChargeID != c.env.ID || got.Amount != eur(c.price) || got.Debit != ngn(c.debit) {
			m.Fatalf("charged %+v, want %d for %d", got, c.debit, c.price)
		}
	case hub.ChargeFailed:
		wantCode(m, reply, sgip.InsufficientFunds)
	case hub.ChargeVoid:
		code := sgip.Forbidden
		if first {
			code = sgip.PlatformOffline
		}
		wantCode(m, reply, code)
		if reply.Error.Retryable() {
			m.Fatalf("the end of a void charge is retryable")
		}
	}
}

func (m *model) lossesOfCredits() []fate {
	return rapid.SliceOfN(rapid.SampledFrom([]fate{neverComes, answerLost, answerTorn, comesLate, homeFails, twice}), 0, 2).Draw(m.T, "fates of credits")
}

// pick draws one of the charges in a state that will do, if there is any.
func (m *model) pick(will func(*modelCharge) bool) *modelCharge {
	var some []*modelCharge
	for _, c := range m.charges {
		if will(c) {
			some = append(some, c)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return some[rapid.IntRange(0, len(some)-1).Draw(m.T, "which charge")]
}

func anyCharge(*modelCharge) bool { return true }

func (m *model) chargeAgain() {
	if c := m.pick(anyCharge); c != nil {
		m.answers(m.berlin.post(c.env), c, false)
	}
}

func (m *model) chargeOther() {
	if c := m.pick(anyCharge); c != nil {
		other := c.env
		other.Payload = m.berlin.chargeEnvelope(m.visit, eur(c.price+1)).Payload
		wantCode(m, m.berlin.post(other), sgip.InvalidPayload)
	}
}

// refund gives back a part of a settled charge, or the rest. It is committed at
// once; its money moves when the home game can be reached.
func (m *model) refund() {
	c := m.pick(func(c *modelCharge) bool { return c.state == hub.ChargeSettled && c.refunded < c.price })
	if c == nil {
		return
	}
	f := modelRefund{amount: c.price - c.refunded}
	if rapid.Bool().Draw(m.T, "in part") {
		f.amount = rapid.Int64Range(1, f.amount).Draw(m.T, "part")
		part := eur(f.amount)
		f.env = m.berlin.refundEnvelope(c.env.ID, &part)
	} else {
		f.env = m.berlin.refundEnvelope(c.env.ID, nil)
	}
	f.credit = c.share(f.amount)
	m.home.meet(arrives, m.lossesOfCredits())
	answer := make(chan sgip.Reply, 1)
	go func() { answer <- m.berlin.post(f.env) }()
	waitUntil(m, "the refund is written down", func() bool {
		return m.n.query("SELECT COUNT(*) FROM hub_credits WHERE refund_id = ?", f.env.ID) == 1
	})
	c.refunded, c.credited, c.refunds = c.refunded+f.amount, c.credited+f.credit, append(c.refunds, f)
	gives := func() { m.purse, m.counted = m.purse+f.credit, m.counted-f.credit }
	if m.home.isAway() {
		m.later, m.openAnswers = append(m.later, gives), append(m.openAnswers, answer)
		return
	}
	m.quiet()
	gives()
	m.refunds(<-answer, c, f, true)
}

func (m *model) refunds(reply sgip.Reply, c *modelCharge, f modelRefund, first bool) {
	got := result[sgip.RefundResult](m, sgip.WalletRefund, reply)
	if got.RefundID != f.env.ID || got.ChargeID != c.env.ID || got.Amount != eur(f.amount) || got.Credit != ngn(f.credit) ||
		got.Pending && !first {
		m.Fatalf("refund %+v, want %d for %d", got, f.credit, f.amount)
	}
}

func (m *model) refundAgain() {
	if c := m.pick(func(c *modelCharge) bool { return len(c.refunds) > 0 }); c != nil && !m.home.isAway() {
		f := c.refunds[rapid.IntRange(0, len(c.refunds)-1).Draw(m.T, "which refund")]
		m.refunds(m.berlin.post(f.env), c, f, false)
	}
}

func (m *model) refundTooMuch() {
	if c := m.pick(func(c *modelCharge) bool { return c.state == hub.ChargeSettled }); c != nil {
		more := eur(c.price - c.refunded + 1)
		wantCode(m, m.berlin.refund(c.env.ID, &more), sgip.LimitReached)
	}
}

func (m *model) comeLate() {
	if kept := m.home.keeps(); kept > 0 {
		m.home.late(rapid.IntRange(0, kept-1).Draw(m.T, "which late one"))
	}
}

func (m *model) comeAgain() {
	if seen := m.home.seenOf(m.handle); len(seen) > 0 {
		env := seen[rapid.IntRange(0, len(seen)-1).Draw(m.T, "which old one")]
		m.home.again(env, rapid.Bool().Draw(m.T, "under another id"))
	}
}

func (m *model) die() {
	m.n.crash()
	m.n.start()
}

// dieAsking kills the hub while the home game has the debit and hasn't answered.
func (m *model) dieAsking() {
	if m.home.isAway() {
		return
	}
	c := m.newCharge()
	if m.counted+c.debit > m.budget {
		return
	}
	came, goOn := m.home.hold()
	answer := make(chan sgip.Reply, 1)
	go func() { answer <- m.berlin.post(c.env) }()
	<-came
	m.n.crash()
	close(goOn)
	if reply := <-answer; reply.OK || !reply.Error.Retryable() {
		m.Fatalf("a hub that died answered %+v", reply)
	}
	m.n.start()
	m.void(c)
	m.charges = append(m.charges, c)
	waitUntil(m, "the charge is void", func() bool {
		return m.n.query("SELECT COUNT(*) FROM hub_charges WHERE id = ? AND state = 'void'", c.env.ID) == 1
	})
}

func (m *model) goAway() { m.home.setAway(true) }

// comeBack makes the home game reachable, and all that was due for it happens.
func (m *model) comeBack() {
	if !m.home.isAway() {
		return
	}
	m.home.setAway(false)
	m.quiet()
	for _, answer := range m.openAnswers {
		if reply := <-answer; !reply.OK && !reply.Error.Retryable() {
			m.Fatalf("a refund that was written down is answered %v", reply.Error)
		}
	}
	for _, happen := range m.later {
		happen()
	}
	m.openAnswers, m.later = nil, nil
}
