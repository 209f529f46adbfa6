package hub_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// trip is a visit of Tunde to Berlin with a budget.
func (n *network) trip(budget int64) (lagos, berlin *game, visitID string) {
	n.t.Helper()
	lagos, berlin = n.pair()
	money := ngn(budget)
	return lagos, berlin, lagos.visit("tunde", berlin, &money).VisitID
}

// counted sums what is counted against all limits of a kind.
func (n *network) counted(kind string) int64 {
	n.t.Helper()
	return n.query("SELECT COALESCE(SUM(used), 0) FROM hub_counters WHERE kind = ?", kind)
}

func (n *network) wantCounted(home, host int64) {
	n.t.Helper()
	if b, d, i := n.counted("budget"), n.counted("daily"), n.counted("inflow"); b != home || d != home || i != host {
		n.t.Errorf("counted: budget %d, daily %d, inflow %d; want %d, %d, %d", b, d, i, home, home, host)
	}
}

func (n *network) wantState(id, state string) {
	n.t.Helper()
	if n.query("SELECT COUNT(*) FROM hub_charges WHERE id = ? AND state = ?", id, state) != 1 {
		n.t.Errorf("charge %s isn't %s", id, state)
	}
}

func TestCharge_Settle(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(10_000_000)
	env := berlin.chargeEnvelope(visit, eur(350))
	got := result[sgip.ChargeResult](t, sgip.WalletCharge, berlin.post(env))
	if got.ChargeID != env.ID || got.Amount != eur(350) || got.Debit != ngn(175_000) {
		t.Errorf("charged %+v", got)
	}
	debits := lagos.got(sgip.WalletDebit)
	if len(debits) != 1 {
		t.Fatalf("%d debits", len(debits))
	}
	verified(t, n.key, debits[0])
	want := sgip.DebitPayload{Player: lagos.player("tunde").Player, ChargeID: env.ID, VisitID: visit, Host: berlin.id,
		Amount: ngn(175_000), HostAmount: eur(350), Description: "Currywurst"}
	if p := payloadOf[sgip.DebitPayload](t, debits[0]); p != want || debits[0].To != lagos.player("tunde") || debits[0].From != hubAddress {
		t.Errorf("debit %+v to %+v", p, debits[0].To)
	}
	n.wantCounted(175_000, 350)
	if again := result[sgip.ChargeResult](t, sgip.WalletCharge, berlin.post(env)); again != got || len(lagos.got(sgip.WalletDebit)) != 1 {
		t.Error("a repeat must get the first answer, and no second debit")
	}
	other := env
	other.Payload = berlin.chargeEnvelope(visit, eur(351)).Payload
	wantCode(t, berlin.post(other), sgip.InvalidPayload)
}

func TestCharge_RoundUp(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(10_000_000)
	berlin.change(func(d *sgip.Descriptor) {
		d.Money.Accepts = []sgip.Accepts{accepts(lagos, 1, 3, 1_000), accepts(lagos, 1, 1, 1_000)}
	})
	got := result[sgip.ChargeResult](t, sgip.WalletCharge, berlin.charge(visit, eur(4)))
	if got.Debit != ngn(2) {
		t.Errorf("4 × 1 ÷ 3 costs %+v, want 2, by the entry listed first", got.Debit)
	}
}

func TestCharge_Largest(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(sgip.MaxAmount)
	lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = sgip.MaxAmount })
	berlin.change(func(d *sgip.Descriptor) {
		d.Money.Accepts[0] = accepts(lagos, sgip.MaxAmount-1, sgip.MaxAmount-1, sgip.MaxAmount)
	})
	id := berlin.bought(visit, eur(sgip.MaxAmount))
	n.wantCounted(sgip.MaxAmount, sgip.MaxAmount)
	wantCode(t, berlin.charge(visit, eur(1)), sgip.LimitReached)
	wantCode(t, berlin.refund(id, nil), "")
	n.wantCounted(0, 0)
}

func TestCharge_Refuse(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin, visit := n.trip(10_000_000)
	accra := n.game("accra")
	wantCode(t, accra.hello(), "")
	plain := lagos.visit("ada", berlin, nil).VisitID
	t.Run("ErrUnknownVisit", func(t *testing.T) { wantCode(t, berlin.charge(newID(), eur(1)), sgip.NotFound) })
	t.Run("ErrAnotherHost", func(t *testing.T) { wantCode(t, accra.charge(visit, eur(1)), sgip.Forbidden) })
	t.Run("ErrWithoutPay", func(t *testing.T) { wantCode(t, berlin.charge(plain, eur(1)), sgip.Forbidden) })
	t.Run("ErrNothing", func(t *testing.T) { wantCode(t, berlin.charge(visit, eur(0)), sgip.InvalidPayload) })
	t.Run("ErrForeignCurrency", func(t *testing.T) {
		wantCode(t, berlin.charge(visit, sgip.Money{Amount: 1, Currency: "GBP"}), sgip.InvalidPayload)
	})
	t.Run("ErrAmountMissingOrNull", func(t *testing.T) {
		for _, payload := range []map[string]any{
			{"visit_id": visit, "description": "Currywurst"},
			{"visit_id": visit, "description": "Currywurst", "amount": nil},
			{"visit_id": visit, "description": "Currywurst", "amount": map[string]any{"currency": "EUR"}},
		} {
			wantCode(t, berlin.send(sgip.WalletCharge, hubAddress, payload), sgip.InvalidPayload)
		}
	})
	t.Run("ErrNoRate", func(t *testing.T) {
		wantCode(t, berlin.charge(visit, sgip.Money{Amount: 1, Currency: "USD"}), sgip.Forbidden)
	})
	t.Run("ErrTooLargeAtHome", func(t *testing.T) { wantCode(t, berlin.charge(visit, eur(sgip.MaxAmount)), sgip.InvalidPayload) })
	t.Run("ErrDescription", func(t *testing.T) {
		wantCode(t, berlin.send(sgip.WalletCharge, hubAddress, sgip.ChargePayload{VisitID: visit, Amount: eur(1), Description: "<b>"}), sgip.InvalidPayload)
	})
	t.Run("ErrIDOfAnotherPlatform", func(t *testing.T) {
		refused := berlin.chargeEnvelope(newID(), eur(1))
		wantCode(t, berlin.post(refused), sgip.NotFound)
		paid := berlin.chargeEnvelope(visit, eur(1))
		wantCode(t, berlin.post(paid), "")
		for _, taken := range []string{refused.ID, paid.ID} {
			// Of a visit that nobody knows: only the id makes it forbidden.
			env := accra.chargeEnvelope(newID(), eur(1))
			env.ID = taken
			wantCode(t, accra.post(env), sgip.Forbidden)
		}
	})
	t.Run("ErrHomeLimitsItNoLonger", func(t *testing.T) {
		lagos.change(func(d *sgip.Descriptor) { d.Money = nil })
		wantCode(t, berlin.charge(visit, eur(1)), sgip.Forbidden)
		lagos.change(func(d *sgip.Descriptor) {
			d.Money = &sgip.MoneyOps{SpendingAbroad: &sgip.SpendingAbroad{DailyLimits: []sgip.Money{ngn(20_000_000)}}}
		})
		wantCode(t, berlin.charge(visit, eur(1)), "")
	})
	t.Run("ErrVisitOver", func(t *testing.T) {
		n.clock.advance(901 * time.Second)
		wantCode(t, berlin.charge(visit, eur(1)), sgip.Forbidden)
	})
	n.wantCounted(1_000, 2)
}

// TestCharge_DatabaseDecides: a descriptor that another process has changed
// counts at once, whatever this one remembers.
func TestCharge_DatabaseDecides(t *testing.T) {
	n := newNetwork(t)
	_, berlin, visit := n.trip(10_000_000)
	wantCode(t, berlin.charge(visit, eur(1)), "")
	_, db := n.running()
	must(t, db.InTx(t.Context(), func(ctx context.Context) error {
		return db.Tx(ctx).Exec(`UPDATE hub_platforms SET revision = revision + 1,
			descriptor = replace(descriptor, '"accepts"', '"once_accepted"') WHERE id = ?`, berlin.id).Error
	}))
	wantCode(t, berlin.charge(visit, eur(1)), sgip.Forbidden)
}

func TestCharge_HomeRefuses(t *testing.T) {
	for _, code := range []sgip.Code{sgip.InsufficientFunds, sgip.Forbidden, sgip.NotFound, sgip.InvalidPayload, sgip.OpUnsupported, sgip.LimitReached} {
		t.Run("Err_"+string(code), func(t *testing.T) {
			n := newNetwork(t)
			lagos, berlin, visit := n.trip(10_000_000)
			lagos.on(sgip.WalletDebit, refuses(code))
			env := berlin.chargeEnvelope(visit, eur(350))
			for range 2 {
				wantCode(t, berlin.post(env), code)
			}
			n.wantState(env.ID, "failed")
			n.wantCounted(0, 0)
			if len(lagos.got(sgip.WalletDebit)) != 1 || len(lagos.got(sgip.WalletCredit)) != 0 {
				t.Error("a refused debit is asked once and owes nothing")
			}
		})
	}
}

// TestCharge_Void: whatever isn't a definite answer voids the charge, and the
// whole debit goes back under one refund id until the home game says ok.
func TestCharge_Void(t *testing.T) {
	raw := func(status int, body string) answer {
		return func(sgip.Envelope) (any, error) {
			return rawAnswer(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}), nil
		}
	}
	result := func(result any) answer { return func(sgip.Envelope) (any, error) { return result, nil } }
	for name, no := range map[string]answer{
		"ErrHangsUp":      hangUp,
		"ErrNoReply":      raw(502, "<html>"),
		"ErrHalfAReply":   raw(200, `{"ok":true,`),
		"ErrOtherID":      raw(200, `{"ok":true,"id":"01JA2B3C4D5E6F7G8H9J0K1M2N","result":{"balance":{"amount":1,"currency":"NGN"}}}`),
		"ErrNoBalance":    result(struct{}{}),
		"ErrQueued":       result(map[string]bool{"queued": true}),
		"ErrInternal":     refuses(sgip.Internal),
		"ErrOffline":      refuses(sgip.PlatformOffline),
		"ErrRateLimited":  refuses(sgip.RateLimited),
		"ErrBadSignature": refuses(sgip.BadSignature),
		"ErrExpired":      refuses(sgip.Expired),
		"ErrUnknownCode":  refuses("on_strike"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			lagos, berlin, visit := n.trip(10_000_000)
			lagos.on(sgip.WalletDebit, no)
			lagos.on(sgip.WalletCredit, refuses(sgip.Internal))
			env := berlin.chargeEnvelope(visit, eur(350))
			reply := berlin.post(env)
			wantCode(t, reply, sgip.PlatformOffline)
			if reply.Error.Retryable() {
				t.Error("the platform_offline of a voided charge must be final")
			}
			wantCode(t, berlin.post(env), sgip.Forbidden)
			n.wantState(env.ID, "void")
			waitUntil(t, "the credit is tried", func() bool { return len(lagos.got(sgip.WalletCredit)) > 0 })
			n.wantCounted(175_000, 350)
			lagos.on(sgip.WalletCredit, result(sgip.WalletResult{Balance: ngn(1)}))
			waitUntil(t, "the credit is settled", func() bool { return n.counted("budget") == 0 })
			n.wantCounted(0, 0)
			credits := lagos.got(sgip.WalletCredit)
			first := payloadOf[sgip.CreditPayload](t, credits[0])
			if first.ChargeID != env.ID || first.Amount != ngn(175_000) || first.HostAmount == nil || *first.HostAmount != eur(350) ||
				first.Reason != sgip.CreditVoid || first.Host != berlin.id || !sgip.ValidULID(first.RefundID) || first.RefundID == env.ID {
				t.Errorf("credit %+v", first)
			}
			last := credits[len(credits)-1]
			if p := payloadOf[sgip.CreditPayload](t, last); len(credits) < 2 || p.RefundID != first.RefundID || last.ID == credits[0].ID {
				t.Errorf("%d credits; the last repeats refund %s under envelope %s", len(credits), p.RefundID, last.ID)
			}
			if len(lagos.got(sgip.WalletDebit)) != 1 {
				t.Error("a debit must be asked once")
			}
		})
	}
}

// TestCharge_Crash takes the hub away between its two steps.
func TestCharge_Crash(t *testing.T) {
	t.Run("OKVoidsWhatWasAsked", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		asked, release := make(chan struct{}), make(chan struct{})
		lagos.on(sgip.WalletDebit, func(sgip.Envelope) (any, error) {
			close(asked)
			<-release
			return sgip.WalletResult{Balance: ngn(1)}, nil
		})
		env := berlin.chargeEnvelope(visit, eur(350))
		answered := make(chan sgip.Reply, 1)
		go func() { answered <- berlin.post(env) }()
		<-asked
		crashed := make(chan struct{})
		go func() { defer close(crashed); n.crash() }()
		close(release)
		<-crashed
		if reply := <-answered; reply.OK {
			// The answer got in before the crash; then the charge is settled.
			n.start()
			n.wantState(env.ID, "settled")
			t.Fatal("the charge was decided before the crash; the test must hold the debit back")
		}
		n.start()
		waitUntil(t, "the charge is void", func() bool {
			return n.query("SELECT COUNT(*) FROM hub_charges WHERE id = ? AND state = 'void'", env.ID) == 1
		})
		waitUntil(t, "the money is back", func() bool { return n.counted("daily") == 0 })
		wantCode(t, berlin.post(env), sgip.Forbidden)
		if len(lagos.got(sgip.WalletDebit)) != 1 || payloadOf[sgip.CreditPayload](t, lagos.got(sgip.WalletCredit)[0]).Reason != sgip.CreditVoid {
			t.Error("want one debit, never asked again, and its void")
		}
	})
	t.Run("OKOwesThroughRestarts", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		lagos.on(sgip.WalletDebit, hangUp)
		lagos.on(sgip.WalletCredit, hangUp)
		wantCode(t, berlin.charge(visit, eur(350)), sgip.PlatformOffline)
		n.crash()
		n.start()
		lagos.on(sgip.WalletCredit, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(1)}, nil })
		waitUntil(t, "the credit is settled", func() bool { return n.counted("budget") == 0 })
		ids := map[string]bool{}
		for _, in := range lagos.got(sgip.WalletCredit) {
			ids[payloadOf[sgip.CreditPayload](t, in).RefundID] = true
		}
		if len(ids) != 1 {
			t.Errorf("refund ids %v, want one", ids)
		}
	})
	t.Run("OKSettledSurvives", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		env := berlin.chargeEnvelope(visit, eur(350))
		wantCode(t, berlin.post(env), "")
		n.crash()
		n.start()
		wantCode(t, berlin.post(env), "")
		if len(lagos.got(sgip.WalletDebit)) != 1 {
			t.Error("debited twice")
		}
	})
}

func TestCharge_LateAnswer(t *testing.T) {
	t.Run("OKLateAnswerDoesntUnvoid", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		asked, release := make(chan struct{}), make(chan struct{})
		lagos.on(sgip.WalletDebit, func(sgip.Envelope) (any, error) {
			close(asked)
			<-release
			return sgip.WalletResult{Balance: ngn(1)}, nil
		})
		env := berlin.chargeEnvelope(visit, eur(350))
		done := make(chan sgip.Reply, 1)
		go func() { done <- berlin.post(env) }()
		<-asked
		// By the hub's clock no answer can come any more; the chores void it.
		n.clock.advance(2 * time.Minute)
		waitUntil(t, "the charge is void and freed", func() bool { return n.counted("budget") == 0 })
		close(release)
		reply := <-done
		wantCode(t, reply, sgip.PlatformOffline)
		if reply.Error.Retryable() {
			t.Error("must be final")
		}
		n.wantState(env.ID, "void")
		n.wantCounted(0, 0)
		if got := len(lagos.got(sgip.WalletCredit)); got != 1 {
			t.Errorf("%d credits", got)
		}
	})
}

// TestCharge_Parallel: forty charges at once stop exactly at each limit.
func TestCharge_Parallel(t *testing.T) {
	const price, debit = 100, 50_000 // cents and kobo
	for name, c := range map[string]struct {
		budget, daily, inflow int64
	}{
		"ErrBudget": {7*debit + debit - 1, 20_000_000, 200_000},
		"ErrDaily":  {10_000_000, 7 * debit, 200_000},
		"ErrInflow": {10_000_000, 20_000_000, 7*price + price/2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			lagos, berlin, visit := n.trip(c.budget)
			lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = c.daily })
			berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0].DailyInflowLimit.Amount = c.inflow })
			var paid, refused atomic.Int64
			var all sync.WaitGroup
			for range 40 {
				all.Go(func() {
					switch reply := berlin.charge(visit, eur(price)); {
					case reply.OK:
						paid.Add(1)
					case reply.Error.Code == sgip.LimitReached:
						refused.Add(1)
					default:
						t.Errorf("charge: %v", reply.Error)
					}
				})
			}
			all.Wait()
			if paid.Load() != 7 || refused.Load() != 33 || len(lagos.got(sgip.WalletDebit)) != 7 {
				t.Errorf("%d paid, %d refused, %d debits; want 7, 33, 7", paid.Load(), refused.Load(), len(lagos.got(sgip.WalletDebit)))
			}
			n.wantCounted(7*debit, 7*price)
		})
	}
	t.Run("OKOneID", func(t *testing.T) {
		t.Parallel()
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		env := berlin.chargeEnvelope(visit, eur(price))
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				if reply := berlin.post(env); !reply.OK {
					t.Errorf("charge: %v", reply.Error)
				}
			})
		}
		all.Wait()
		if len(lagos.got(sgip.WalletDebit)) != 1 {
			t.Errorf("%d debits for one charge id", len(lagos.got(sgip.WalletDebit)))
		}
		n.wantCounted(debit, price)
	})
}

func TestCharge_Days(t *testing.T) {
	n := newNetwork(t)
	// Late on a UTC day, whatever day the machine's own zone has.
	tomorrow := time.Now().UTC().Truncate(24 * time.Hour).Add(48 * time.Hour)
	n.clock.set(tomorrow.Add(-5 * time.Minute))
	lagos, berlin := n.pair()
	budget := ngn(100_000_000)
	visit := lagos.visit("tunde", berlin, &budget).VisitID
	lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = 50_000 })
	env := berlin.chargeEnvelope(visit, eur(100))
	wantCode(t, berlin.post(env), "")
	wantCode(t, berlin.charge(visit, eur(1)), sgip.LimitReached)
	n.clock.set(tomorrow.Add(time.Minute))
	wantCode(t, berlin.charge(visit, eur(100)), "")
	wantCode(t, berlin.charge(visit, eur(1)), sgip.LimitReached)
	// A refund today of yesterday's charge frees yesterday.
	wantCode(t, berlin.refund(env.ID, nil), "")
	wantCode(t, berlin.charge(visit, eur(1)), sgip.LimitReached)
	today := tomorrow.Format(time.DateOnly)
	if got := n.query("SELECT used FROM hub_counters WHERE kind = 'daily' AND day = ?", today); got != 50_000 {
		t.Errorf("today counts %d", got)
	}
	if got := n.query("SELECT used FROM hub_counters WHERE kind = 'daily' AND day <> ?", today); got != 0 {
		t.Errorf("yesterday counts %d", got)
	}
}

func TestBalance_Show(t *testing.T) {
	spendable := func(g *game, visit string) string {
		g.n.t.Helper()
		return fmt.Sprint(result[sgip.Spendable](g.n.t, sgip.WalletBalance, g.send(sgip.WalletBalance, hubAddress, sgip.VisitQuery{VisitID: visit})).Spendable)
	}
	want := func(t *testing.T, got string, amounts ...sgip.Money) {
		t.Helper()
		if got != fmt.Sprint(amounts) {
			t.Errorf("spendable %s, want %v", got, amounts)
		}
	}
	t.Run("OKLowestOfAll", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(10_000_000)
		want(t, spendable(berlin, visit), eur(20_000)) // the budget
		wantCode(t, berlin.charge(visit, eur(350)), "")
		want(t, spendable(berlin, visit), eur(19_650)) // what is left of it
		lagos.on(sgip.WalletRead, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(1_499)}, nil })
		want(t, spendable(berlin, visit), eur(2)) // the balance, rounded down
		lagos.on(sgip.WalletRead, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(0)}, nil })
		want(t, spendable(berlin, visit), eur(0))
		lagos.on(sgip.WalletRead, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(sgip.MaxAmount)}, nil })
		lagos.change(func(d *sgip.Descriptor) { d.Money.SpendingAbroad.DailyLimits[0].Amount = 175_000 + 5_000 })
		want(t, spendable(berlin, visit), eur(10)) // the daily limit
		berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts[0].DailyInflowLimit.Amount = 357 })
		want(t, spendable(berlin, visit), eur(7)) // the inflow
	})
	t.Run("OKEachCurrency", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(1_000_000)
		berlin.change(func(d *sgip.Descriptor) {
			usd := func(amount int64) sgip.Money { return sgip.Money{Amount: amount, Currency: "USD"} }
			d.Money.Accepts = append(d.Money.Accepts, accepts(lagos, 1, 1, 1),
				sgip.Accepts{From: lagos.id, Give: ngn(1_000), Get: usd(1), DailyInflowLimit: usd(1_000_000)})
		})
		want(t, spendable(berlin, visit), eur(2_000), sgip.Money{Amount: 1_000, Currency: "USD"})
	})
	t.Run("Err", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin, visit := n.trip(1_000_000)
		ask := func(g *game, id string) sgip.Reply {
			return g.send(sgip.WalletBalance, hubAddress, sgip.VisitQuery{VisitID: id})
		}
		wantCode(t, ask(berlin, newID()), sgip.NotFound)
		wantCode(t, ask(lagos, visit), sgip.Forbidden)
		wantCode(t, ask(berlin, lagos.visit("ada", berlin, nil).VisitID), sgip.Forbidden)
		lagos.on(sgip.WalletRead, refuses(sgip.NotFound))
		wantCode(t, ask(berlin, visit), sgip.NotFound)
		lagos.on(sgip.WalletRead, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: eur(5)}, nil })
		wantCode(t, ask(berlin, visit), sgip.PlatformOffline)
		lagos.on(sgip.WalletRead, hangUp)
		wantCode(t, ask(berlin, visit), sgip.PlatformOffline)
	})
}
