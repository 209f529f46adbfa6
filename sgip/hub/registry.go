package hub

import (
	"context"
	"errors"
	"slices"
	"sync"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// registry answers who holds which key and what a platform's descriptor says.
// It keeps parsed what the database holds; whoever decides by a descriptor
// compares its revision in the transaction that decides (see member), so a
// cached copy saves parsing and never the last word.
type registry struct {
	store       PlatformStore
	suspensions SuspensionStore

	mu sync.RWMutex
	// forgotten counts the invalidations, so that something read before one
	// isn't put back after it.
	forgotten uint64
	members   map[string]Registration
	keys      map[string]keyholders
	suspended map[string]bool // nil before it is known
}

type keyholders struct {
	key       sgip.PublicKey
	platforms []string
}

var (
	_ exchange.Keys = (*registry)(nil)
	_ exchange.Peer = (*registry)(nil)
)

func newRegistry(store PlatformStore, suspensions SuspensionStore) *registry {
	return &registry{store: store, suspensions: suspensions, members: map[string]Registration{}, keys: map[string]keyholders{}}
}

// Key finds a public key that some platform lists; BadSignature if none does.
func (r *registry) Key(ctx context.Context, keyID string) (sgip.PublicKey, error) {
	holders, err := r.holders(ctx, keyID)
	if err != nil {
		return sgip.PublicKey{}, err
	}
	return holders.key, nil
}

// Admit is Forbidden unless the sender's platform lists the key and isn't
// suspended. Several may list one key, so that nobody locks another out by
// listing it (contract 6).
func (r *registry) Admit(ctx context.Context, keyID string, env sgip.Envelope) error {
	holders, err := r.holders(ctx, keyID)
	if err != nil {
		return err
	}
	if !slices.Contains(holders.platforms, env.From.Platform) {
		return sgip.Errorf(sgip.Forbidden, "%s doesn't list the key that signed this", env.From.Platform)
	}
	return r.checkSuspended(ctx, env.From.Platform)
}

// Endpoint is the inbox of a platform.
func (r *registry) Endpoint(ctx context.Context, platform string) (string, error) {
	r.mu.RLock()
	m, ok := r.members[platform]
	r.mu.RUnlock()
	if !ok {
		var err error
		if m, err = r.member(ctx, platform); err != nil {
			return "", err
		}
	}
	return m.Descriptor.Inbox, nil
}

// member finds a registered platform as the database has it now; NotFound if
// there is none, Forbidden if it is suspended.
func (r *registry) member(ctx context.Context, id string) (Registration, error) {
	found, err := r.membersOf(ctx, id)
	if err != nil {
		return Registration{}, err
	}
	m, ok := found[id]
	if !ok {
		return Registration{}, sgip.Errorf(sgip.NotFound, "No platform %s", id)
	}
	return m, r.checkSuspended(ctx, id)
}

// free are those of ids that are registered and not suspended.
func (r *registry) free(ctx context.Context, ids ...string) (map[string]Registration, error) {
	found, err := r.membersOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for id := range found {
		suspended, err := r.isSuspended(ctx, id)
		if err != nil {
			return nil, err
		}
		if suspended {
			delete(found, id)
		}
	}
	return found, nil
}

// membersOf finds those of ids that are registered.
func (r *registry) membersOf(ctx context.Context, ids ...string) (map[string]Registration, error) {
	revisions, err := r.store.Revisions(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Registration, len(revisions))
	for id, revision := range revisions {
		m, mark, ok := r.cached(id, revision)
		if !ok {
			if m, err = r.store.Platform(ctx, id); err != nil {
				return nil, err
			}
			r.keep(mark, func() { r.members[id] = m })
		}
		found[id] = m
	}
	return found, nil
}

func (r *registry) cached(id string, revision int64) (m Registration, mark uint64, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok = r.members[id]
	return m, r.forgotten, ok && m.Revision == revision
}

func (r *registry) holders(ctx context.Context, keyID string) (keyholders, error) {
	r.mu.RLock()
	holders, ok := r.keys[keyID]
	mark := r.forgotten
	r.mu.RUnlock()
	if ok {
		return holders, nil
	}
	listers, err := r.store.Listers(ctx, keyID)
	if err != nil {
		return keyholders{}, err
	}
	for _, l := range listers {
		key, err := sgip.ParsePublicKey(l.PublicKey)
		if err != nil {
			return keyholders{}, errors.New("a stored key can't be read: " + keyID)
		}
		holders.key = key
		holders.platforms = append(holders.platforms, l.Platform)
	}
	if len(listers) == 0 {
		return keyholders{}, sgip.Errorf(sgip.BadSignature, "no platform lists the key %s", keyID)
	}
	r.keep(mark, func() { r.keys[keyID] = holders })
	return holders, nil
}

// keep caches what was read at mark, unless something was forgotten meanwhile.
func (r *registry) keep(mark uint64, put func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.forgotten == mark {
		put()
	}
}

// forget drops a platform and the keys it listed or lists, after its hello has
// been committed.
func (r *registry) forget(id string, keyIDs ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgotten++
	delete(r.members, id)
	for _, keyID := range keyIDs {
		delete(r.keys, keyID)
	}
}
