package platform

import (
	"context"
	"net/url"
	"strings"
	"time"

	"sgip.example/starter/sgip"
)

// Limits of trips.
const (
	refreshEvery  = 10 * time.Minute // of a passport, by the clock (7.1)
	minTicketLife = 60 * time.Second // left when a passport is handed over (contract 7.2)
	maxTrips      = 200              // shown of one player
)

// Depart asks the hub for a passport (visit.request@1) and writes the trip down;
// whatever trip the player was on is closed. It asks over the network, so it
// must not run in a transaction. The refusals are the hub's: Forbidden where the
// host takes no visitors or no such money, NotFound for an unknown host,
// PlatformOffline where the hub is away.
func (s *Seat) Depart(ctx context.Context, r TripRequest) (Trip, error) {
	payload := sgip.VisitRequestPayload{
		Host: r.Host, Budget: r.Budget, Scope: []string{sgip.ScopeVisit}, Profile: &r.Profile,
	}
	if r.Budget != nil {
		payload.Scope = append(payload.Scope, sgip.ScopePay)
	}
	var result sgip.VisitRequestResult
	player := sgip.PlayerID(r.Handle, s.c.ID)
	if err := s.ask(ctx, sgip.VisitRequest, player, payload, &result); err != nil {
		return Trip{}, err
	}
	if err := checkLaunch(result); err != nil {
		return Trip{}, err
	}
	now := s.c.Clock()
	record := TripRecord{
		Trip: Trip{
			VisitID: result.VisitID, Handle: r.Handle, Host: r.Host, HostName: r.Host,
			HostOrigin: result.HostOrigin, LaunchURL: result.LaunchURL, Embed: result.Embed.Allowed,
			Budget: r.Budget, StartedAt: now, ExpiresAt: time.Unix(result.ExpiresAt, 0),
		},
		Passport: result.Passport, IssuedAt: now,
	}
	if entry, err := s.Entry(ctx, r.Host); err == nil {
		record.HostName, record.HostIcon = entry.Name, entry.Icon
	}
	err := s.c.InTx(ctx, func(ctx context.Context) error {
		if err := s.c.Store.CloseTrips(ctx, r.Handle, "", now); err != nil {
			return err
		}
		return s.c.Store.AddTrip(ctx, record)
	})
	return record.Trip, err
}

// checkLaunch wants the launch URL on the origin that the passport is posted to,
// which browsers write without the scheme's own port.
func checkLaunch(r sgip.VisitRequestResult) error {
	launch, err := url.Parse(r.LaunchURL)
	if err == nil {
		host := strings.ToLower(launch.Host)
		if launch.Scheme == "https" {
			host = strings.TrimSuffix(host, ":443")
		} else {
			host = strings.TrimSuffix(host, ":80")
		}
		if host != "" && launch.Scheme+"://"+host == r.HostOrigin {
			return nil
		}
	}
	return sgip.Errorf(sgip.Internal, "the hub's launch_url is not on its host_origin")
}

// Ticket is a passport of the player's trip with at least 60 s left. It is
// refreshed first once it is 10 minutes old. NotFound if the trip isn't this
// player's, Forbidden once it is over, else what the hub says to the refresh.
func (s *Seat) Ticket(ctx context.Context, handle, visitID string) (Ticket, error) {
	t, err := s.tripOf(ctx, handle, visitID)
	if err != nil {
		return Ticket{}, err
	}
	now := s.c.Clock()
	if t.Over {
		return Ticket{}, sgip.Errorf(sgip.Forbidden, "this trip is over")
	}
	lasts := t.ExpiresAt.Sub(now) >= minTicketLife
	if lasts && now.Sub(t.IssuedAt) < refreshEvery {
		return Ticket{Token: t.Passport, ExpiresAt: t.ExpiresAt}, nil
	}
	fresh, err, _ := s.renewals.Do(visitID, func() (any, error) {
		return s.renew(context.WithoutCancel(ctx), t)
	})
	if err == nil {
		return fresh.(Ticket), nil
	}
	if lasts { // still good enough; the next one who asks tries again
		return Ticket{Token: t.Passport, ExpiresAt: t.ExpiresAt}, nil
	}
	return Ticket{}, err
}

// renew refreshes a trip's passport (visit.request@1 with its visit_id).
func (s *Seat) renew(ctx context.Context, t *TripRecord) (Ticket, error) {
	var result sgip.VisitRequestResult
	payload := sgip.VisitRequestPayload{Host: t.Host, VisitID: t.VisitID}
	if err := s.ask(ctx, sgip.VisitRequest, sgip.PlayerID(t.Handle, s.c.ID), payload, &result); err != nil {
		return Ticket{}, err
	}
	if result.VisitID != t.VisitID {
		return Ticket{}, sgip.Errorf(sgip.Internal, "the hub refreshed another visit")
	}
	fresh := Ticket{Token: result.Passport, ExpiresAt: time.Unix(result.ExpiresAt, 0)}
	err := s.c.InTx(ctx, func(ctx context.Context) error {
		return s.c.Store.RenewTrip(ctx, t.VisitID, fresh.Token, s.c.Clock(), fresh.ExpiresAt)
	})
	return fresh, err
}

// Trip is the player's trip under way, or nil.
func (s *Seat) Trip(ctx context.Context, handle string) (*Trip, error) {
	records, err := s.c.Store.TripsOf(ctx, handle, 1)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	t := s.seen(&records[0])
	if t.Over {
		return nil, nil
	}
	return &t.Trip, nil
}

// Trips lists the player's trips, newest first.
func (s *Seat) Trips(ctx context.Context, handle string) ([]Trip, error) {
	records, err := s.c.Store.TripsOf(ctx, handle, maxTrips)
	if err != nil {
		return nil, err
	}
	trips := make([]Trip, 0, len(records))
	for i := range records {
		trips = append(trips, s.seen(&records[i]).Trip)
	}
	return trips, nil
}

// Purchases lists what trips took from the player's wallet and gave back,
// oldest first; a credit has its RefundID.
func (s *Seat) Purchases(ctx context.Context, visitIDs ...string) ([]Purchase, error) {
	return s.c.Store.Purchases(ctx, visitIDs)
}

// CloseTrip notes that the player is home: the frame is closed and no passport
// is handed over any more. What the visit brought follows by visit.end@1.
func (s *Seat) CloseTrip(ctx context.Context, handle, visitID string) error {
	if _, err := s.tripOf(ctx, handle, visitID); err != nil {
		return err
	}
	return s.c.InTx(ctx, func(ctx context.Context) error {
		return s.c.Store.CloseTrips(ctx, handle, visitID, s.c.Clock())
	})
}

func (s *Seat) tripOf(ctx context.Context, handle, visitID string) (*TripRecord, error) {
	t, err := s.c.Store.Trip(ctx, visitID)
	if err != nil {
		return nil, err
	}
	if t == nil || t.Handle != handle {
		return nil, sgip.Errorf(sgip.NotFound, "no such trip")
	}
	return s.seen(t), nil
}

// seen says whether a stored trip is over now: closed here, ended by the host,
// or its last passport expired.
func (s *Seat) seen(t *TripRecord) *TripRecord {
	t.Over = !t.ClosedAt.IsZero() || !t.EndedAt.IsZero() || !s.c.Clock().Before(t.ExpiresAt)
	return t
}
