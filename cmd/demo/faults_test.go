package main

import (
	"flag"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// What make soak turns up. The seed decides which process is killed when, and
// what becomes of the nth request on each line.
var (
	kills = flag.Int("kills", 20, "how many processes TestFaults kills")
	every = flag.Duration("every", 900*time.Millisecond, "how long TestFaults waits between two kills, about")
	seed  = flag.Uint64("seed", 7, "what TestFaults draws kills and faults from")
)

// rich is more than anyone can spend, in minor units.
const rich = 1_000_000_000_000

// newFaultyStage puts a line in front of each process, those of the hub, Lagos
// and Berlin, and edits the two towns.
func newFaultyStage(t *testing.T, edit func(world, network map[string]any)) (s *stage, lines []*line) {
	t.Helper()
	dir := t.TempDir()
	parts := cast(freePorts(t), dir)
	parts[0].args = append(parts[0].args, "--rate-limit", "1000000") // what is tested here is faults, not rates
	var front []string
	for i := range parts {
		front = append(front, *listenOf(&parts[i]))
	}
	var held []net.Listener // so that the next ports are others
	for _, addr := range front {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
	}
	behind := freePorts(t)
	for i := range parts {
		*listenOf(&parts[i]) = "127.0.0.1:" + strconv.Itoa(behind+i)
		_ = held[i].Close()
		lines = append(lines, newLine(t, parts[i].name, front[i], *listenOf(&parts[i])))
	}
	for i := range parts[1:] {
		hurry(t, &parts[1+i], dir, edit)
	}
	return startStage(t, dir, parts), lines
}

func listenOf(p *part) *string { return &p.args[slices.Index(p.args, "--listen")+1] }

// generous lifts what would keep guests from buying: everyone can pay, and no
// limit comes before the faults. Some of what they buy can be given back.
func generous(world, network map[string]any) {
	delete(world, "rent")
	for _, who := range world["demo_players"].([]any) {
		who.(map[string]any)["money"] = rich
	}
	for _, place := range world["places"].([]any) {
		activities, _ := place.(map[string]any)["activities"].([]any)
		for _, a := range activities {
			if a := a.(map[string]any); slices.Contains([]any{"pommes", "mate", "suya", "puff_puff"}, a["id"]) {
				a["item"], a["refundable"] = a["label"], true
			}
		}
	}
	money := network["money"].(map[string]any)
	money["spending_abroad"].(map[string]any)["daily_limits"].([]any)[0].(map[string]any)["amount"] = rich
	money["accepts"].([]any)[0].(map[string]any)["daily_inflow_limit"].(map[string]any)["amount"] = rich
}

// TestFaults lets guests of both towns buy, return and come again while the
// lines between hub and towns lose, delay, repeat and cut what is sent, and
// processes are killed at random. In the end every charge is settled, refunded
// or void, and the books of all three agree to the coin.
func TestFaults(t *testing.T) {
	t.Logf("to play this again: go test ./cmd/demo -run TestFaults -args -kills=%d -seed=%d", *kills, *seed)
	s, lines := newFaultyStage(t, generous)
	shoppers := s.shoppers(t)
	for _, l := range lines {
		l.meet(l.drawn(*seed))
	}
	stop := make(chan struct{})
	var shopping sync.WaitGroup
	for _, who := range shoppers {
		shopping.Go(func() { who.shop(stop) })
	}
	s.killAtRandom(t)
	close(stop)
	for _, l := range lines {
		t.Log(l)
		l.meet(func(string) fate { return pass })
	}
	shopping.Wait()
	s.settle(t)
	s.wantClean(t)
	s.wantWorkDone(t, shoppers)
}

// killAtRandom kills one process after the other, and starts it again at once.
func (s *stage) killAtRandom(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(*seed, 0))
	all := []*process{s.hub, s.lagos, s.berlin}
	for n := range *kills {
		<-time.After(*every/3 + time.Duration(random.Int64N(int64(*every*4/3))))
		victim := all[random.IntN(len(all))]
		victim.kill()
		victim.start()
		if n%10 == 9 {
			s.wantClean(t) // also while all is moving
		}
		if t.Failed() {
			t.Fatalf("after %d kills", n+1)
		}
	}
}

// settle waits until everything that was begun has ended. The processes are
// started once more, so that nobody waits out the long pauses that the faults
// have led to.
func (s *stage) settle(t *testing.T) {
	t.Helper()
	for _, p := range []*process{s.hub, s.lagos, s.berlin} {
		p.kill()
		p.start()
	}
	s.waitReady()
	waitUntil(t, "every charge, refund and void has ended", s.quiet)
}

// wantWorkDone makes sure that the faults met something.
func (s *stage) wantWorkDone(t *testing.T, shoppers []*shopper) {
	t.Helper()
	count := func(state string) int64 {
		return s.hub.query(`SELECT count(*) FROM hub_charges WHERE state = ?`, state)
	}
	refunds := s.hub.query(`SELECT count(*) FROM hub_credits WHERE reason = 'refund'`)
	t.Logf("%d kills; charges: %d settled, %d refused, %d void; %d refunds", *kills, count("settled"), count("failed"), count("void"), refunds)
	if least := int64(*kills); count("settled") < least || count("void") < least/4 || refunds < least/4 {
		t.Errorf("too little happened for %d kills", *kills)
	}
	for _, w := range shoppers {
		t.Logf("the guest at %s: %d visits, %d purchases and %d returns answered", w.place, w.visits, w.bought, w.returned)
		if w.bought == 0 {
			t.Errorf("the guest at %s never got an answer", w.place)
		}
	}
}
