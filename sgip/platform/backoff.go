package platform

import (
	"math"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

// backoff keeps the hub from being asked again before the time it has named
// (rate_limited, section 5). Letters keep to it by themselves.
type backoff struct {
	mu    sync.Mutex
	until map[sgip.Op]time.Time
}

// check is RateLimited, with the seconds that are left, as long as the hub
// doesn't want the operation.
func (b *backoff) check(op sgip.Op, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.until[op].Sub(now)
	if left <= 0 {
		return nil
	}
	return &sgip.Error{Code: sgip.RateLimited, Message: "the hub asks to wait with " + string(op), RetryAfter: int(math.Ceil(left.Seconds()))}
}

func (b *backoff) note(op sgip.Op, r sgip.Reply, now time.Time) {
	if r.OK || r.Error.Code != sgip.RateLimited || r.Error.RetryAfter <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until == nil {
		b.until = map[sgip.Op]time.Time{}
	}
	b.until[op] = now.Add(time.Duration(r.Error.RetryAfter) * time.Second)
}
