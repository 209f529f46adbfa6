// Package game is the simulation: a town read from a folder, its clock, its
// people with their stats and wallets, and what they can do. It knows no HTTP,
// no protocol and no database. Build a Town with New and call its methods;
// everything is loaded, ruled on and saved in one transaction per call.
package game

import (
	"context"
	"strings"
	"time"
)

// PersonID names someone in the town: a resident by handle ("tunde"), a guest
// by lasting identity ("tunde@lagos.example").
type PersonID string

// Guest reports whether the person is a visitor.
func (p PersonID) Guest() bool { return strings.Contains(string(p), "@") }

// Home is the platform a guest is of, "" for a resident.
func (p PersonID) Home() string {
	_, home, _ := strings.Cut(string(p), "@")
	return home
}

// View is all that one person sees of the town at one moment.
type View struct {
	Person   Person
	Now      TownTime
	Here     *Place // nil while travelling
	Journey  *Journey
	Busy     *Busy // an activity under way
	Stats    []StatView
	Balance  int64 // minor units of the world's currency; of guests, what is left of Pocket
	Pocket   int64 // what the town gave a guest to spend, 0 for none
	Options  []Option
	Routes   []Route // ways to every other place
	People   []Neighbour
	News     []Note // what happened lately, newest first
	Surprise *Note  // today's
	Goals    []Goal
}

// Person is a resident or a guest.
type Person struct {
	ID           PersonID
	Name         string
	Avatar       string
	Bio          string // what a resident tells of themselves, may be ""
	Home         string // platform of a guest, "" for a resident
	Discoverable bool
	Demo         bool   // may be played by everyone in local mode
	Job          string // title of the last shift's job
	Stall        string // slug of the place whose stall they own
	VisitID      string // of a guest's present visit
}

// TownTime is the town's own time: one real second is one game minute by default.
type TownTime struct {
	Day    int    // from 1
	Minute int    // of the day, 0-1439
	Phase  string // dawn, day, dusk, night
}

// StatView is a stat as shown. Absent stats of guests are left out.
type StatView struct {
	ID    string // vocabulary id
	Value int    // 0-100
	Hint  string // what helps when it is low, "" otherwise
}

// Option is an activity at the place where the person is.
type Option struct {
	Activity Activity
	Price    int64  // minor units; negative is a wage
	Seller   string // name of who runs the stall that sells it; "" is the town
	Can      bool
	Why      string // why not, in words
}

// Route is a way to go to another place.
type Route struct {
	Place   string
	Mode    string // vocabulary id
	Label   string
	Minutes int
	Price   int64
	Can     bool
	Why     string
}

// Journey is a walk or ride under way.
type Journey struct {
	From, To string // place slugs
	Mode     string
	Started  time.Time
	Arrives  time.Time
}

// Busy is an activity under way; the person is free again at Until.
type Busy struct {
	Activity string
	Label    string
	Started  time.Time
	Until    time.Time
}

// Neighbour is someone else in the town, as shown on the map.
type Neighbour struct {
	ID     PersonID
	Name   string
	Avatar string
	Home   string // platform of a guest
	Place  string // slug; where they are or where they go to
	Doing  string
}

// Note is one line of news for a person.
type Note struct {
	At   time.Time
	Text string
	Icon string
}

// Goal is something to strive for.
type Goal struct {
	ID, Label, Icon string
	Done            bool
	Progress        int // 0-100
}

// Outcome is what an action did.
type Outcome struct {
	Text    string
	Changes map[string]int // stats
	Money   int64
	Until   time.Time
}

// SaleState is where a guest's purchase stands (asked, paid, refused, void, refunded).
type SaleState string

// The states of a sale. Goods and the seller's credit come with SalePaid only.
const (
	SaleAsked    SaleState = "asked"
	SalePaid     SaleState = "paid"
	SaleRefused  SaleState = "refused"
	SaleVoid     SaleState = "void"
	SaleRefunded SaleState = "refunded"
)

// Goods says where what was sold is.
type Goods string

// Goods are kept until the sale is paid; a guest who gives them back hands them
// over the counter first, and they are kept again.
const (
	GoodsKept  Goods = "kept"
	GoodsGiven Goods = "given" // to the guest, or sent after them
)

// Sale is one purchase of a guest at this town.
type Sale struct {
	ID       string // the charge id
	VisitID  string
	Guest    PersonID
	Place    string
	Activity string
	Label    string
	Price    int64 // minor units of Currency
	Currency string
	State    SaleState
	Why      string // the code that ended it, "" while asked or paid
	Item     string // what the guest keeps, "" for what is eaten or enjoyed
	AskedAt  time.Time
	EndedAt  time.Time // zero while asked

	Refundable  bool
	Seller      PersonID // who runs the stall, "" is the town
	SellerShare int64    // what the seller gets once the goods are given
	SellerPaid  bool     // and hasn't given it back

	Goods     Goods
	Gave      map[string]int // what the goods did to the guest's stats
	RefundID  string         // of the last wish to give it back, "" without one
	RefundWhy string         // the code that refused that wish, "" while it is asked
}

// Thing is what was bought: the item, or what is done with it.
func (s Sale) Thing() string {
	if s.Item != "" {
		return s.Item
	}
	return s.Label
}

// Returning reports whether it has been asked for that the money go back.
func (s Sale) Returning() bool { return s.State == SalePaid && s.RefundID != "" && s.RefundWhy == "" }

// Owed reports whether it is paid although the guest had left and nothing could
// be sent after them: the money must go back.
func (s Sale) Owed() bool { return s.State == SalePaid && s.Goods == GoodsKept && s.RefundID == "" }

// Clock tells the time.
type Clock func() time.Time

// Tx runs fn in one transaction that rides in the context.
type Tx func(ctx context.Context, fn func(ctx context.Context) error) error
