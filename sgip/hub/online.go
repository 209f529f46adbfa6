package hub

import (
	"context"
	"maps"
	"sync"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// marks remembers which platforms answered last. It hears of every envelope
// through the exchange's Observer; keepMarks writes down what changed, so that
// a mark costs the request path nothing.
type marks struct {
	next exchange.Observer // may be nil

	mu      sync.Mutex
	online  map[string]bool
	unsaved map[string]bool
}

var _ exchange.Observer = (*marks)(nil)

func newMarks(next exchange.Observer) *marks {
	return &marks{next: next, online: map[string]bool{}, unsaved: map[string]bool{}}
}

// Observe marks the platform that the hub called, and passes the event on.
func (m *marks) Observe(e exchange.Event) {
	if e.Out {
		m.set(e.Peer, e.Code != sgip.PlatformOffline)
	}
	if m.next != nil {
		m.next.Observe(e)
	}
}

func (m *marks) set(platform string, online bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if was, ok := m.online[platform]; ok && was == online {
		return
	}
	m.online[platform] = online
	m.unsaved[platform] = online
}

// isOnline is the newest mark; stored is what the database had.
func (m *marks) isOnline(platform string, stored bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if online, ok := m.online[platform]; ok {
		return online
	}
	return stored
}

// take empties what isn't saved yet.
func (m *marks) take() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := maps.Clone(m.unsaved)
	clear(m.unsaved)
	return taken
}

// keepMarks writes down the marks that changed. One that can't be written is
// only a mark: the next call to that platform makes it anew.
func (h *Hub) keepMarks(ctx context.Context) error {
	changed := h.marks.take()
	if len(changed) == 0 {
		return nil
	}
	return h.inTx(ctx, func(ctx context.Context) error { return h.store.SetOnline(ctx, changed) })
}
