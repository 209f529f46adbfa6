package game

import "time"

// Visitor is a guest as their home vouches for them.
type Visitor struct {
	ID      PersonID // handle@home, lasting
	VisitID string
	Name    string
	Avatar  string
	Home    string         // platform
	Stats   map[string]int // only what was brought; nothing is made up
	// NoMoney says that money from home can't be used on this visit: then the
	// town gives some of its own.
	NoMoney bool
}

// Souvenirs are what a guest takes home.
type Souvenirs struct {
	Stats    map[string]int // changes that really happened during the visit
	Verbs    []string       // what was done, by shared word
	Postcard string         // at most 280 code points
}

// Homecoming is what a resident brings back from abroad.
type Homecoming struct {
	VisitID  string
	Host     string // platform
	HostName string
	Reason   string
	Stayed   time.Duration
	Stats    map[string]int // already capped by the protocol
	Verbs    []string
	Postcard string
}

// Postcard is kept from each visit abroad.
type Postcard struct {
	VisitID  string
	Host     string
	HostName string
	Reason   string
	Text     string // "" where the host wrote none
	Verbs    []string
	Changes  map[string]int // what was applied
	Stayed   time.Duration
	At       time.Time
}

// EntryKind says what a movement of money was for.
type EntryKind string

// The kinds of entries on a statement.
const (
	EntryStart    EntryKind = "start"
	EntryBought   EntryKind = "bought"
	EntryFare     EntryKind = "fare"
	EntryWage     EntryKind = "wage"
	EntryRent     EntryKind = "rent"
	EntrySold     EntryKind = "sold"   // a stall's takings
	EntryAbroad   EntryKind = "abroad" // spent on a visit
	EntryReturned EntryKind = "returned"
	EntryUnsold   EntryKind = "unsold" // a share given back with the goods
	EntryPocket   EntryKind = "pocket" // given to a guest to spend, or left over
)

// Entry is one line on a statement. Amount is positive when money came in.
type Entry struct {
	ID       int64 // grows; set by the store
	Kind     EntryKind
	Text     string
	Amount   int64
	At       time.Time
	Ref      string // charge or refund id, sale id; "" at home
	VisitID  string // of money spent abroad
	Host     string // platform where it was spent
	HostCost int64  // the price where it was bought, in minor units of HostCode
	HostCode string // currency of HostCost
}

// Taking is one line in the book of a stall.
type Taking struct {
	At       time.Time
	What     string
	Guest    string // name of a guest who bought it, "" for someone who lives here
	Home     string // the guest's platform
	Price    int64
	Share    int64
	Returned time.Time // when it was given back, zero otherwise
	Covered  bool      // then the town bore the refund and the share stayed
}

// StallBook is what a stall has brought its owner.
type StallBook struct {
	Place   *Place   // nil for someone who runs none
	Takings []Taking // newest first
	Earned  int64    // by all there ever were, less what was given back
}

// MessageState is how far a message has come.
type MessageState string

// A message is sending until its letter's end is known.
const (
	MessageSending   MessageState = "sending"
	MessageWaiting   MessageState = "waiting" // held until the other game is back
	MessageDelivered MessageState = "delivered"
	MessageFailed    MessageState = "failed"
)

// Message is one message as one side sees it.
type Message struct {
	ID    string   // unique for its sender
	Owner PersonID // whose copy it is
	With  string   // the other side: handle, or player id abroad
	Mine  bool     // Owner wrote it
	Text  string
	State MessageState
	Why   string // the code that ended a failed one
	At    time.Time
	Read  bool

	ReplyTo string  // id of the letter that this one answers, or ""
	Invite  *Invite // nil for a plain letter; Text may then be ""
}

// Conversation is the newest of what two people wrote.
type Conversation struct {
	With   string
	Name   string // shown name, "" where it isn't known
	Avatar string
	Last   string
	Invite bool // the last one is an invitation, and Last its label
	Mine   bool // the last one is Owner's
	State  MessageState
	At     time.Time
	Unread int
}
