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

// keyExpiry is the expiry published last, by key id. It only moves on, so an
// old value is too early and never too late.
type keyExpiry struct {
	mu sync.Mutex
	id string
	at time.Time
}

// KeyFile is the body of /.well-known/sgip-hub.json (6.1).
func (h *Hub) KeyFile(ctx context.Context) ([]byte, error) {
	if err := h.renewKey(ctx); err != nil {
		return nil, err
	}
	expires, err := h.keyExpires(ctx)
	if err != nil {
		return nil, err
	}
	public := h.signer().Public
	return sgip.Marshal(sgip.HubKey{
		SGIP: sgip.Version, PublicKey: public.Text, KeyID: public.ID,
		ExpiresAt: sgip.FormatTime(expires), Ops: h.publicURL + OpsPath,
	})
}

// keyExpires is until when the key in use may be trusted.
func (h *Hub) keyExpires(ctx context.Context) (time.Time, error) {
	id := h.signer().Public.ID
	h.expiry.mu.Lock()
	defer h.expiry.mu.Unlock()
	if h.expiry.id == id {
		return h.expiry.at, nil
	}
	at, err := h.store.KeyExpiry(ctx, id)
	if err != nil {
		return time.Time{}, err
	}
	h.expiry.id, h.expiry.at = id, at
	return at, nil
}

// renewKey moves the expiry on once half of the key's life is over. It is
// written down before it is told.
func (h *Hub) renewKey(ctx context.Context) error {
	expires, err := h.keyExpires(ctx)
	if err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	if err == nil && expires.Sub(h.now()) > keyRenew {
		return nil
	}
	id, to := h.signer().Public.ID, h.now().Add(keyLife).UTC().Truncate(time.Second)
	err = h.inTx(ctx, func(ctx context.Context) error { return h.store.MoveKeyExpiry(ctx, id, to) })
	if err != nil {
		return err
	}
	h.expiry.mu.Lock()
	defer h.expiry.mu.Unlock()
	h.expiry.id, h.expiry.at = id, to
	return nil
}
