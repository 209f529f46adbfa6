package hub_test

import (
	"context"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/store"
)

// suspend does what the sub-command does, on the hub's database.
func (n *network) suspend(g *game) {
	n.t.Helper()
	_, db := n.running()
	must(n.t, db.InTx(n.t.Context(), func(ctx context.Context) error {
		_, err := store.NewHub(db).Suspend(ctx, g.id, n.clock.now())
		return err
	}))
	g.untilForbidden(true)
}

func (n *network) resume(g *game) {
	n.t.Helper()
	_, db := n.running()
	must(n.t, db.InTx(n.t.Context(), func(ctx context.Context) error {
		_, err := store.NewHub(db).Resume(ctx, g.id)
		return err
	}))
	g.untilForbidden(false)
}

// untilForbidden waits until the running hub has noticed.
func (g *game) untilForbidden(forbidden bool) {
	g.n.t.Helper()
	waitUntil(g.n.t, "the hub has noticed", func() bool {
		reply := g.send(sgip.PlatformDirectory, hubAddress, struct{}{})
		return reply.OK != forbidden && (reply.OK || reply.Error.Code == sgip.Forbidden)
	})
}

func TestSuspend_Act(t *testing.T) {
	t.Run("ErrItsRequests", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		n.suspend(berlin)
		wantCode(t, berlin.lookup(lagos, "tunde"), sgip.Forbidden)
		n.clock.advance(6 * time.Second)
		wantCode(t, berlin.hello(), sgip.Forbidden)
		wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, struct{}{}), "")
		n.resume(berlin)
		wantCode(t, berlin.hello(), "")
	})
	t.Run("ErrAfterARestart", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.game("lagos"), n.game("berlin")
		wantCode(t, lagos.hello(), "")
		wantCode(t, berlin.hello(), "")
		n.suspend(berlin)
		n.crash()
		n.start()
		wantCode(t, berlin.hello(), sgip.Forbidden) // known from the first request on
	})
	t.Run("ErrWhatIsSentToIt", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		budget := ngn(1_000_000)
		visit := lagos.visit("tunde", berlin, &budget)
		n.suspend(berlin)
		wantCode(t, lagos.lookup(berlin, "lena"), sgip.Forbidden)
		wantCode(t, lagos.post(lagos.message(berlin, "How far?")), sgip.Forbidden)
		wantCode(t, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id})), sgip.Forbidden)
		wantCode(t, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id, VisitID: visit.VisitID})), sgip.Forbidden)
		if len(berlin.got(sgip.PlayerLookup))+len(berlin.got(sgip.MessageSend)) != 0 {
			t.Error("something went on to Berlin")
		}
	})
	t.Run("ErrChargesOfItsPlayers", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		budget := ngn(1_000_000)
		visit := lagos.visit("tunde", berlin, &budget)
		n.suspend(lagos)
		wantCode(t, berlin.charge(visit.VisitID, eur(100)), sgip.Forbidden)
		wantCode(t, berlin.send(sgip.WalletBalance, hubAddress, sgip.VisitQuery{VisitID: visit.VisitID}), sgip.Forbidden)
		if len(lagos.got(sgip.WalletDebit)) != 0 {
			t.Error("a suspended game was asked for money")
		}
	})
	t.Run("OKOwedCreditsAreSent", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		budget := ngn(1_000_000)
		visit := lagos.visit("tunde", berlin, &budget)
		lagos.on(sgip.WalletCredit, hangUp)
		lagos.on(sgip.WalletDebit, hangUp)
		wantCode(t, berlin.charge(visit.VisitID, eur(100)), sgip.PlatformOffline)
		n.suspend(lagos)
		lagos.on(sgip.WalletCredit, func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(1)}, nil })
		waitUntil(t, "the void is settled", func() bool {
			return n.query("SELECT COUNT(*) FROM hub_credits WHERE settled_at IS NOT NULL") == 1
		})
	})
	t.Run("OKLeftOutOfTheDirectory", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		n.suspend(lagos)
		if page := berlin.directory(sgip.DirectoryQuery{}); len(page.Platforms) != 1 || page.Platforms[0].PlatformID != berlin.id {
			t.Errorf("listed: %+v", page.Platforms)
		} else if len(page.Platforms[0].Accepts) != 0 {
			t.Errorf("its money is still accepted: %+v", page.Platforms[0].Accepts)
		}
		if page := berlin.directory(sgip.DirectoryQuery{Platform: lagos.id}); len(page.Platforms) != 0 {
			t.Error("shown when asked for")
		}
		h, _ := n.running()
		if rows, err := h.Games(t.Context()); err != nil || len(rows) != 1 {
			t.Errorf("on the board: %+v, %v", rows, err)
		}
		n.resume(lagos)
		if page := berlin.directory(sgip.DirectoryQuery{}); len(page.Platforms) != 2 || len(page.Platforms[0].Accepts) != 1 {
			t.Errorf("listed after it was let in: %+v", page.Platforms)
		}
	})
	t.Run("OKLettersWait", func(t *testing.T) {
		for name, which := range map[string]func(lagos, berlin *game) *game{
			"of the suspended": func(lagos, _ *game) *game { return lagos },
			"to the suspended": func(_, berlin *game) *game { return berlin },
		} {
			t.Run(name, func(t *testing.T) {
				n := newNetwork(t)
				lagos, berlin := n.pair()
				box := berlin.shut()
				wantQueued(t, lagos.post(lagos.message(berlin, "spam")))
				n.suspend(which(lagos, berlin))
				box.set(true)
				n.postponeUntil(time.Time{})
				_, db := n.running()
				waitUntil(t, "it is held back", func() bool {
					var due int64
					must(t, db.Conn(t.Context()).Raw("SELECT max(due_at) FROM exchange_letters").Scan(&due).Error)
					return due > n.clock.now().UnixMilli()
				})
				if len(box.got()) != 0 {
					t.Fatal("delivered")
				}
				n.resume(which(lagos, berlin))
				n.postponeUntil(time.Time{})
				waitUntil(t, "it is delivered", func() bool { return len(box.got()) == 1 })
			})
		}
	})
}

func TestThrottle_Hub(t *testing.T) {
	slow := func(t *testing.T) *network { return newNetwork(t, func(c *hub.Config) { c.Rate = 20 }) }
	t.Run("ErrRateLimited", func(t *testing.T) {
		n := slow(t)
		lagos, berlin := n.pair()
		berlin.on(sgip.MessageSend, func(sgip.Envelope) (any, error) { return sgip.MessageResult{Delivered: true}, nil })
		first := lagos.message(berlin, "1")
		wantCode(t, lagos.post(first), "")
		wantCode(t, lagos.post(lagos.message(berlin, "2")), "")
		third := lagos.message(berlin, "3")
		reply := lagos.post(third)
		wantCode(t, reply, sgip.RateLimited)
		if !reply.Error.Retryable() || reply.Error.RetryAfter < 1 || reply.Error.RetryAfter > 60 {
			t.Errorf("%+v", reply.Error)
		}
		wantCode(t, lagos.post(first), "") // answered already
		wantCode(t, lagos.lookup(berlin, "lena"), sgip.OpUnsupported)
		n.clock.advance(time.Duration(reply.Error.RetryAfter) * time.Second)
		wantCode(t, lagos.post(third), "")
	})
	t.Run("ErrFetchesOfOneSource", func(t *testing.T) {
		n := slow(t) // so that a source may cause two fetches a minute
		lagos := n.game("lagos")
		wantCode(t, lagos.hello(), "")
		wantCode(t, lagos.hello(), "") // by the same fetch
		wantCode(t, n.game("accra").hello(), "")
		berlin := n.game("berlin")
		reply := berlin.hello()
		wantCode(t, reply, sgip.RateLimited)
		if berlin.fetched() != 0 || reply.Error.RetryAfter < 1 {
			t.Errorf("fetched %d times, %+v", berlin.fetched(), reply.Error)
		}
		n.clock.advance(time.Minute)
		wantCode(t, berlin.hello(), "")
	})
}
