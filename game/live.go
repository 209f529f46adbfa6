package game

import (
	"context"
	"sync"
)

// smallTown is up to how many watchers everyone is woken by everything: the
// whole map moves before their eyes. In a larger one only those at the place
// are, so that an act doesn't cost a page for each of thousands.
const smallTown = 64

// live wakes those who watch. Nothing of it is kept: who misses a wake-up sees
// the change with the next one.
type live struct {
	mu       sync.Mutex
	watchers map[PersonID]map[chan struct{}]struct{}
	places   map[PersonID]string // of those who watch
}

func newLive() *live {
	return &live{watchers: map[PersonID]map[chan struct{}]struct{}{}, places: map[PersonID]string{}}
}

// Subscribe wakes the channel when something the person sees has changed by
// someone's act; several changes may be one wake-up. What changes by the clock
// alone (an arrival, the end of an activity) is told by View's times instead.
// The function ends the subscription and may be called more than once.
func (t *Town) Subscribe(who PersonID) (<-chan struct{}, func()) {
	l := t.live
	c := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watchers[who] == nil {
		l.watchers[who] = map[chan struct{}]struct{}{}
	}
	l.watchers[who][c] = struct{}{}
	return c, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers[who], c)
		if len(l.watchers[who]) == 0 {
			delete(l.watchers, who)
			delete(l.places, who)
		}
	}
}

// stand notes where a watcher is.
func (l *live) stand(who PersonID, place string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, watched := l.watchers[who]; watched {
		l.places[who] = place
	}
}

func (l *live) wake(who PersonID) {
	for c := range l.watchers[who] {
		select {
		case c <- struct{}{}:
		default: // already woken, and hasn't looked yet
		}
	}
}

// wake wakes one person once the transaction is committed.
func (t *Town) wake(ctx context.Context, who PersonID) {
	t.store.AfterCommit(ctx, func() {
		t.live.mu.Lock()
		defer t.live.mu.Unlock()
		t.live.wake(who)
	})
}

// Wake wakes one person's watchers: something that they see has changed, which
// the town itself doesn't keep.
func (t *Town) Wake(ctx context.Context, who PersonID) { t.wake(ctx, who) }

// wakePlace wakes the person who acts and all who can see it.
func (t *Town) wakePlace(ctx context.Context, who PersonID, place string) {
	t.store.AfterCommit(ctx, func() {
		l := t.live
		l.mu.Lock()
		defer l.mu.Unlock()
		l.wake(who)
		for other := range l.watchers {
			if len(l.watchers) <= smallTown || l.places[other] == place {
				l.wake(other)
			}
		}
	})
}
