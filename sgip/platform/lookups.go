package platform

import (
	"context"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

// Limits of fetching one game's entry anew: anyone may name any game in a launch
// URL, and none of that may turn into a flood at the hub (contract 7.2).
const (
	lookupEvery = 10 * time.Second // per game
	lookupGap   = time.Second      // over all games
	lookupWait  = 5 * time.Second
)

// lookups holds fetches of single entries to their limits. What one brought
// stands for lookupEvery.
type lookups struct {
	clock func() time.Time

	mu    sync.Mutex
	next  time.Time // when the next fetch may start
	tried map[string]*lookup
}

type lookup struct {
	at    time.Time // when it may start
	done  chan struct{}
	entry sgip.DirectoryEntry
	err   error
}

type fetchEntry func(ctx context.Context, platform string) (sgip.DirectoryEntry, error)

func newLookups(clock func() time.Time) *lookups {
	return &lookups{clock: clock, tried: map[string]*lookup{}}
}

func (l *lookups) do(ctx context.Context, platform string, fetch fetchEntry) (sgip.DirectoryEntry, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	t := l.join(ctx, platform, fetch)
	if t == nil {
		return sgip.DirectoryEntry{}, sgip.Errorf(sgip.PlatformOffline, "too many games are being looked up just now")
	}
	select {
	case <-t.done:
		return t.entry, t.err
	case <-ctx.Done():
		return sgip.DirectoryEntry{}, sgip.Wrap(sgip.PlatformOffline, ctx.Err(), "the hub has not answered in time")
	}
}

// join finds the game's last lookup, or starts one in the next free slot; nil if
// that is too far off.
func (l *lookups) join(ctx context.Context, platform string, fetch fetchEntry) *lookup {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	l.forget(now)
	if t, ok := l.tried[platform]; ok {
		return t
	}
	at := now
	if l.next.After(now) {
		at = l.next
	}
	if at.Sub(now) >= lookupWait {
		return nil
	}
	l.next = at.Add(lookupGap)
	t := &lookup{at: at, done: make(chan struct{})}
	l.tried[platform] = t
	go t.run(context.WithoutCancel(ctx), platform, at.Sub(now), fetch)
	return t
}

// forget keeps the map small: slots are a second apart, so about fifteen remain.
func (l *lookups) forget(now time.Time) {
	for platform, t := range l.tried {
		if now.Sub(t.at) >= lookupEvery {
			delete(l.tried, platform)
		}
	}
}

func (t *lookup) run(ctx context.Context, platform string, wait time.Duration, fetch fetchEntry) {
	defer close(t.done)
	ctx, cancel := context.WithTimeout(ctx, wait+lookupWait)
	defer cancel()
	sleep(ctx, wait)
	t.entry, t.err = fetch(ctx, platform)
}
