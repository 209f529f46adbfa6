package hub

import (
	"context"
	"errors"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

const (
	// keyLife is how far ahead the key's expiry is published (contract 6).
	keyLife = 30 * 24 * time.Hour
	// keyRenew is how much of it may be left before it is moved on.
	keyRenew = 15 * 24 * time.Hour
)

// ownKey is the key that the hub signs with, and the expiry published last. A
// replaced one is taken over once its expiry is written down; an expiry only
// moves on, so an old value is too early and never too late.
type ownKey struct {
	read func() sgip.Signer // the key as its file has it now

	renewing sync.Mutex // one at a time, so that none goes back to an older key

	mu      sync.Mutex
	signer  sgip.Signer
	expires time.Time // zero before any was taken over
}

// signer is the key in use.
func (h *Hub) signer() sgip.Signer {
	h.own.mu.Lock()
	defer h.own.mu.Unlock()
	if h.own.expires.IsZero() {
		return h.own.read() // nothing has been told yet
	}
	return h.own.signer
}

// KeyFile is the body of /.well-known/sgip-hub.json (6.1).
func (h *Hub) KeyFile(ctx context.Context) ([]byte, error) {
	if err := h.renewKey(ctx); err != nil {
		return nil, err
	}
	h.own.mu.Lock()
	public, expires := h.own.signer.Public, h.own.expires
	h.own.mu.Unlock()
	return sgip.Marshal(sgip.HubKey{
		SGIP: sgip.Version, PublicKey: public.Text, KeyID: public.ID,
		ExpiresAt: sgip.FormatTime(expires), Ops: h.publicURL + OpsPath,
	})
}

// keyExpires is until when the key in use may be trusted.
func (h *Hub) keyExpires(ctx context.Context) (time.Time, error) {
	h.own.mu.Lock()
	expires := h.own.expires
	h.own.mu.Unlock()
	if !expires.IsZero() {
		return expires, nil
	}
	return h.store.KeyExpiry(ctx, h.signer().Public.ID)
}

// renewKey takes over a key that has replaced the one in use, and moves the
// expiry on once half of a key's life is over. Both are written down before they
// are told.
func (h *Hub) renewKey(ctx context.Context) error {
	h.own.renewing.Lock()
	defer h.own.renewing.Unlock()
	next := h.own.read()
	h.own.mu.Lock()
	inUse, expires := h.own.signer.Public.ID, h.own.expires
	h.own.mu.Unlock()
	if inUse != next.Public.ID {
		var err error
		if expires, err = h.store.KeyExpiry(ctx, next.Public.ID); err != nil && !errors.Is(err, ErrNone) {
			return err
		}
	}
	if expires.Sub(h.now()) <= keyRenew {
		expires = h.now().Add(keyLife).UTC().Truncate(time.Second)
		err := h.inTx(ctx, func(ctx context.Context) error { return h.store.MoveKeyExpiry(ctx, next.Public.ID, expires) })
		if err != nil {
			return err
		}
	}
	h.own.mu.Lock()
	defer h.own.mu.Unlock()
	if inUse != "" && inUse != next.Public.ID {
		h.log.Warn("key replaced", "old", inUse, "new", next.Public.ID)
	}
	h.own.signer, h.own.expires = next, expires
	return nil
}
