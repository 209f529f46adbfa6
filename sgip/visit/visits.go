package visit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"sgip.example/starter/sgip"
)

// Limits of a guest session.
const (
	IdleAfter  = 15 * time.Minute // without doing anything (section 7.3)
	sweepEvery = 5 * time.Second
	sweepMost  = 200              // visits ended in one sweep
	seenEvery  = 30 * time.Second // activity is written down no more often
	maxToken   = 128              // of a guest token, in bytes: ours are far shorter
)

// Seat is what a visit needs of the game's seat on the network.
type Seat interface {
	// CheckPassport verifies a passport for this game.
	CheckPassport(ctx context.Context, token string) (sgip.Passport, error)
	// Entry is a game's entry in the hub's directory.
	Entry(ctx context.Context, platform string) (sgip.DirectoryEntry, error)
	// EndVisit writes visit.end@1 down, in the caller's transaction.
	EndVisit(ctx context.Context, home, player string, p sgip.VisitEndPayload) error
	// EmbedAllowed reports whether this game's visit page may be framed.
	EmbedAllowed() bool
}

// Record is a visit as it is stored. Of the guest token only the SHA-256 is kept.
type Record struct {
	Guest
	TokenHash string
	Issued    int64 // iat of the newest passport, Unix seconds
	SeenAt    time.Time
	EndedAt   time.Time // zero while under way
	Reason    string    // of the end
}

// Store keeps visits. Writing methods run in the transaction that rides in ctx.
type Store interface {
	Add(ctx context.Context, r Record) error
	// Visit finds a visit by its id, nil where there is none.
	Visit(ctx context.Context, visitID string) (*Record, error)
	// ByToken finds the visit whose current guest token has this hash, or nil.
	ByToken(ctx context.Context, tokenHash string) (*Record, error)
	// UnderWay lists the visits that haven't ended: one guest's, or all for "".
	UnderWay(ctx context.Context, guest string) ([]Record, error)
	// Due lists visits under way that expired, or were idle, at the given times.
	Due(ctx context.Context, expired, idle time.Time, limit int) ([]Record, error)
	// Renew keeps the token, passport times and activity of r.
	Renew(ctx context.Context, r Record) error
	// Seen notes activity.
	Seen(ctx context.Context, visitID string, at time.Time) error
	// End ends a visit; false if it had ended before.
	End(ctx context.Context, visitID, reason string, at time.Time) (bool, error)
}

// Config is what Visits needs; all fields but Mode are required.
type Config struct {
	Host     string // this game's platform id
	Mode     sgip.Mode
	Seat     Seat
	Stage    Stage
	Store    Store
	InTx     func(ctx context.Context, fn func(ctx context.Context) error) error
	Clock    func() time.Time
	NewToken func() string // at least 128 random bits, as text
	Log      *slog.Logger
}

// Visits receives this game's guests. Its methods are safe for concurrent use;
// refusals are *sgip.Error values with the codes of contract 7.2.
type Visits struct{ c Config }

// New makes the host's side of visits. Call Run to have visits end by themselves.
func New(c Config) *Visits { return &Visits{c: c} }

// Guest finds whose guest token this is, for the game's own guest routes. It
// doesn't count as doing something: a page looks by itself, too. Forbidden for a
// token that no longer counts, Expired once the last passport has expired; where
// that is so because the visit has ended, the error wraps an Ended.
func (v *Visits) Guest(ctx context.Context, token string) (Guest, error) {
	r, err := v.holder(ctx, token)
	if err != nil {
		return Guest{}, err
	}
	return r.Guest, nil
}

// Act is Guest for what a guest does, and notes that they are active: who does
// nothing for 15 minutes is seen home (section 7.3).
func (v *Visits) Act(ctx context.Context, token string) (Guest, error) {
	r, err := v.holder(ctx, token)
	if err != nil {
		return Guest{}, err
	}
	if now := v.c.Clock(); now.Sub(r.SeenAt) >= seenEvery {
		err = v.c.InTx(ctx, func(ctx context.Context) error { return v.c.Store.Seen(ctx, r.VisitID, now) })
	}
	return r.Guest, err
}

func (v *Visits) holder(ctx context.Context, token string) (*Record, error) {
	if token == "" || len(token) > maxToken {
		return nil, movedOn()
	}
	r, err := v.c.Store.ByToken(ctx, hash(token))
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, movedOn()
	case !r.EndedAt.IsZero():
		return nil, over(r.Reason)
	case !v.c.Clock().Before(r.ExpiresAt):
		return nil, sgip.Errorf(sgip.Expired, "the passport of this visit has expired")
	}
	return r, nil
}

// Parting is why a guest token doesn't count any more: the reason for which its
// visit ended, Expired where that is only a moment away from being written down,
// and "" for a token whose visit goes on in another page, or that never was one.
func (v *Visits) Parting(ctx context.Context, token string) (reason string, err error) {
	if token == "" || len(token) > maxToken {
		return "", nil
	}
	r, err := v.c.Store.ByToken(ctx, hash(token))
	switch {
	case err != nil || r == nil:
		return "", err
	case !r.EndedAt.IsZero():
		return r.Reason, nil
	case !v.c.Clock().Before(r.ExpiresAt):
		return sgip.EndExpired, nil
	}
	return "", nil
}

// Active lists the guests in town.
func (v *Visits) Active(ctx context.Context) ([]Guest, error) {
	records, err := v.c.Store.UnderWay(ctx, "")
	if err != nil {
		return nil, err
	}
	guests := make([]Guest, 0, len(records))
	for _, r := range records {
		guests = append(guests, r.Guest)
	}
	return guests, nil
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Ended says why a visit is over: one of the reasons of visit.end@1 (7.3).
type Ended string

func (e Ended) Error() string { return "ended: " + string(e) }

func over(reason string) error {
	return sgip.Wrap(sgip.Forbidden, Ended(reason), "this visit is over")
}

func movedOn() error {
	return sgip.Errorf(sgip.Forbidden, "this page doesn't hold the visit any more")
}
