package exchange

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// Store is what an Inbox and an Outbox keep. All methods that write run in the
// transaction of ctx.
type Store interface {
	Transactions
	Nonces
	Claims
	Letters
}

// Transactions are those of the database that holds everything else too.
type Transactions interface {
	// InTx runs fn in one transaction; nested, in a savepoint.
	InTx(ctx context.Context, fn func(ctx context.Context) error) error
	// AfterCommit runs fn once the transaction in ctx has been committed.
	AfterCommit(ctx context.Context, fn func())
}

// Nonces are remembered per key until no request with them can be fresh.
type Nonces interface {
	// SpendNonce is false if the key has used the nonce and that isn't over yet.
	SpendNonce(ctx context.Context, keyID, nonce string, now, until time.Time) (fresh bool, err error)
	// DropNonces forgets up to most nonces that were remembered until before now.
	DropNonces(ctx context.Context, now time.Time, most int) error
}

// Claim is one envelope taken on, unique by sender and id. While Reply is nil it
// is being worked on, and Body holds the bytes received; with neither it waits
// for its end, and whoever sends it again is answered anew.
type Claim struct {
	Platform string
	ID       string
	Hash     [32]byte // SHA-256 of the body
	KeyID    string
	Body     []byte
	Reply    []byte
	Expires  time.Time // of the answer; zero for never
}

// Claims are the envelopes that have been taken on, with their answers.
type Claims interface {
	Claim(ctx context.Context, platform, id string) (c Claim, found bool, err error)
	AddClaim(ctx context.Context, c Claim) error
	// AnswerClaim writes the answer down, and the body is needed no more.
	AnswerClaim(ctx context.Context, platform, id string, reply []byte, expires time.Time) error
	// ParkClaim makes a claim wait for its end; the body is needed no more.
	ParkClaim(ctx context.Context, platform, id string, expires time.Time) error
	// DropClaim forgets a claim that is being worked on, so that the same envelope
	// can be tried again. One that waits stays.
	DropClaim(ctx context.Context, platform, id string) error
	// OpenClaims are all that are being worked on.
	OpenClaims(ctx context.Context) ([]Claim, error)
	// DropAnswers forgets up to most answers, or waiting claims, that expired before now.
	DropAnswers(ctx context.Context, now time.Time, most int) error
}

// Draft is a letter as it will be sent next.
type Draft struct {
	Letter
	Due    time.Time
	Queued bool // the hub holds it for an offline platform
}

// Letters are what is to be sent.
type Letters interface {
	AddLetter(ctx context.Context, d Draft) error
	HasLetter(ctx context.Context, id string) (bool, error)
	// LettersInLane and LettersTo count what waits.
	LettersInLane(ctx context.Context, lane string) (int, error)
	LettersTo(ctx context.Context, platform string) (int, error)
	// LetterPlatforms are those that letters wait for.
	LetterPlatforms(ctx context.Context) ([]string, error)
	// DueLetters are up to most letters due at now but for those to some
	// platforms, the longest due first; of each lane the oldest that isn't queued
	// and the oldest that is.
	DueLetters(ctx context.Context, now time.Time, most int, but []string) ([]Draft, error)
	// NextDue is when the next letter falls due after now; false if none does.
	NextDue(ctx context.Context, now time.Time) (time.Time, bool, error)
	// PostponeLetter writes down Attempts, EnvelopeID, Body, Due and Queued.
	PostponeLetter(ctx context.Context, d Draft) error
	// RemoveLetter is false if the letter was gone already.
	RemoveLetter(ctx context.Context, id string) (removed bool, err error)
	// WakeLetters makes a platform's letters due now, everyone's for "".
	WakeLetters(ctx context.Context, platform string, now time.Time) error
}

// retention is how long an answer is kept: at least the 48 hours of contract 4,
// with a day to spare for clocks and restarts. Those of wallet operations are
// kept for ever.
const retention = 72 * time.Hour

func expiry(op sgip.Op, now time.Time) time.Time {
	switch op {
	case sgip.WalletBalance, sgip.WalletCharge, sgip.WalletRefund, sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit:
		return time.Time{}
	}
	return now.Add(retention)
}
