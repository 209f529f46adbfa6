package game

import (
	"context"
	"io"
)

// Store is what a Town needs kept; see store.go.
type Store interface{}

// Town is the running town.
type Town struct{}

func New(w *World, s Store, tx Tx, clock Clock, newID func() string, random io.Reader) *Town {
	panic("unwritten")
}

// Seed creates the demo players that aren't there yet; for local mode, at start.
func (t *Town) Seed(ctx context.Context) error                       { panic("unwritten") }
func (t *Town) World() *World                                        { panic("unwritten") }
func (t *Town) View(ctx context.Context, who PersonID) (View, error) { panic("unwritten") }
func (t *Town) Do(ctx context.Context, who PersonID, activity string) (Outcome, error) {
	panic("unwritten")
}
func (t *Town) Go(ctx context.Context, who PersonID, place, mode string) (Outcome, error) {
	panic("unwritten")
}
func (t *Town) Overview(ctx context.Context) ([]Neighbour, TownTime, error) { panic("unwritten") }
func (t *Town) SignUp(ctx context.Context, handle, name, avatar, password string) (codes []string, err error) {
	panic("unwritten")
}
func (t *Town) SignIn(ctx context.Context, handle, password string) (token string, err error) {
	panic("unwritten")
}
func (t *Town) Recover(ctx context.Context, handle, code, password string) (token string, err error) {
	panic("unwritten")
}
func (t *Town) PlayAs(ctx context.Context, handle string) (token string, err error) {
	panic("unwritten")
}
func (t *Town) Session(ctx context.Context, token string) (PersonID, error)      { panic("unwritten") }
func (t *Town) SignOut(ctx context.Context, token string) error                  { panic("unwritten") }
func (t *Town) SetDiscoverable(ctx context.Context, who PersonID, on bool) error { panic("unwritten") }
func (t *Town) Resident(ctx context.Context, handle string) (Person, error)      { panic("unwritten") }
func (t *Town) Balance(ctx context.Context, handle string) (int64, error)        { panic("unwritten") }
func (t *Town) Take(ctx context.Context, handle string, amount int64, entry Entry) error {
	panic("unwritten")
}
func (t *Town) Give(ctx context.Context, handle string, amount int64, entry Entry) error {
	panic("unwritten")
}
func (t *Town) Statement(ctx context.Context, handle string, limit int) ([]Entry, error) {
	panic("unwritten")
}
func (t *Town) Arrive(ctx context.Context, g Visitor) error { panic("unwritten") }
func (t *Town) Depart(ctx context.Context, who PersonID, visitID string) (Souvenirs, error) {
	panic("unwritten")
}
func (t *Town) Ask(ctx context.Context, guest PersonID, visitID, activity, saleID string) (Sale, error) {
	panic("unwritten")
}
func (t *Town) Settle(ctx context.Context, saleID string, to SaleState, why string) (Sale, error) {
	panic("unwritten")
}
func (t *Town) Sale(ctx context.Context, saleID string) (Sale, error)     { panic("unwritten") }
func (t *Town) Sales(ctx context.Context, visitID string) ([]Sale, error) { panic("unwritten") }
func (t *Town) ReturnHome(ctx context.Context, handle string, r Homecoming) (applied map[string]int, err error) {
	panic("unwritten")
}
func (t *Town) Postcards(ctx context.Context, handle string) ([]Postcard, error) { panic("unwritten") }
func (t *Town) Write(ctx context.Context, who PersonID, to string, text string, messageID string) (Message, error) {
	panic("unwritten")
}

// Receive takes a message from abroad: Owner is the receiver, With the sender's player id.
func (t *Town) Receive(ctx context.Context, m Message) error                  { panic("unwritten") }
func (t *Town) MessageEnded(ctx context.Context, messageID, why string) error { panic("unwritten") }

// MessageWaits marks a message that is held until the other game is back.
func (t *Town) MessageWaits(ctx context.Context, messageID string) error { panic("unwritten") }
func (t *Town) Block(ctx context.Context, who PersonID, with string, on bool) error {
	panic("unwritten")
}
func (t *Town) Conversations(ctx context.Context, who PersonID) ([]Conversation, error) {
	panic("unwritten")
}
func (t *Town) Conversation(ctx context.Context, who PersonID, with string) ([]Message, error) {
	panic("unwritten")
}
func (t *Town) Unread(ctx context.Context, who PersonID) (int, error) { panic("unwritten") }
func (t *Town) Subscribe(who PersonID) (<-chan struct{}, func())      { panic("unwritten") }
