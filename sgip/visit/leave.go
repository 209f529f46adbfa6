package visit

import (
	"context"
	"errors"
	"slices"
	"time"

	"sgip.example/starter/sgip"
)

// Leave ends a visit: the guest leaves the town and visit.end@1 is written down
// in one transaction, once (7.3). Only after it has returned may the page say
// sgip.exit. A visit that has ended already is left as it is. reason is one of
// sgip.EndLeft, EndIdle, EndExpired and EndRemoved, else InvalidPayload;
// NotFound for an unknown visit.
func (v *Visits) Leave(ctx context.Context, visitID, reason string) error {
	if !slices.Contains([]string{sgip.EndLeft, sgip.EndIdle, sgip.EndExpired, sgip.EndRemoved}, reason) {
		return sgip.Errorf(sgip.InvalidPayload, "reason: %q is not a reason to end a visit", reason)
	}
	return v.c.InTx(ctx, func(ctx context.Context) error { return v.end(ctx, visitID, reason) })
}

func (v *Visits) end(ctx context.Context, visitID, reason string) error {
	r, err := v.c.Store.Visit(ctx, visitID)
	if err != nil {
		return err
	}
	if r == nil {
		return sgip.Errorf(sgip.NotFound, "no visit %s", visitID)
	}
	now := v.c.Clock()
	first, err := v.c.Store.End(ctx, visitID, reason, now)
	if err != nil || !first {
		return err
	}
	souvenirs, err := v.c.Stage.Depart(ctx, r.Guest, reason)
	if err != nil {
		return err
	}
	payload := sgip.VisitEndPayload{
		VisitID: visitID, Reason: reason,
		StayedSeconds: max(0, int64(now.Sub(r.StartedAt)/time.Second)),
		Souvenirs:     &souvenirs,
	}
	err = v.c.Seat.EndVisit(ctx, r.Home, r.ID, payload)
	if sgip.CodeOf(err) == sgip.InvalidPayload {
		// Souvenirs that no home game would take mustn't keep the guest here.
		v.c.Log.Error("souvenirs left out", "visit", visitID, "error", err)
		payload.Souvenirs = nil
		err = v.c.Seat.EndVisit(ctx, r.Home, r.ID, payload)
	}
	return err
}

// Run ends visits whose last passport has expired and guests who have done
// nothing for 15 minutes. It returns when ctx is done.
func (v *Visits) Run(ctx context.Context) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		if err := v.Sweep(ctx); err != nil && ctx.Err() == nil {
			v.c.Log.Error("ending visits", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Sweep is one round of Run. One visit that can't be ended keeps no other back.
func (v *Visits) Sweep(ctx context.Context) error {
	now := v.c.Clock()
	due, err := v.c.Store.Due(ctx, now, now.Add(-IdleAfter), sweepMost)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range due {
		errs = append(errs, v.c.InTx(ctx, func(ctx context.Context) error { return v.endIfDue(ctx, r.VisitID, now) }))
	}
	return errors.Join(errs...)
}

// endIfDue looks again inside the transaction: a passport or a step of the guest
// may have come meanwhile.
func (v *Visits) endIfDue(ctx context.Context, visitID string, now time.Time) error {
	r, err := v.c.Store.Visit(ctx, visitID)
	switch {
	case err != nil || r == nil:
		return err
	case !now.Before(r.ExpiresAt):
		return v.end(ctx, visitID, sgip.EndExpired)
	case now.Sub(r.SeenAt) >= IdleAfter:
		return v.end(ctx, visitID, sgip.EndIdle)
	default:
		return nil
	}
}
