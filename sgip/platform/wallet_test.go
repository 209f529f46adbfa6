package platform_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"sgip.example/starter/sgip"
)

var hubAddress = sgip.Address{Platform: sgip.HubID}

const oslo = "oslo.localhost:8089"

func newID() string { return ulid.Make().String() }

// debitOf is a debit of Tunde's, unless changed.
func (n *network) debitOf(amount int64, change ...func(*sgip.DebitPayload)) sgip.DebitPayload {
	p := sgip.DebitPayload{
		Player: n.player("tunde"), ChargeID: newID(), VisitID: newID(), Host: oslo,
		Amount: sgip.Money{Amount: amount, Currency: "NGN"}, HostAmount: sgip.Money{Amount: 7, Currency: "NOK"},
		Description: "Waffle",
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

// creditOf gives amount of a debit back.
func creditOf(d sgip.DebitPayload, amount int64, reason string) sgip.CreditPayload {
	return sgip.CreditPayload{
		Player: d.Player, ChargeID: d.ChargeID, RefundID: newID(), Host: d.Host,
		Amount: sgip.Money{Amount: amount, Currency: d.Amount.Currency}, Reason: reason,
	}
}

func (n *network) debit(p sgip.DebitPayload) sgip.Reply {
	return n.deliver(sgip.WalletDebit, hubAddress, sgip.Address{Platform: n.id, Player: p.Player}, p)
}

func (n *network) credit(p sgip.CreditPayload) sgip.Reply {
	return n.deliver(sgip.WalletCredit, hubAddress, sgip.Address{Platform: n.id, Player: p.Player}, p)
}

// wantBalance wants an ok with today's balance.
func wantBalance(t *testing.T, r sgip.Reply, op sgip.Op, want int64) {
	t.Helper()
	var result sgip.WalletResult
	if err := sgip.DecodeResult(local, op, r, &result); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	if result.Balance != (sgip.Money{Amount: want, Currency: "NGN"}) {
		t.Fatalf("%s: balance %v, want %d", op, result.Balance, want)
	}
}

func wantRefused(t *testing.T, r sgip.Reply, code sgip.Code) {
	t.Helper()
	if refused(r) != code {
		t.Fatalf("answered %q (%v), want %q", refused(r), r.Error, code)
	}
}

func TestWallet_Read(t *testing.T) {
	n := newNetwork(t)
	read := func(to, player, currency string) sgip.Reply {
		return n.deliver(sgip.WalletRead, hubAddress, n.toPlayer(to),
			sgip.ReadPayload{Player: n.player(player), Currency: currency})
	}
	t.Run("OK", func(t *testing.T) { wantBalance(t, read("tunde", "tunde", "NGN"), sgip.WalletRead, 1000) })
	t.Run("OKArrears", func(t *testing.T) { wantBalance(t, read("ada", "ada", "NGN"), sgip.WalletRead, 0) })
	t.Run("ErrGone", func(t *testing.T) { wantRefused(t, read("ghost", "ghost", "NGN"), sgip.NotFound) })
	t.Run("ErrMismatch", func(t *testing.T) { wantRefused(t, read("ada", "tunde", "NGN"), sgip.InvalidPayload) })
	t.Run("ErrNoToPlayer", func(t *testing.T) {
		wantRefused(t, n.deliver(sgip.WalletRead, hubAddress, sgip.Address{Platform: n.id},
			sgip.ReadPayload{Player: n.player("tunde"), Currency: "NGN"}), sgip.InvalidPayload)
	})
	t.Run("ErrNotSpentAbroad", func(t *testing.T) { wantRefused(t, read("tunde", "tunde", "lagos:cowrie"), sgip.Forbidden) })
	t.Run("ErrNotOurs", func(t *testing.T) { wantRefused(t, read("tunde", "tunde", "EUR"), sgip.InvalidPayload) })
	t.Run("ErrNotFromTheHub", func(t *testing.T) {
		wantRefused(t, n.deliver(sgip.WalletRead, sgip.Address{Platform: oslo}, n.toPlayer("tunde"),
			sgip.ReadPayload{Player: n.player("tunde"), Currency: "NGN"}), sgip.Forbidden)
	})
}

func TestWallet_Debit(t *testing.T) {
	t.Run("OKRepeated", func(t *testing.T) {
		n := newNetwork(t)
		p := n.debitOf(300)
		wantBalance(t, n.debit(p), sgip.WalletDebit, 700)
		wantBalance(t, n.debit(n.debitOf(100)), sgip.WalletDebit, 600)
		wantBalance(t, n.debit(p), sgip.WalletDebit, 600)
	})
	t.Run("OKParallelOneID", func(t *testing.T) {
		n := newNetwork(t)
		p := n.debitOf(300)
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				if r := n.debit(p); !r.OK {
					t.Error(r.Error)
				}
			})
		}
		all.Wait()
		if got := n.town.purse("tunde"); got != 700 {
			t.Fatalf("the purse holds %d, want 700", got)
		}
	})
	t.Run("OKParallelToTheLastCoin", func(t *testing.T) {
		n := newNetwork(t)
		var all sync.WaitGroup
		codes := make(chan sgip.Code, 40)
		for range 40 {
			all.Go(func() { codes <- refused(n.debit(n.debitOf(70))) })
		}
		all.Wait()
		close(codes)
		count := map[sgip.Code]int{}
		for c := range codes {
			count[c]++
		}
		if count[""] != 14 || count[sgip.InsufficientFunds] != 26 || n.town.purse("tunde") != 20 {
			t.Fatalf("outcomes %v, purse %d", count, n.town.purse("tunde"))
		}
	})
	t.Run("ErrOtherContent", func(t *testing.T) {
		n := newNetwork(t)
		p := n.debitOf(300)
		wantBalance(t, n.debit(p), sgip.WalletDebit, 700)
		for _, change := range []func(*sgip.DebitPayload){
			func(p *sgip.DebitPayload) { p.Amount.Amount++ },
			func(p *sgip.DebitPayload) { p.HostAmount.Amount++ },
			func(p *sgip.DebitPayload) { p.Description = "Two waffles" },
			func(p *sgip.DebitPayload) { p.VisitID = newID() },
			func(p *sgip.DebitPayload) { p.Host = "rome.localhost:8090" },
			func(p *sgip.DebitPayload) { p.Player = n.player("ada") },
		} {
			other := p
			change(&other)
			wantRefused(t, n.debit(other), sgip.InvalidPayload)
		}
		if got := n.town.purse("tunde"); got != 700 {
			t.Fatalf("the purse holds %d", got)
		}
	})
	t.Run("ErrPoorStaysRefused", func(t *testing.T) {
		n := newNetwork(t)
		p := n.debitOf(1001)
		wantRefused(t, n.debit(p), sgip.InsufficientFunds)
		n.town.gone("tunde")
		n.town.settle("tunde", 5000)
		wantRefused(t, n.debit(p), sgip.InsufficientFunds)
		p.Amount.Amount = 1
		wantRefused(t, n.debit(p), sgip.InvalidPayload)
	})
	t.Run("ErrOwnLimitUndone", func(t *testing.T) {
		n := newNetwork(t)
		n.town.failNext(sgip.Errorf(sgip.LimitReached, "not on Sundays"))
		p := n.debitOf(100)
		first, second := n.debit(p), n.debit(p)
		wantRefused(t, first, sgip.LimitReached)
		wantRefused(t, second, sgip.LimitReached)
		if first.Error.Message != second.Error.Message {
			t.Fatalf("refused with %q, then with %q", first.Error.Message, second.Error.Message)
		}
		if got := n.town.purse("tunde"); got != 1000 {
			t.Fatalf("a refusal took money: %d", got)
		}
	})
	t.Run("ErrFaultDecidesNothing", func(t *testing.T) {
		n := newNetwork(t)
		n.town.failNext(errors.New("disk full"))
		p := n.debitOf(100)
		wantRefused(t, n.debit(p), sgip.Internal)
		wantBalance(t, n.debit(p), sgip.WalletDebit, 900)
	})
	t.Run("OKRepeatedAfterARestart", func(t *testing.T) {
		n := newNetwork(t)
		p, poor := n.debitOf(300), n.debitOf(5000)
		wantBalance(t, n.debit(p), sgip.WalletDebit, 700)
		wantRefused(t, n.debit(poor), sgip.InsufficientFunds)
		n.restart()
		wantBalance(t, n.debit(p), sgip.WalletDebit, 700)
		wantRefused(t, n.debit(poor), sgip.InsufficientFunds)
		c := creditOf(p, 300, sgip.CreditVoid)
		wantBalance(t, n.credit(c), sgip.WalletCredit, 1000)
		n.restart()
		wantBalance(t, n.credit(c), sgip.WalletCredit, 1000)
		wantRefused(t, n.debit(p), sgip.Forbidden)
	})
	t.Run("OKArrearsAreZero", func(t *testing.T) {
		n := newNetwork(t)
		p := n.debitOf(900)
		wantBalance(t, n.debit(p), sgip.WalletDebit, 100)
		n.town.owe("tunde", 500) // rent, say
		wantBalance(t, n.debit(p), sgip.WalletDebit, 0)
		wantBalance(t, n.credit(creditOf(p, 100, sgip.CreditRefund)), sgip.WalletCredit, 0)
		wantBalance(t, n.credit(creditOf(p, 800, sgip.CreditRefund)), sgip.WalletCredit, 500)
	})
	t.Run("ErrGone", func(t *testing.T) {
		n := newNetwork(t)
		wantRefused(t, n.debit(n.debitOf(1, func(p *sgip.DebitPayload) { p.Player = n.player("ghost") })), sgip.NotFound)
	})
	t.Run("ErrCurrency", func(t *testing.T) {
		n := newNetwork(t)
		in := func(c string) func(*sgip.DebitPayload) {
			return func(p *sgip.DebitPayload) { p.Amount.Currency = c }
		}
		wantRefused(t, n.debit(n.debitOf(1, in("lagos:cowrie"))), sgip.Forbidden)
		wantRefused(t, n.debit(n.debitOf(1, in("EUR"))), sgip.InvalidPayload)
	})
}

func TestWallet_Credit(t *testing.T) {
	t.Run("OKPartsAndRepeats", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		wantBalance(t, n.debit(d), sgip.WalletDebit, 700)
		part := creditOf(d, 100, sgip.CreditRefund)
		wantBalance(t, n.credit(part), sgip.WalletCredit, 800)
		wantBalance(t, n.credit(part), sgip.WalletCredit, 800)
		wantRefused(t, n.credit(creditOf(d, 201, sgip.CreditRefund)), sgip.InvalidPayload)
		wantBalance(t, n.credit(creditOf(d, 200, sgip.CreditRefund)), sgip.WalletCredit, 1000)
		wantRefused(t, n.credit(creditOf(d, 1, sgip.CreditRefund)), sgip.InvalidPayload)
		wantBalance(t, n.debit(d), sgip.WalletDebit, 1000) // still the same debit
	})
	t.Run("ErrOtherContent", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		c := creditOf(d, 100, sgip.CreditRefund)
		wantBalance(t, n.credit(c), sgip.WalletCredit, 800)
		other := c
		other.Amount.Amount = 50
		wantRefused(t, n.credit(other), sgip.InvalidPayload)
		other = c
		other.HostAmount = &sgip.Money{Amount: 1, Currency: "NOK"}
		wantRefused(t, n.credit(other), sgip.InvalidPayload)
		other = c
		other.ChargeID = newID()
		wantRefused(t, n.credit(other), sgip.InvalidPayload)
		late := n.debitOf(10, func(p *sgip.DebitPayload) { p.ChargeID = other.ChargeID })
		wantBalance(t, n.debit(late), sgip.WalletDebit, 790) // the refused credit left no trace
	})
	t.Run("ErrRefusedNotRemembered", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		c := creditOf(d, 301, sgip.CreditRefund)
		wantRefused(t, n.credit(c), sgip.InvalidPayload)
		c.Amount.Amount = 300
		wantBalance(t, n.credit(c), sgip.WalletCredit, 1000)
	})
	t.Run("ErrSomeoneElse", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		c := creditOf(d, 300, sgip.CreditRefund)
		c.Player = n.player("ada")
		wantRefused(t, n.credit(c), sgip.InvalidPayload)
	})
	t.Run("OKVoidThenLateDebit", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		void := creditOf(d, 300, sgip.CreditVoid)
		wantBalance(t, n.credit(void), sgip.WalletCredit, 1000)
		wantBalance(t, n.credit(void), sgip.WalletCredit, 1000)
		wantRefused(t, n.debit(d), sgip.Forbidden)
		wantBalance(t, n.credit(creditOf(d, 300, sgip.CreditVoid)), sgip.WalletCredit, 1000)
	})
	t.Run("OKVoidAfterDebit", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		wantBalance(t, n.credit(creditOf(d, 300, sgip.CreditVoid)), sgip.WalletCredit, 1000)
		wantRefused(t, n.debit(d), sgip.Forbidden)
		wantRefused(t, n.credit(creditOf(d, 1, sgip.CreditVoid)), sgip.InvalidPayload)
	})
	t.Run("OKRefusedDebit", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(5000)
		wantRefused(t, n.debit(d), sgip.InsufficientFunds)
		wantBalance(t, n.credit(creditOf(d, 5000, sgip.CreditVoid)), sgip.WalletCredit, 1000)
		wantRefused(t, n.debit(d), sgip.Forbidden)
	})
	t.Run("OKPlayerGone", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		n.town.gone("tunde")
		c := creditOf(d, 300, sgip.CreditRefund)
		wantBalance(t, n.credit(c), sgip.WalletCredit, 0)
		wantBalance(t, n.credit(c), sgip.WalletCredit, 0)
		wantBalance(t, n.debit(d), sgip.WalletDebit, 0)
	})
	t.Run("OKNobodyEver", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300, func(p *sgip.DebitPayload) { p.Player = n.player("ghost") })
		c := creditOf(d, 300, sgip.CreditVoid)
		wantBalance(t, n.credit(c), sgip.WalletCredit, 0)
		n.town.settle("ghost", 1000) // moves in before the late debit comes
		wantRefused(t, n.debit(d), sgip.Forbidden)
		wantBalance(t, n.credit(c), sgip.WalletCredit, 1000)
	})
	t.Run("ErrFaultGivesNothing", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		c := creditOf(d, 100, sgip.CreditRefund)
		n.town.failNext(errors.New("disk full"))
		wantRefused(t, n.credit(c), sgip.Internal)
		if got := n.town.purse("tunde"); got != 700 {
			t.Fatalf("the purse holds %d, want 700", got)
		}
		wantBalance(t, n.credit(c), sgip.WalletCredit, 800)
		wantRefused(t, n.credit(creditOf(d, 201, sgip.CreditRefund)), sgip.InvalidPayload) // counted once
	})
	t.Run("OKVoidRacesItsDebit", func(t *testing.T) {
		n := newNetwork(t)
		for range 20 {
			d := n.debitOf(300)
			var both sync.WaitGroup
			both.Go(func() { n.debit(d) })
			both.Go(func() {
				if r := n.credit(creditOf(d, 300, sgip.CreditVoid)); !r.OK {
					t.Error(r.Error)
				}
			})
			both.Wait()
			wantRefused(t, n.debit(d), sgip.Forbidden)
			if got := n.town.purse("tunde"); got != 1000 {
				t.Fatalf("the purse holds %d, want 1000", got)
			}
		}
	})
	t.Run("OKParallelOneID", func(t *testing.T) {
		n := newNetwork(t)
		d := n.debitOf(300)
		n.debit(d)
		c := creditOf(d, 100, sgip.CreditRefund)
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() { n.credit(c) })
		}
		all.Wait()
		if got := n.town.purse("tunde"); got != 800 {
			t.Fatalf("the purse holds %d, want 800", got)
		}
	})
}

// TestWallet_Book plays random debits and credits, repeated, late, altered and
// out of order, against a model of the book.
func TestWallet_Book(t *testing.T) {
	n := newNetwork(t)
	rapid.Check(t, func(t *rapid.T) {
		handle := "p" + randomHandle()
		n.town.settle(handle, 1000)
		m := &bookModel{purse: 1000, debits: map[string]*modelDebit{}, credits: map[string]sgip.CreditPayload{}}
		var debits []sgip.DebitPayload
		var credits []sgip.CreditPayload
		mine := func(p *sgip.DebitPayload) { p.Player = n.player(handle) }
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if len(debits) == 0 || rapid.Bool().Draw(t, "new debit") {
				debits = append(debits, n.debitOf(rapid.Int64Range(1, 700).Draw(t, "amount"), mine))
			}
			d := rapid.SampledFrom(debits).Draw(t, "debit")
			if rapid.Bool().Draw(t, "take") {
				if rapid.IntRange(0, 5).Draw(t, "alter") == 0 {
					d.Amount.Amount++
				}
				check(t, n.debit(d), m.debit(d), m.purse)
				continue
			}
			if len(credits) == 0 || rapid.Bool().Draw(t, "new credit") {
				reason := rapid.SampledFrom([]string{sgip.CreditRefund, sgip.CreditVoid}).Draw(t, "reason")
				credits = append(credits, creditOf(d, rapid.Int64Range(1, d.Amount.Amount).Draw(t, "back"), reason))
			}
			c := rapid.SampledFrom(credits).Draw(t, "credit")
			check(t, n.credit(c), m.credit(c), m.purse)
		}
		if got := n.town.purse(handle); got != m.purse {
			t.Fatalf("the purse holds %d, the model %d", got, m.purse)
		}
	})
}

func check(t *rapid.T, r sgip.Reply, want sgip.Code, purse int64) {
	var result sgip.WalletResult
	if refused(r) != want {
		t.Fatalf("answered %q (%v), the model %q", refused(r), r.Error, want)
	}
	if want == "" {
		if err := sgip.DecodeResult(local, sgip.WalletDebit, r, &result); err != nil || result.Balance.Amount != purse {
			t.Fatalf("balance %v (%v), the model %d", result.Balance, err, purse)
		}
	}
}

// bookModel is contract 7.4, "At the home game", in as few words as possible.
type bookModel struct {
	purse   int64
	debits  map[string]*modelDebit
	credits map[string]sgip.CreditPayload
}

type modelDebit struct {
	content sgip.DebitPayload
	left    int64
	taken   bool
	void    bool
}

func (m *bookModel) debit(p sgip.DebitPayload) sgip.Code {
	d, ok := m.debits[p.ChargeID]
	switch {
	case !ok && m.purse < p.Amount.Amount:
		m.debits[p.ChargeID] = &modelDebit{content: p}
		return sgip.InsufficientFunds
	case !ok:
		m.purse -= p.Amount.Amount
		m.debits[p.ChargeID] = &modelDebit{content: p, left: p.Amount.Amount, taken: true}
		return ""
	case d.void:
		return sgip.Forbidden
	case d.content != p:
		return sgip.InvalidPayload
	case !d.taken:
		return sgip.InsufficientFunds
	}
	return ""
}

func (m *bookModel) credit(p sgip.CreditPayload) sgip.Code {
	if _, ok := m.credits[p.RefundID]; ok {
		return ""
	}
	d, ok := m.debits[p.ChargeID]
	if !ok {
		d = &modelDebit{}
		m.debits[p.ChargeID] = d
	}
	if d.taken && p.Amount.Amount > d.left {
		return sgip.InvalidPayload
	}
	m.credits[p.RefundID] = p
	if d.taken {
		d.left -= p.Amount.Amount
		m.purse += p.Amount.Amount
	}
	d.void = d.void || !d.taken || p.Reason == sgip.CreditVoid
	return ""
}

func randomHandle() string {
	id := []byte(newID())
	for i, c := range id {
		if c >= 'A' && c <= 'Z' {
			id[i] = c - 'A' + 'a'
		}
	}
	return string(id)
}
