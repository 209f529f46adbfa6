package hub

import (
	"fmt"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// hand is a clock moved by hand.
type hand struct{ at time.Time }

func (h *hand) now() time.Time { return h.at }

func newHand() *hand { return &hand{at: time.Unix(1_790_000_000, 0)} }

// allowed is how many of n come through, and what the first refused is told.
func allowed(n int, count func() error) (through, retryAfter int) {
	for range n {
		err := count()
		if err == nil {
			through++
		} else if retryAfter == 0 {
			retryAfter = sgip.AsError(err).RetryAfter
		}
	}
	return through, retryAfter
}

func TestThrottle_Sender(t *testing.T) {
	for name, c := range map[string]struct {
		rate int
		op   sgip.Op
		most int
	}{
		"OKDefault":         {0, sgip.PlayerLookup, 600},
		"OKMessages":        {0, sgip.MessageSend, 60},
		"OKInvites":         {0, sgip.InviteSend, 60},
		"OKCheck":           {0, sgip.HubCheck, 1},
		"OKHello":           {0, sgip.HubHello, 600},
		"OKCharges":         {0, sgip.WalletCharge, 600},
		"OKMovedAlong":      {50, sgip.MessageSend, 5},
		"OKNeverNone":       {3, sgip.MessageSend, 1},
		"OKCheckStays":      {50, sgip.HubCheck, 1},
		"OKUnknown":         {40, "x-lagos.wave@1", 40},
		"OKLaterVersionToo": {40, "message.send@2", 40},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHand()
			limit := newThrottle(c.rate, h.now)
			through, _ := allowed(c.most+10, func() error { return limit.sender("lagos.example", c.op) })
			if through != c.most {
				t.Errorf("%d came through, want %d", through, c.most)
			}
			if err := limit.sender("berlin.example", c.op); err != nil {
				t.Errorf("another platform is refused: %v", err)
			}
			if err := limit.sender("lagos.example", sgip.PlatformDirectory); err != nil {
				t.Errorf("another op is refused: %v", err)
			}
		})
	}
	t.Run("ErrMadeUpNamesCountTogether", func(t *testing.T) {
		limit := newThrottle(20, newHand().now)
		n := 0
		through, _ := allowed(50, func() error {
			n++
			return limit.sender("lagos.example", sgip.Op(fmt.Sprintf("x-lagos.wave%d@1", n)))
		})
		if through != 20 {
			t.Errorf("%d came through", through)
		}
	})
}

func TestThrottle_Window(t *testing.T) {
	t.Run("OKRetryAfterIsTrue", func(t *testing.T) {
		h := newHand()
		limit := newThrottle(20, h.now)
		ask := func() error { return limit.sender("lagos.example", sgip.PlayerLookup) }
		allowed(15, ask)
		h.at = h.at.Add(10 * time.Second)
		_, wait := allowed(10, ask)
		if wait != 50 {
			t.Fatalf("told to wait %d s, want 50", wait)
		}
		h.at = h.at.Add(time.Duration(wait-1) * time.Second)
		if through, wait := allowed(1, ask); through != 0 || wait != 1 {
			t.Errorf("a second too early: %d came through, told %d s", through, wait)
		}
		h.at = h.at.Add(time.Second)
		if through, wait := allowed(20, ask); through != 15 || wait != 10 {
			t.Errorf("%d came through, then told %d s; want 15 and 10", through, wait)
		}
	})
	t.Run("OKOneAMinute", func(t *testing.T) {
		h := newHand()
		limit := newThrottle(0, h.now)
		ask := func() error { return limit.sender("lagos.example", sgip.HubCheck) }
		if through, wait := allowed(2, ask); through != 1 || wait != 60 {
			t.Errorf("%d came through, told %d s", through, wait)
		}
		h.at = h.at.Add(time.Minute)
		if through, _ := allowed(2, ask); through != 1 {
			t.Errorf("%d came through a minute later", through)
		}
	})
	t.Run("OKNeverMoreInAnyMinute", func(t *testing.T) {
		h := newHand()
		limit := newThrottle(10, h.now)
		var at []int
		for second := range 300 {
			through, _ := allowed(second%3, func() error { return limit.sender("lagos.example", sgip.PlayerLookup) })
			for range through {
				at = append(at, second)
			}
			h.at = h.at.Add(time.Second)
		}
		for i := 10; i < len(at); i++ {
			if at[i]-at[i-10] < 60 {
				t.Fatalf("11 within %d s", at[i]-at[i-10])
			}
		}
		if len(at) != 50 {
			t.Errorf("%d came through in 5 minutes, want 50", len(at))
		}
	})
	t.Run("OKClockSetBack", func(t *testing.T) {
		h := newHand()
		limit := newThrottle(10, h.now)
		ask := func() error { return limit.sender("lagos.example", sgip.PlayerLookup) }
		allowed(10, ask)
		h.at = h.at.Add(-5 * time.Second)
		if through, _ := allowed(5, ask); through != 0 {
			t.Errorf("%d more came through", through)
		}
		h.at = h.at.Add(-time.Hour)
		if through, _ := allowed(5, ask); through == 0 {
			t.Error("shut until the clock is where it was")
		}
	})
}

func TestThrottle_Source(t *testing.T) {
	t.Run("OKBySite", func(t *testing.T) {
		for _, c := range []struct {
			a, b string
			same bool
		}{
			{"192.0.2.1", "192.0.2.1:5000", true},
			{"192.0.2.1", "192.0.2.2", false},
			{"::ffff:192.0.2.1", "192.0.2.1", true},
			{"2001:db8:1:2::1", "[2001:db8:1:2:ffff::9]:443", true},
			{"2001:db8:1:2::1", "2001:db8:1:3::1", false},
			{"fe80::1%eth0", "fe80::2", true},
		} {
			if got := siteOf(c.a) == siteOf(c.b); got != c.same {
				t.Errorf("%s and %s: same is %v", c.a, c.b, got)
			}
		}
	})
	t.Run("ErrTooMany", func(t *testing.T) {
		limit := newThrottle(0, newHand().now)
		if through, _ := allowed(1000, func() error { return limit.ask("192.0.2.1") }); through != 600 {
			t.Errorf("%d asked", through)
		}
		if through, _ := allowed(1000, func() error { return limit.fetch("192.0.2.1") }); through != 60 {
			t.Errorf("%d fetched", through)
		}
		if err := limit.fetch("192.0.2.9"); err != nil {
			t.Error(err)
		}
	})
	t.Run("OKMemoryIsBounded", func(t *testing.T) {
		h := newHand()
		limit := newThrottle(0, h.now)
		for i := range maxSources + 1000 {
			_ = limit.ask(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
		}
		if len(limit.windows) > maxSources+1 {
			t.Errorf("%d addresses are counted", len(limit.windows))
		}
		h.at = h.at.Add(2 * time.Minute)
		_ = limit.ask("192.0.2.1")
		if len(limit.windows) != 1 || limit.sources != 1 {
			t.Errorf("%d addresses are still counted, %d", len(limit.windows), limit.sources)
		}
	})
}
