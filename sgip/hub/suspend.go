package hub

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// followEvery is how often the hub looks for what was changed beside it:
// suspensions and its own key. Well within a second.
const followEvery = 300 * time.Millisecond

// SuspensionStore keeps which platforms are suspended (section 11).
type SuspensionStore interface {
	// Suspend is false if the platform was suspended already.
	Suspend(ctx context.Context, platform string, at time.Time) (bool, error)
	// Resume is false if it wasn't.
	Resume(ctx context.Context, platform string) (bool, error)
	Suspended(ctx context.Context) ([]string, error)
}

// follow notices what sub-commands have changed, until ctx is done.
func (h *Hub) follow(ctx context.Context) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		h.chore(ctx, "look for suspensions", h.followSuspensions)
		h.chore(ctx, "renew key", h.renewKey)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (h *Hub) followSuspensions(ctx context.Context) error {
	suspended, resumed, err := h.registry.followSuspensions(ctx)
	for _, platform := range suspended {
		h.log.Warn("suspended", "platform", platform)
	}
	for _, platform := range resumed {
		h.log.Info("resumed", "platform", platform)
		h.outbox.Wake(platform)
	}
	return err
}

// followSuspensions reads who is suspended, and tells what is new.
func (r *registry) followSuspensions(ctx context.Context) (suspended, resumed []string, err error) {
	ids, err := r.suspensions.Suspended(ctx)
	if err != nil {
		return nil, nil, err
	}
	now := map[string]bool{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if now[id] = true; !r.suspended[id] {
			suspended = append(suspended, id)
		}
	}
	for id := range r.suspended {
		if !now[id] {
			resumed = append(resumed, id)
		}
	}
	r.suspended = now
	return suspended, resumed, nil
}

// isSuspended asks the database only as long as nobody has.
func (r *registry) isSuspended(ctx context.Context, platform string) (bool, error) {
	r.mu.RLock()
	known, suspended := r.suspended != nil, r.suspended[platform]
	r.mu.RUnlock()
	if known {
		return suspended, nil
	}
	if _, _, err := r.followSuspensions(ctx); err != nil {
		return false, err
	}
	return r.isSuspended(ctx, platform)
}

// checkSuspended is Forbidden for a suspended platform, whoever names it.
func (r *registry) checkSuspended(ctx context.Context, platform string) error {
	suspended, err := r.isSuspended(ctx, platform)
	if err != nil {
		return err
	}
	if suspended {
		return sgip.Errorf(sgip.Forbidden, "%s is suspended", platform)
	}
	return nil
}

// holds keeps back a letter of, or to, a suspended platform. What the hub owes
// by itself is sent all the same (contract 7.4).
func (h *Hub) holds(l exchange.Letter) bool {
	sender, _ := senderOf(l)
	if sender == "" {
		return false
	}
	for _, platform := range []string{sender, l.To} {
		// Unknown for a moment only, and then rather late than wrong.
		if suspended, err := h.registry.isSuspended(context.Background(), platform); err != nil || suspended {
			return true
		}
	}
	return false
}
