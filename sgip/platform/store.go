package platform

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// Store is what a seat keeps on disk. Writing methods are called inside a
// transaction that rides in ctx.
type Store interface {
	Book
	Travels
	Listings
}

// DebitState says where a debit stands in the book.
type DebitState string

// The states of a debit. Asked is only seen within the transaction that decides
// it. A barred charge id was credited without having taken anything, so a late
// debit with it is forbidden; a voided one took money and gave it back.
const (
	DebitAsked   DebitState = "asked"
	DebitTaken   DebitState = "taken"
	DebitRefused DebitState = "refused"
	DebitVoided  DebitState = "voided"
	DebitBarred  DebitState = "barred"
)

// Debit is one charge id in the book. Of a barred one that was never asked only
// ChargeID is known. Code and Message are the refusal's.
type Debit struct {
	sgip.DebitPayload
	State    DebitState
	Code     sgip.Code
	Message  string
	Credited int64
	At       time.Time
}

// Credit is one refund id in the book. Moved is what it gave back: the whole
// amount, or 0 where its debit had taken nothing.
type Credit struct {
	sgip.CreditPayload
	Moved int64
	At    time.Time
}

// Book remembers every charge and refund id for ever (contract 7.4).
type Book interface {
	// ClaimDebit writes d, or returns what stands under its charge id already.
	ClaimDebit(ctx context.Context, d Debit) (kept Debit, first bool, err error)
	// DecideDebit sets the state of a charge id, with the refusal if there is one.
	DecideDebit(ctx context.Context, chargeID string, to DebitState, refusal *sgip.Error) error
	// ClaimCredit writes c, or returns what stands under its refund id already.
	ClaimCredit(ctx context.Context, c Credit) (kept Credit, first bool, err error)
	// GiveBack counts amount as credited, in one conditional step; false if the
	// debit hasn't that much left.
	GiveBack(ctx context.Context, chargeID string, amount int64) (bool, error)
	// Purchases lists what visits took and got back, oldest first.
	Purchases(ctx context.Context, visitIDs []string) ([]Purchase, error)
}

// TripRecord is a trip as it is stored. Spent is computed when it is read.
type TripRecord struct {
	Trip
	Passport string
	IssuedAt time.Time      // when the passport was received
	ClosedAt time.Time      // when the player came home here; zero before
	EndedAt  time.Time      // when visit.end@1 was applied; zero before
	Accepted map[string]int // what visit.end@1 applied
}

// Travels keeps the trips of this game's players.
type Travels interface {
	// AddTrip writes a new trip.
	AddTrip(ctx context.Context, t TripRecord) error
	// Trip finds a trip, nil where there is none.
	Trip(ctx context.Context, visitID string) (*TripRecord, error)
	// TripsOf lists a player's trips, newest first, at most limit.
	TripsOf(ctx context.Context, handle string, limit int) ([]TripRecord, error)
	// RenewTrip keeps a refreshed passport, unless the trip has been closed.
	RenewTrip(ctx context.Context, visitID, passport string, issued, expires time.Time) error
	// CloseTrips closes one trip of a player, or all where visitID is "", and
	// forgets the passports.
	CloseTrips(ctx context.Context, handle, visitID string, at time.Time) error
	// EndTrip writes what visit.end@1 applied; false if that was done before.
	EndTrip(ctx context.Context, visitID string, accepted map[string]int, at time.Time) (bool, error)
}

// Listed is a directory entry with the time it was fetched.
type Listed struct {
	sgip.DirectoryEntry
	At time.Time
}

// Listings keeps the last copy of the directory, for when the hub is away.
type Listings interface {
	// Replace makes entries the whole directory.
	Replace(ctx context.Context, entries []Listed) error
	// List writes one entry.
	List(ctx context.Context, entry Listed) error
	// Unlist removes one.
	Unlist(ctx context.Context, platform string) error
	// Listed gives one entry, or nil.
	Listed(ctx context.Context, platform string) (*Listed, error)
	// AllListed gives all entries, ordered by id.
	AllListed(ctx context.Context) ([]Listed, error)
}
