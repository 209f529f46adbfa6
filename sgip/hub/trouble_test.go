package hub_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/storage"
)

// logs are what a hub has said so far.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// room lets a database grow by so many pages and no further, as a disk does that
// fills up; below 0 there is no limit.
func room(t *testing.T, db *storage.DB, pages int) {
	t.Helper()
	must(t, db.InTx(t.Context(), func(ctx context.Context) error {
		var now int
		if err := db.Tx(ctx).Raw("PRAGMA page_count").Scan(&now).Error; err != nil {
			return err
		}
		most := now + pages
		if pages < 0 {
			most = 1 << 30
		}
		return db.Tx(ctx).Exec(fmt.Sprintf("PRAGMA max_page_count = %d", most)).Error
	}))
}

// bulky is a purchase that needs new pages soon.
func (g *game) bulky(visit string) sgip.Envelope {
	return g.envelope(sgip.WalletCharge, hubAddress, sgip.ChargePayload{VisitID: visit, Amount: eur(1), Description: strings.Repeat("Wurst", 28)})
}

// shop buys and gives back until something doesn't end well.
func (g *game) shop(visit string, most int) (asked []sgip.Envelope, ill bool) {
	g.n.t.Helper()
	for range most {
		charge := g.bulky(visit)
		for _, env := range []sgip.Envelope{charge, g.refundEnvelope(charge.ID, nil)} {
			asked = append(asked, env)
			reply := g.post(env)
			if !reply.OK || bytes.Contains(reply.Result, []byte(`"pending":true`)) {
				return asked, true
			}
		}
	}
	return asked, false
}

// TestTrouble_DiskFull fills the disk of hub and home at each point of purchases
// and refunds. Whoever asks is told to ask again, and once there is room all
// of it ends as if nothing had been.
func TestTrouble_DiskFull(t *testing.T) {
	for name, whose := range map[string]func(n *network, h *modelHome) *storage.DB{
		"hub":  func(n *network, _ *modelHome) *storage.DB { _, db := n.running(); return db },
		"home": func(_ *network, h *modelHome) *storage.DB { return h.db },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			lagos, berlin := n.pair()
			home := n.modelHome(lagos)
			home.endow("tunde", 100_000_000)
			budget := ngn(10_000_000)
			visit := lagos.visit("tunde", berlin, &budget).VisitID
			db, refused := whose(n, home), 0
			for _, pages := range []int{0, 1, 2, 5} {
				room(t, db, pages)
				asked, full := berlin.shop(visit, 20)
				if full {
					refused++
				}
				room(t, db, -1)
				n.clock.advance(2 * time.Minute) // whoever waits for an answer gives up
				settled(n, home)
				for _, env := range asked {
					if reply := berlin.post(env); !reply.OK && reply.Error.Code != sgip.Forbidden && reply.Error.Code != sgip.NotFound {
						t.Errorf("with %d pages left: %s ends with %v", pages, env.Op, reply.Error)
					}
				}
				settled(n, home)
				n.wantClean(home.books())
				wantCode(t, lagos.post(lagos.visitEnvelope("tunde", sgip.VisitRequestPayload{Host: berlin.id, VisitID: visit})), "")
			}
			if refused < 3 {
				t.Errorf("the disk was full %d times only", refused)
			}
			if name == "hub" && !strings.Contains(n.logs.String(), "the disk is full") {
				t.Errorf("the log doesn't say so:\n%s", n.logs.String())
			}
		})
	}
}

func settled(n *network, home *modelHome) {
	n.t.Helper()
	(&model{n: n, home: home}).quiet()
}

// TestTrouble_Clock sets the clock back and forth under charges, voids and
// refunds. Nothing is lost, and what is owed is paid without waiting for the old
// time to come round again.
func TestTrouble_Clock(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	home := n.modelHome(lagos)
	home.endow("tunde", 1_000_000)
	wantPurse := func(t *testing.T, want int64) {
		t.Helper()
		waitUntil(t, fmt.Sprintf("the purse holds %d", want), func() bool { return home.purse("tunde") == want })
		waitUntil(t, "nothing is owed", func() bool { return n.query("SELECT COUNT(*) FROM hub_credits WHERE settled_at IS NULL") == 0 })
	}
	visit := func() string {
		budget := ngn(900_000)
		return lagos.visit("tunde", berlin, &budget).VisitID
	}
	for name, by := range map[string]time.Duration{
		"a day back": -24 * time.Hour, "a day on": 24 * time.Hour, "a month back": -31 * 24 * time.Hour, "an hour on": time.Hour, "an hour back": -2 * time.Hour,
	} {
		t.Run("OK "+name, func(t *testing.T) {
			// Asked under one clock, answered under the other.
			came, goOn := home.hold()
			answered := make(chan sgip.Reply, 1)
			go func() { answered <- berlin.charge(visit(), eur(1)) }()
			<-came
			n.clock.advance(by)
			close(goOn)
			reply := <-answered
			if !reply.OK {
				wantCode(t, reply, sgip.PlatformOffline) // the chores took it for given up
			} else {
				id := result[sgip.ChargeResult](t, sgip.WalletCharge, reply).ChargeID
				n.clock.advance(-by)
				wantCode(t, berlin.refund(id, nil), "")
				n.clock.advance(by)
			}
			wantPurse(t, 1_000_000)
			// Owed under one clock, paid under the other.
			home.setAway(true)
			wantCode(t, berlin.charge(visit(), eur(1)), sgip.PlatformOffline)
			n.clock.advance(by)
			home.setAway(false)
			wantPurse(t, 1_000_000)
			// Paid under one clock, given back under the other.
			n.clock.advance(-by)
			id := berlin.bought(visit(), eur(2))
			n.clock.advance(by)
			reply = berlin.refund(id, nil)
			if by > 24*time.Hour-time.Minute {
				wantCode(t, reply, sgip.Forbidden)
				n.clock.advance(-by)
				reply = berlin.refund(id, nil)
			}
			wantCode(t, reply, "")
			wantPurse(t, 1_000_000)
			n.wantClean(home.books())
		})
	}
}
