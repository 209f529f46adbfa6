package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"sgip.example/starter/sgip"
)

// ErrNone is what a store answers when there is no such row.
var ErrNone = errors.New("no such row")

// Store keeps what the hub knows. Writes happen in the transaction that rides
// in the context; a condition that no longer holds comes back as false, read
// from the row count, never as an error.
type Store interface {
	PlatformStore
	SuspensionStore
	KeyStore
	VisitStore
	CounterStore
	ChargeStore
	CreditStore
}

// Registration is a platform as of its last hello.
type Registration struct {
	ID           string
	Revision     int64 // grows with each hello; tells a cached descriptor from a new one
	Descriptor   sgip.Descriptor
	RegisteredAt time.Time // first hello
	HelloAt      time.Time // last hello
	Online       bool      // it answered, or said hello, last
}

// PlatformStore is the registry's part.
type PlatformStore interface {
	// Platform finds one registration, or ErrNone.
	Platform(ctx context.Context, id string) (Registration, error)
	// Revisions tells the current revision of those of ids that are registered.
	Revisions(ctx context.Context, ids []string) (map[string]int64, error)
	// PlatformIDs lists up to limit ids after the given one, in order, but for the
	// suspended ones.
	PlatformIDs(ctx context.Context, after string, limit int) ([]string, error)
	// SaveRegistration writes r with its keys and edges in place of what was
	// there. The first hello's RegisteredAt stays; it is returned.
	SaveRegistration(ctx context.Context, r Registration, keys []sgip.PublicKey) (registeredAt time.Time, err error)
	// Listers finds the platforms that list a key.
	Listers(ctx context.Context, keyID string) ([]Lister, error)
	// Edges are all accepts entries of the network but those of one platform.
	Edges(ctx context.Context, except string) ([]sgip.Edge, error)
	// SetOnline writes down which platforms answered last.
	SetOnline(ctx context.Context, online map[string]bool) error
}

// Lister is a platform that lists a key.
type Lister struct {
	Platform  string
	PublicKey string
}

// KeyStore keeps until when each of the hub's own keys may be trusted.
type KeyStore interface {
	// KeyExpiry is the time published last for a key, or ErrNone.
	KeyExpiry(ctx context.Context, keyID string) (time.Time, error)
	// MoveKeyExpiry moves it on, never back.
	MoveKeyExpiry(ctx context.Context, keyID string, to time.Time) error
}

// Visit is a player's stay at a host, as the hub keeps it. Budget and scope are
// those of the first request.
type Visit struct {
	ID        string
	Home      string
	Player    string // handle@home
	Host      string
	Scope     []string
	Budget    *sgip.Money
	Profile   sgip.Profile
	StartedAt time.Time
	ExpiresAt time.Time // of the last passport
	Over      bool
}

// UnderWay reports whether the visit is neither over nor past its last passport.
func (v Visit) UnderWay(now time.Time) bool { return !v.Over && now.Before(v.ExpiresAt) }

// MayPay reports whether home money may be spent on the visit.
func (v Visit) MayPay() bool { return v.Budget != nil && slices.Contains(v.Scope, sgip.ScopePay) }

// VisitStore keeps visits.
type VisitStore interface {
	AddVisit(ctx context.Context, v Visit) error
	// Visit finds one, or ErrNone.
	Visit(ctx context.Context, id string) (Visit, error)
	// ExtendVisit moves a visit's expiry and profile on; false if it is over.
	ExtendVisit(ctx context.Context, v Visit) (bool, error)
	// EndVisit marks a visit over; repeating it is fine.
	EndVisit(ctx context.Context, id string, at time.Time) error
	// EndVisitsOf ends what the player still has under way at the host.
	EndVisitsOf(ctx context.Context, player, host string, at time.Time) error
	// VisitsUnderWay counts the visits under way at each host.
	VisitsUnderWay(ctx context.Context, now time.Time) (map[string]int, error)
}

// Kinds of Counter.
const (
	countBudget = "budget" // Owner: home, Party: visit id, Give: currency
	countDaily  = "daily"  // Owner: home, Party: player, Give: currency
	countInflow = "inflow" // Owner: host, Party: home, Give and Get: currencies
)

// Counter names one sum that a limit is held against (contract 7.4).
type Counter struct {
	Kind, Owner, Party, Give, Get string
	Day                           string // UTC, 2026-01-31; "" for a trip budget
}

// CounterStore keeps the sums. Reserving is one conditional statement, so
// parallel charges can't pass a limit together.
type CounterStore interface {
	// Reserve adds amount if the sum stays within limit; false if it would not.
	Reserve(ctx context.Context, c Counter, amount, limit int64) (bool, error)
	// Release takes amount off again. Taking off more than is there is an error.
	Release(ctx context.Context, c Counter, amount int64) error
	// Used is the sum.
	Used(ctx context.Context, c Counter) (int64, error)
}

// ChargeState is where a charge stands.
type ChargeState string

// The states of a charge. Asked is the only one that moves on.
const (
	ChargeAsked   ChargeState = "asked"   // written down; the debit may have been sent
	ChargeSettled ChargeState = "settled" // the home game took the money
	ChargeFailed  ChargeState = "failed"  // the home game refused
	ChargeVoid    ChargeState = "void"    // no definite answer; the whole debit is owed back
)

// Charge is one purchase with home money.
type Charge struct {
	ID         string
	VisitID    string
	Host       string
	Home       string
	Player     string
	Amount     sgip.Money // the host's price
	Debit      sgip.Money // what it costs at home
	Day        string     // UTC day whose limits it counts against
	State      ChargeState
	Code       sgip.Code // why it failed
	Refunded   int64     // host money committed to refunds
	Credited   int64     // home money committed to refunds
	Run        string    // the run of the hub that asked
	AcceptedAt time.Time
	Limits     Limits // that it was held to
}

// Limits are the two that change with a hello, as they were when a charge was
// accepted. The third, the trip's budget, stays for the whole visit.
type Limits struct {
	Daily  int64 // the home game's, in home money
	Inflow int64 // the host's, in its own
}

// ChargeStore keeps charges and the ids of all that moves money.
type ChargeStore interface {
	// ClaimID takes a charge, refund or void id for a platform. It returns who
	// has it: the platform itself, or an earlier one.
	ClaimID(ctx context.Context, id, platform string) (owner string, err error)
	AddCharge(ctx context.Context, c Charge) error
	// Charge finds one, or ErrNone.
	Charge(ctx context.Context, id string) (Charge, error)
	// DecideCharge moves a charge on from asked; false if it has been decided.
	DecideCharge(ctx context.Context, id string, to ChargeState, code sgip.Code) (bool, error)
	// CommitRefund adds to what is committed; false if the charge isn't settled
	// or less remains.
	CommitRefund(ctx context.Context, id string, amount, credit int64) (bool, error)
	// Undecided lists up to limit charges still asked that were asked by
	// another run, or accepted before the given time.
	Undecided(ctx context.Context, run string, before time.Time, limit int) ([]Charge, error)
}

// Credit is money owed back to a player, for a refund or a void.
type Credit struct {
	RefundID    string
	ChargeID    string
	LetterID    string // of the wallet.credit@1 that carries it, "" for a share of 0
	Reason      string
	HostAmount  sgip.Money
	Amount      sgip.Money
	Settled     bool
	CommittedAt time.Time
	SettledAt   time.Time
}

// CreditStore keeps credits.
type CreditStore interface {
	AddCredit(ctx context.Context, c Credit) error
	// Credit finds one by its refund id, or ErrNone.
	Credit(ctx context.Context, refundID string) (Credit, error)
	// CreditByLetter finds the one that a letter carries, or ErrNone.
	CreditByLetter(ctx context.Context, letterID string) (Credit, error)
	// SettleCredit marks it settled; false if it was already.
	SettleCredit(ctx context.Context, refundID string, at time.Time) (bool, error)
}
