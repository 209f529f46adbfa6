// Package bridge is the one place that knows both the game and the protocol. It
// answers the seat's questions from the town, turns what players and guests
// wish into operations, moves a guest's sale on by what the hub answers, and is
// where game money and wire money meet.
//
// Build one with New, give it to platform.New and visit.New, then Connect.
package bridge

import (
	"errors"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/visit"
)

// Bridge joins one town to its seat. It is safe for concurrent use once connected.
type Bridge struct {
	town     *game.Town
	inTx     game.Tx
	newID    func() string
	id       string // of this platform
	currency string // wire code of the town's money
	limit    *sgip.Money
	accepts  []sgip.Accepts // the money taken here
	seat     *platform.Seat
	visits   *visit.Visits
}

var (
	_ platform.Game       = (*Bridge)(nil)
	_ platform.Wallet     = (*Bridge)(nil)
	_ platform.Homecoming = (*Bridge)(nil)
	_ platform.Delivery   = (*Bridge)(nil)
	_ platform.Seller     = (*Bridge)(nil)
	_ platform.Refunder   = (*Bridge)(nil)
	_ platform.Profiles   = (*Bridge)(nil)
	_ platform.Inviter    = (*Bridge)(nil)
	_ platform.Places     = (*Bridge)(nil)
	_ platform.Gates      = (*Bridge)(nil)
	_ visit.Stage         = (*Bridge)(nil)
)

// Config is what a bridge stands on.
type Config struct {
	Town       *game.Town
	InTx       game.Tx
	NewID      func() string
	Descriptor sgip.Descriptor // as Template made it
}

// New makes a bridge that still has to be connected.
func New(c Config) *Bridge {
	b := &Bridge{town: c.Town, inTx: c.InTx, newID: c.NewID, id: c.Descriptor.PlatformID}
	b.currency = Currency(b.id, c.Town.World().Currency)
	if limit, ok := c.Descriptor.DailyLimit(b.currency); ok {
		b.limit = &limit
	}
	if c.Descriptor.Money != nil {
		b.accepts = c.Descriptor.Money.Accepts
	}
	return b
}

// Connect gives the bridge the seat and the visits that were built on it.
func (b *Bridge) Connect(s *platform.Seat, v *visit.Visits) { b.seat, b.visits = s, v }

// refusals is the one table from what the game refuses to what the protocol says.
var refusals = []struct {
	err  error
	code sgip.Code
}{
	{game.ErrNoPlayer, sgip.NotFound},
	{game.ErrNoSuch, sgip.NotFound},
	{game.ErrBlocked, sgip.Forbidden},
	{game.ErrPoor, sgip.InsufficientFunds},
	{game.ErrInvalid, sgip.InvalidPayload},
}

// refusal turns a game error into a protocol error; others stay as they are and
// become internal at the edge.
func refusal(err error) error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return sgip.Wrap(r.code, err, err.Error())
		}
	}
	return err
}

// amount checks that money is the town's own and gives its minor units.
func (b *Bridge) amount(m sgip.Money) (int64, error) {
	if m.Currency != b.currency {
		return 0, sgip.Errorf(sgip.InvalidPayload, "the money here is %s, not %s", b.currency, m.Currency)
	}
	return m.Amount, nil
}

func (b *Bridge) money(amount int64) sgip.Money {
	return sgip.Money{Amount: amount, Currency: b.currency}
}
