package game

import (
	"context"
	"errors"
	"time"
)

// fillPocket gives a guest whose home money can't be used here what the world
// file allows, and tells how much that was.
func (t *Town) fillPocket(ctx context.Context, g Visitor, at time.Time) (int64, error) {
	allowance := t.world.GuestAllowance
	if !g.NoMoney || allowance == 0 {
		return 0, nil
	}
	if err := t.store.OpenAccount(ctx, pocket(g.ID)); err != nil {
		return 0, err
	}
	entry := Entry{Kind: EntryPocket, Text: "Pocket money from " + t.world.Name, VisitID: g.VisitID}
	return allowance, t.pay(ctx, accountTown, pocket(g.ID), allowance, entry, at)
}

// emptyPocket takes back what is left of the pocket money of a visit.
func (t *Town) emptyPocket(ctx context.Context, guest PersonID, visitID string, at time.Time) error {
	left, err := t.store.Balance(ctx, pocket(guest))
	if errors.Is(err, ErrNoPlayer) || err == nil && left == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	entry := Entry{Kind: EntryPocket, Text: "Pocket money left over", VisitID: visitID}
	return t.pay(ctx, pocket(guest), accountTown, left, entry, at)
}
