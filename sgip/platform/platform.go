// Package platform is a game's seat on the network: it says hello, keeps the
// hub's key and the directory, answers the inbox from what the game offers, and
// sends what the game wishes. A game plugs in by the small interfaces below;
// what it implements is what its descriptor declares.
//
// Call New with the game, mount Inbox and Descriptor on an HTTP server, then Run.
package platform

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// Player is how a game shows one of its players to the network.
type Player struct {
	Handle string
	Name   string
	Avatar string
}

// Game is what every game offers: the three required ops need no more.
type Game interface {
	// Discoverable finds a player whom anyone may find (player.lookup@1); an
	// sgip.NotFound error covers the absent and the hidden alike, Forbidden tells
	// an asker whom the player has blocked. asker is a player id, or the id of the
	// asking platform where it names no player.
	Discoverable(ctx context.Context, handle, asker string) (Player, error)
	// Receive delivers a message in the transaction of its envelope. NotFound
	// for an absent or hidden player, Forbidden for a blocked sender.
	Receive(ctx context.Context, m Message) error
}

// Message is a text between players of two games. From and To are player ids.
type Message struct {
	ID      string // envelope id
	ReplyTo string // envelope id of the message it answers, or ""
	From    string
	To      string
	Text    string
}

// Wallet lets players spend abroad: wallet.read, wallet.debit and wallet.credit.
// The book of charge and refund ids is kept by this package, so a Wallet only
// takes, gives and tells. All run in the caller's transaction.
type Wallet interface {
	// Balance is what the player has, possibly below zero. NotFound for a player who is gone.
	Balance(ctx context.Context, handle, currency string) (int64, error)
	// Take takes the amount only if it is there, in one step; InsufficientFunds if not.
	Take(ctx context.Context, handle string, p Purchase) error
	// Give returns all or part of a purchase. It must succeed for a player who is gone.
	Give(ctx context.Context, handle string, p Purchase) error
}

// Purchase is the home side of a charge, for the statement. Amount is home
// money, HostAmount the host's price.
type Purchase struct {
	ChargeID    string
	RefundID    string // set on Give
	VisitID     string
	Host        string
	Amount      sgip.Money
	HostAmount  sgip.Money
	Description string
	Reason      string    // sgip.CreditRefund or sgip.CreditVoid on Give
	At          time.Time // when the book took it down; set by Purchases
}

// Homecoming takes what a traveller brings back (visit.end@1), once per visit,
// in the transaction of the envelope.
type Homecoming interface {
	// ReturnHome applies the souvenirs, already capped at ±20 each, clamps to
	// 0-100 and returns the changes applied.
	ReturnHome(ctx context.Context, h Return) (map[string]int, error)
}

// Return is the end of a trip.
type Return struct {
	VisitID  string
	Handle   string
	Host     string
	HostName string
	Reason   string
	Stayed   time.Duration
	Stats    map[string]int
	Postcard string
	Verbs    []string
}

// Delivery hears what became of messages sent with Send; it runs in the
// transaction that removes the letter. err is nil when delivered.
type Delivery interface {
	Delivered(ctx context.Context, messageID string, err *sgip.Error) error
	// Waits hears, once and before Delivered, that the hub holds a message until
	// the other game is back; it runs in the transaction that writes that down.
	Waits(ctx context.Context, messageID string) error
}

// Seller hears what became of charges asked with Charge, in the transaction
// that removes the letter. err is nil when the charge is confirmed; a
// PlatformOffline that is Final means it was voided.
type Seller interface {
	Charged(ctx context.Context, chargeID string, result sgip.ChargeResult, err *sgip.Error) error
}

// Refunder hears what became of refunds asked with Refund, in the transaction
// that removes the letter: once, and only when the home game has the money (a
// refund that is pending is asked again) or the hub has refused, with err.
type Refunder interface {
	Refunded(ctx context.Context, refundID, chargeID string, result sgip.RefundResult, err *sgip.Error) error
}

// TripRequest starts a visit abroad. Budget is nil for a visit without pay.
type TripRequest struct {
	Handle  string
	Host    string
	Budget  *sgip.Money
	Profile sgip.Profile
}

// Trip is a visit abroad as the home game keeps it.
type Trip struct {
	VisitID    string
	Handle     string
	Host       string
	HostName   string
	HostIcon   string
	HostOrigin string
	LaunchURL  string
	Embed      bool
	Budget     *sgip.Money
	Spent      int64 // home money debited less credited, in minor units
	StartedAt  time.Time
	ExpiresAt  time.Time // of the last passport
	Over       bool
}

// Ticket is a passport for handing over, with at least 60 s left.
type Ticket struct {
	Token     string
	ExpiresAt time.Time
}
