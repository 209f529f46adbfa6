package visit

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// Enter takes a passport that the visit page posted, and starts, refreshes or
// moves a guest session (7.1, contract 7.2). A post with the current guest token
// refreshes it; one without a token moves the visit to the page that asks, and
// the older token stops working.
//
// The passport is verified before anything is written. BadSignature for one that
// can't be read or isn't the hub's, Expired past exp, InvalidPayload for wrong
// claims, PlatformOffline while the hub's key can't be had; Forbidden for
// another host, home or visit than the launch URL's, for a visit that has ended,
// and for a token that has been replaced.
func (v *Visits) Enter(ctx context.Context, e Enter) (Session, error) {
	if len(e.Passport) > sgip.MaxPassport {
		return Session{}, sgip.Errorf(sgip.BadSignature, "a passport is at most %d bytes", sgip.MaxPassport)
	}
	p, err := v.c.Seat.CheckPassport(ctx, e.Passport)
	if err != nil {
		return Session{}, err
	}
	if p.Home != e.Home || p.VisitID != e.VisitID {
		return Session{}, sgip.Errorf(sgip.Forbidden, "this passport is for another visit than the page's address")
	}
	fresh := v.c.NewToken()
	var session Session
	err = v.c.InTx(ctx, func(ctx context.Context) error {
		r, err := v.c.Store.Visit(ctx, p.VisitID)
		if err != nil {
			return err
		}
		if r == nil {
			session, err = v.start(ctx, p, fresh)
		} else {
			session, err = v.goOn(ctx, *r, p, e.Token, fresh)
		}
		return err
	})
	return session, err
}

// start begins a visit. Whatever visit the guest was still on here ends: nobody
// is in one town twice.
func (v *Visits) start(ctx context.Context, p sgip.Passport, token string) (Session, error) {
	earlier, err := v.c.Store.UnderWay(ctx, p.Guest())
	if err != nil {
		return Session{}, err
	}
	for _, r := range earlier {
		if r.Issued > p.Issued {
			return Session{}, sgip.Errorf(sgip.Forbidden, "a newer visit of %s has begun", p.Guest())
		}
	}
	for _, r := range earlier {
		if err := v.end(ctx, r.VisitID, sgip.EndLeft); err != nil {
			return Session{}, err
		}
	}
	now := v.c.Clock()
	r := Record{
		Guest:     guestOf(p, now),
		TokenHash: hash(token), Issued: p.Issued, SeenAt: now,
	}
	if err := v.c.Store.Add(ctx, r); err != nil {
		return Session{}, err
	}
	if err := v.c.Stage.Arrive(ctx, r.Guest); err != nil {
		return Session{}, err
	}
	return sessionOf(r, token), nil
}

// goOn refreshes a visit under way, or moves it to another page.
func (v *Visits) goOn(ctx context.Context, r Record, p sgip.Passport, current, fresh string) (Session, error) {
	switch {
	case r.ID != p.Guest():
		return Session{}, sgip.Errorf(sgip.Forbidden, "this visit is someone else's")
	case !r.EndedAt.IsZero():
		return Session{}, over(r.Reason)
	case current != "" && (len(current) > maxToken || hash(current) != r.TokenHash):
		return Session{}, movedOn()
	}
	token := current
	if token == "" {
		token = fresh
		r.TokenHash = hash(fresh)
		r.SeenAt = v.c.Clock() // someone opened the page; a refresh comes by itself
	}
	r.Issued = max(r.Issued, p.Issued)
	if exp := time.Unix(p.Expires, 0); exp.After(r.ExpiresAt) {
		r.ExpiresAt = exp
	}
	return sessionOf(r, token), v.c.Store.Renew(ctx, r)
}

func guestOf(p sgip.Passport, now time.Time) Guest {
	g := Guest{
		VisitID: p.VisitID, ID: p.Guest(), Handle: p.Subject, Home: p.Home,
		Name: p.Name, Avatar: p.Avatar, Stats: p.Stats, Budget: p.Budget,
		StartedAt: now, ExpiresAt: time.Unix(p.Expires, 0),
	}
	if g.Name == "" {
		g.Name = p.Subject
	}
	return g
}

func sessionOf(r Record, token string) Session {
	return Session{
		Token:     token,
		Guest:     GuestHeader{ID: r.ID, Name: r.Name, Avatar: r.Avatar, Home: r.Home},
		ExpiresAt: r.ExpiresAt.Unix(),
	}
}
