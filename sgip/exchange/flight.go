package exchange

import (
	"context"
	"sync/atomic"
	"time"

	"sgip.example/starter/sgip"
)

const (
	// maxWaiters bounds how many duplicates wait for one answer: far more than an
	// honest sender has attempts under way.
	maxWaiters = 64
	// maxWait is how long a duplicate waits: longer than the hub may take as
	// go-between (contract 5), so the answer comes first.
	maxWait = 15 * time.Second
)

// flight is an envelope for which someone is being asked; answer is set before
// landed closes.
type flight struct {
	key     claimKey
	waiters atomic.Int32
	landed  chan struct{}
	answer  answer
}

// join waits for the answer of the same envelope. Whoever can't wait any longer
// is told to ask again.
func (f *flight) join(ctx context.Context, id string) answer {
	if f.waiters.Add(1) > maxWaiters {
		f.waiters.Add(-1)
		return refuse(id, &sgip.Error{Code: sgip.RateLimited, Message: "too many wait for this answer", RetryAfter: 1})
	}
	defer f.waiters.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	select {
	case <-f.landed:
		return f.answer
	case <-ctx.Done():
		return refuse(id, sgip.Errorf(sgip.PlatformOffline, "the first of these is still being worked on"))
	}
}
