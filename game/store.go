package game

import (
	"context"
	"time"
)

// Someone is a person as kept: the state from which, with the clock, all else
// is computed.
type Someone struct {
	Person
	Version int64 // counts saves
	SeenAt  time.Time
	Stats   Stats
	StatsAt time.Time

	Place   string // where they are, or are going
	From    string // of the last journey
	Mode    string
	Left    time.Time
	Arrives time.Time

	Doing      string // id of the last activity
	DoingSince time.Time
	DoingUntil time.Time

	RentDay int // the last day rent was asked for

	// Of guests.
	Present bool           // residents always are
	Brought map[string]int // what the passport said of the stats the game knows
	Deeds   []string       // activities of this visit, in order, each once
	Pocket  int64          // what the town gave them to spend on this visit
}

// Deed is how often someone did an activity.
type Deed struct {
	Activity string
	Times    int
	LastAt   time.Time
}

// Owner is who runs a stall.
type Owner struct {
	ID   PersonID
	Name string
}

// Accounts of the ledger that belong to nobody. All may run below zero: what
// they owe is what the players have.
const (
	accountTown      = "town"
	accountAbroad    = "abroad"
	accountUnclaimed = "unclaimed" // of players who are gone
)

// SystemAccounts are the accounts that exist from the first day.
func SystemAccounts() []string { return []string{accountTown, accountAbroad, accountUnclaimed} }

// MaxMoney bounds every amount and balance: the largest integer that all JSON
// readers keep exact.
const MaxMoney = 1<<53 - 1

// Transfer moves money from one account to another: two entries that sum to zero.
type Transfer struct {
	ID       string
	From, To string
	Amount   int64
	Overdraw bool // may bring From below zero
	Entry    Entry
}

// Login is how a resident signs in.
type Login struct {
	Handle   string
	Password string // argon2id, PHC form
}

// Session is a signed-in browser, by the hash of its token.
type Session struct {
	Hash    string
	Person  PersonID
	Expires time.Time
}

// Store is what a Town needs kept. Writing methods are called inside a
// transaction; each returns only the game's errors that it names, else faults.
type Store interface {
	People
	Ledger
	Sales
	Mail
	Logins
	Gatehouse
	// Founded is when the town began; ok is false before Found.
	Founded(ctx context.Context) (at time.Time, ok bool, err error)
	// Found sets it, unless it is set.
	Found(ctx context.Context, at time.Time) error
	// AfterCommit runs fn once the outermost transaction is committed.
	AfterCommit(ctx context.Context, fn func())
}

// People are the residents and guests.
type People interface {
	// Someone is ErrNoPlayer for a stranger.
	Someone(ctx context.Context, id PersonID) (Someone, error)
	// Add is ErrTaken for an id that is there.
	Add(ctx context.Context, s Someone) error
	// Save writes s if it is still at s.Version, else ErrBusy.
	Save(ctx context.Context, s Someone) error
	// Lately are the people present, last seen first; place "" is anywhere.
	Lately(ctx context.Context, place string, limit int) ([]Someone, error)
	// CountAt is how many people are at a place, limit at most; who is on the
	// way there isn't.
	CountAt(ctx context.Context, place string, at time.Time, limit int) (int, error)

	Deeds(ctx context.Context, id PersonID) ([]Deed, error)
	// Did counts one more.
	Did(ctx context.Context, id PersonID, activity string, at time.Time) error

	Stalls(ctx context.Context) (map[string]Owner, error)
	// TakeStall is ErrTaken when someone has it or id has another.
	TakeStall(ctx context.Context, place string, id PersonID, at time.Time) error

	Notes(ctx context.Context, id PersonID, limit int) ([]Note, error)
	// AddNote keeps the newest limit ones.
	AddNote(ctx context.Context, id PersonID, n Note, limit int) error

	Postcards(ctx context.Context, handle string, limit int) ([]Postcard, error)
	Postcard(ctx context.Context, handle, visitID string) (p Postcard, ok bool, err error)
	AddPostcard(ctx context.Context, handle string, p Postcard) error
	CountPostcards(ctx context.Context, handle string) (int, error)
}

// Ledger holds the money.
type Ledger interface {
	OpenAccount(ctx context.Context, account string) error
	// Balance is ErrNoPlayer for an account that isn't there.
	Balance(ctx context.Context, account string) (int64, error)
	// Transfer takes from From only if it is there, in one statement. ErrPoor
	// when it isn't, ErrNoPlayer when To isn't there, ErrInvalid past MaxMoney.
	Transfer(ctx context.Context, t Transfer, at time.Time) error
	Statement(ctx context.Context, account string, limit int) ([]Entry, error)
	// Sold are the newest entries by which sales came in, newest first.
	Sold(ctx context.Context, account string, limit int) ([]Entry, error)
	// Earned is the sum of all of them, less what was given back.
	Earned(ctx context.Context, account string) (int64, error)
}

// Sales are what guests buy.
type Sales interface {
	// Sale is ErrNoSuch for an unknown id.
	Sale(ctx context.Context, id string) (Sale, error)
	SalesOf(ctx context.Context, visitID string) ([]Sale, error)
	// SalesByID are those of the ids that are there, in no order.
	SalesByID(ctx context.Context, ids []string) ([]Sale, error)
	// SalesKept are a guest's that are paid and whose goods are kept.
	SalesKept(ctx context.Context, guest PersonID) ([]Sale, error)
	AddSale(ctx context.Context, s Sale) error
	// MoveSale writes all that may change of a sale, if it still stands as it was;
	// moved tells.
	MoveSale(ctx context.Context, s, was Sale) (moved bool, err error)
}

// Mail are the messages.
type Mail interface {
	// AddMessage keeps a copy and its conversation; added is false for one that is there.
	AddMessage(ctx context.Context, m Message) (added bool, err error)
	// EndMessage moves a message of a resident from sending or waiting on; ErrNoSuch.
	EndMessage(ctx context.Context, id string, state MessageState, why string) (owner PersonID, err error)
	// WroteTo reports whether owner has written to with.
	WroteTo(ctx context.Context, owner PersonID, with string) (bool, error)
	Conversations(ctx context.Context, owner PersonID, limit int) ([]Conversation, error)
	Messages(ctx context.Context, owner PersonID, with string, limit int) ([]Message, error)
	MarkRead(ctx context.Context, owner PersonID, with string) error
	Unread(ctx context.Context, owner PersonID) (int, error)
	// Letter is one message that with wrote to owner; ErrNoSuch.
	Letter(ctx context.Context, owner PersonID, with, id string) (Message, error)
	// Blocked reports whether owner has blocked with, or the game that with is of.
	Blocked(ctx context.Context, owner PersonID, with string) (bool, error)
	SetBlocked(ctx context.Context, owner PersonID, with string, on bool) error
	// Blocks are whom owner has blocked.
	Blocks(ctx context.Context, owner PersonID, limit int) ([]string, error)
}

// Logins are passwords, recovery codes and sessions.
type Logins interface {
	// Login is ErrNoSuch for an unknown handle.
	Login(ctx context.Context, handle string) (Login, error)
	SetLogin(ctx context.Context, l Login) error
	SetCodes(ctx context.Context, handle string, hashes []string) error
	// UseCode removes a recovery code; used is false when it isn't there.
	UseCode(ctx context.Context, handle, hash string) (used bool, err error)
	AddSession(ctx context.Context, s Session, now time.Time) error
	// Session is ErrNoSuch for one that is unknown or past its end.
	Session(ctx context.Context, hash string, now time.Time) (Session, error)
	DropSession(ctx context.Context, hash string) error
	DropSessions(ctx context.Context, id PersonID) error
}

// Gatehouse is what the keeper decides, and who the keeper is.
type Gatehouse interface {
	// Keepers is how many there are.
	Keepers(ctx context.Context) (int, error)
	IsKeeper(ctx context.Context, who PersonID) (bool, error)
	AddKeeper(ctx context.Context, who PersonID) error
	// SetKeeperKey replaces the hash of the one-time key, "" for none.
	SetKeeperKey(ctx context.Context, hash string) error
	// UseKeeperKey removes the key; used is false when it is another.
	UseKeeperKey(ctx context.Context, hash string) (used bool, err error)
	GatesClosed(ctx context.Context) (bool, error)
	SetGatesClosed(ctx context.Context, closed bool) error
	// Barred are the games and guests that are kept out, the latest first.
	Barred(ctx context.Context) ([]string, error)
	SetBarred(ctx context.Context, who string, on bool, at time.Time) error
}
