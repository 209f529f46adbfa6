package hub

import (
	"net/netip"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

const (
	// defaultRate is how many of one operation a platform may send in a minute
	// (contract 9).
	defaultRate = 600
	// letterShare of it is allowed of operations that reach people, and of fetches
	// that one source address may cause.
	letterShare = 10
	// checkRate is for hub.check@1, which makes the hub send some thirty requests.
	checkRate = 1
	// rateSpan is what rates are counted over, by the second.
	rateSpan = 60
	// maxSources bounds the addresses counted, 16 MiB; strangers beyond share one
	// count.
	maxSources = 1 << 16
	// ipv6Site is the part of an IPv6 address that one customer usually has whole.
	ipv6Site = 64
)

// throttle counts what platforms and addresses ask for. The counts are kept in
// memory: a restart forgives.
type throttle struct {
	rate int
	now  func() time.Time

	mu      sync.Mutex
	windows map[asked]*window
	sources int
	swept   int64
}

// asked is what is counted: operations of a platform, or what a source address
// does.
type asked struct {
	by     string
	what   sgip.Op
	source bool
}

// What is counted by source address.
const (
	sourceAsks    sgip.Op = "introductions"
	sourceFetches sgip.Op = "fetches"
)

func newThrottle(rate int, now func() time.Time) *throttle {
	if rate <= 0 {
		rate = defaultRate
	}
	return &throttle{rate: rate, now: now, windows: map[asked]*window{}}
}

// sender counts an operation of a platform. Those that the hub doesn't know are
// counted together: a name costs nothing to make up.
func (t *throttle) sender(platform string, op sgip.Op) error {
	most := t.rate
	switch {
	case op.Way() == sgip.WayUnknown:
		op = ""
	case op == sgip.MessageSend, op == sgip.InviteSend:
		most = max(1, t.rate/letterShare)
	case op == sgip.HubCheck:
		most = checkRate
	}
	return t.count(asked{by: platform, what: op}, most)
}

// ask counts a request whose sender isn't known before a descriptor is fetched,
// by the address it came from.
func (t *throttle) ask(source string) error {
	return t.count(asked{by: siteOf(source), what: sourceAsks, source: true}, t.rate)
}

// fetch counts a descriptor fetched for a source address, so that it can't turn
// the hub against others.
func (t *throttle) fetch(source string) error {
	return t.count(asked{by: siteOf(source), what: sourceFetches, source: true}, max(1, t.rate/letterShare))
}

// siteOf is whom an address belongs to, as far as can be told.
func siteOf(source string) string {
	address, err := netip.ParseAddr(source)
	if err != nil {
		withPort, err := netip.ParseAddrPort(source)
		if err != nil {
			return source
		}
		address = withPort.Addr()
	}
	if address = address.Unmap().WithZone(""); address.Is6() {
		site, err := address.Prefix(ipv6Site)
		if err == nil {
			return site.String()
		}
	}
	return address.String()
}

func (t *throttle) count(a asked, most int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	second := t.now().Unix()
	t.sweep(second)
	wait := t.window(a).take(second, most)
	if wait == 0 {
		return nil
	}
	return &sgip.Error{Code: sgip.RateLimited, Message: "too many of these; ask again later", RetryAfter: wait}
}

func (t *throttle) window(a asked) *window {
	w, ok := t.windows[a]
	if ok {
		return w
	}
	if a.source {
		if t.sources >= maxSources {
			a.by = "" // all further ones together
			if w, ok = t.windows[a]; ok {
				return w
			}
		}
		t.sources++
	}
	w = &window{}
	t.windows[a] = w
	return w
}

// sweep forgets, once in a span, what has been quiet for one.
func (t *throttle) sweep(second int64) {
	if near(second, t.swept) {
		return
	}
	t.swept = second
	for a, w := range t.windows {
		if !near(second, w.last) {
			delete(t.windows, a)
			if a.source {
				t.sources--
			}
		}
	}
}

// near reports whether two times are less than a span apart: a clock may be set
// back a little.
func near(a, b int64) bool { return a-b < rateSpan && b-a < rateSpan }

// window counts over the last rateSpan seconds.
type window struct {
	last  int64 // Unix second that was counted last
	sum   int
	count [rateSpan]uint32
}

// take counts one more, or says in how many seconds there will be room. A clock
// set back a little counts on, one set back far begins anew.
func (w *window) take(second int64, most int) (wait int) {
	switch {
	case !near(second, w.last):
		*w = window{last: second}
	case second < w.last:
		second = w.last
	}
	for ; w.last < second; w.last++ {
		w.sum -= int(w.count[(w.last+1)%rateSpan])
		w.count[(w.last+1)%rateSpan] = 0
	}
	if w.sum < most {
		w.sum++
		w.count[second%rateSpan]++
		return 0
	}
	left := w.sum
	for wait = 1; wait < rateSpan; wait++ {
		if left -= int(w.count[(second+int64(wait))%rateSpan]); left < most {
			return wait
		}
	}
	return rateSpan
}
