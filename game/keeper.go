package game

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
)

// keeperKeyBytes makes a key that nobody guesses.
const keeperKeyBytes = 18

// maxBarredName bounds the name of a guest or a game that is kept out: a handle,
// an @ and a domain name with a port.
const maxBarredName = 300

// Gates say whom the town lets in.
type Gates struct {
	Closed bool
	Games  []string // platforms whose players stay out, the latest first
	Guests []string // visitors who were turned away, by lasting identity
}

// KeeperKey makes the one-time key that makes a resident the keeper, in place of
// any earlier one. Once there is a keeper there is no key: it is "".
func (t *Town) KeeperKey(ctx context.Context) (key string, err error) {
	raw := make([]byte, keeperKeyBytes)
	if _, err := io.ReadFull(t.random, raw); err != nil {
		return "", fmt.Errorf("keeper key: %w", err)
	}
	err = t.tx(ctx, func(ctx context.Context) error {
		keepers, err := t.store.Keepers(ctx)
		if err != nil || keepers > 0 {
			return err
		}
		key = base64.RawURLEncoding.EncodeToString(raw)
		return t.store.SetKeeperKey(ctx, digest(key))
	})
	return key, err
}

// BecomeKeeper makes a resident the keeper by the one-time key, which is used up.
// ErrInvalid for another key, ErrNoPlayer for a guest.
func (t *Town) BecomeKeeper(ctx context.Context, who PersonID, key string) error {
	if _, err := t.resident(ctx, string(who)); err != nil {
		return err
	}
	return t.tx(ctx, func(ctx context.Context) error {
		used, err := t.store.UseKeeperKey(ctx, digest(strings.TrimSpace(key)))
		if err != nil {
			return err
		}
		if !used {
			return refuse(ErrInvalid, "That key opens nothing. It is good once, and only the newest one is.")
		}
		return t.store.AddKeeper(ctx, who)
	})
}

// Keeper reports whether a resident keeps the town, and whether anyone does.
func (t *Town) Keeper(ctx context.Context, who PersonID) (is, kept bool, err error) {
	if is, err = t.store.IsKeeper(ctx, who); is || err != nil {
		return is, is, err
	}
	keepers, err := t.store.Keepers(ctx)
	return false, keepers > 0, err
}

// LoadGates reads what Gates tells. Call it once, before the town serves anyone.
func (t *Town) LoadGates(ctx context.Context) error {
	g, err := t.readGates(ctx)
	if err == nil {
		t.gates.Store(&g)
	}
	return err
}

// Gates say whom the town lets in just now. They are held in memory.
func (t *Town) Gates() Gates {
	if g := t.gates.Load(); g != nil {
		return *g
	}
	return Gates{}
}

func (t *Town) readGates(ctx context.Context) (g Gates, err error) {
	if g.Closed, err = t.store.GatesClosed(ctx); err != nil {
		return g, err
	}
	barred, err := t.store.Barred(ctx)
	for _, who := range barred {
		if PersonID(who).Guest() {
			g.Guests = append(g.Guests, who)
		} else {
			g.Games = append(g.Games, who)
		}
	}
	return g, err
}

// CloseGates closes the gates to every visitor, or opens them. Whoever is in
// town stays until their passport runs out.
func (t *Town) CloseGates(ctx context.Context, closed bool) error {
	return t.moveGates(ctx, func(ctx context.Context) error { return t.store.SetGatesClosed(ctx, closed) })
}

// Bar keeps out a visitor, by lasting identity, or everyone of a game, by
// platform id; or lets them in again. ErrInvalid for what is neither.
func (t *Town) Bar(ctx context.Context, who string, on bool) error {
	if _, home, guest := strings.Cut(who, "@"); who == "" || len(who) > maxBarredName || guest && home == "" {
		return refuse(ErrInvalid, "That is neither a visitor nor a game.")
	}
	return t.moveGates(ctx, func(ctx context.Context) error { return t.store.SetBarred(ctx, who, on, t.now()) })
}

func (t *Town) moveGates(ctx context.Context, move func(ctx context.Context) error) error {
	return t.tx(ctx, func(ctx context.Context) error {
		if err := move(ctx); err != nil {
			return err
		}
		g, err := t.readGates(ctx)
		if err != nil {
			return err
		}
		t.store.AfterCommit(ctx, func() { t.gates.Store(&g) })
		return nil
	})
}

// mayEnter turns away whom the keeper keeps out. The hub refuses most of them
// before they leave home; this is for a passport that was issued before.
func (t *Town) mayEnter(ctx context.Context, g Visitor) error {
	gates, err := t.readGates(ctx)
	switch {
	case err != nil:
		return err
	case slices.Contains(gates.Guests, string(g.ID)):
		return refuse(ErrBlocked, t.world.Name+" has asked you to stay away.")
	case slices.Contains(gates.Games, g.Home):
		return refuse(ErrBlocked, t.world.Name+" takes no visitors from your town at the moment.")
	case gates.Closed:
		return refuse(ErrBlocked, t.world.Name+" has closed its gates for now.")
	}
	return nil
}
