package hub

import (
	"strings"

	"sgip.example/starter/sgip"
)

// GameBooks are what one game has written down about the same money, as home
// and as host, as of one moment.
type GameBooks struct {
	Platform string
	Budgets  map[string]sgip.Money // of its players' trips, by visit
	Debits   []BookedDebit
	Credits  []BookedCredit
	Paid     []Move // out of players' purses, by charge id; amounts below 0
	Returned []Move // into them again, by refund id
	Sales    []BookedSale
	Takings  []Move          // what sales to guests brought the town, by charge id
	Sellers  []Move          // and the owners of stalls
	Open     map[string]bool // charges and refunds that it is still asking for
	Faults   []string        // what its ledger contradicts by itself
}

// BookedDebit is a wallet.debit@1 as the home game remembers it.
type BookedDebit struct {
	ChargeID, Player, VisitID, Host string
	Amount, HostAmount              sgip.Money
	Took                            bool // money left the purse
	Closed                          bool // it has been voided: nothing may be taken under this id any more
	Credited                        int64
}

// BookedCredit is a wallet.credit@1 as the home game remembers it. Moved is 0
// where there was nothing to give back.
type BookedCredit struct {
	RefundID, ChargeID string
	Amount             sgip.Money
	HostAmount         *sgip.Money
	Moved              int64
}

// BookedSale is what a guest bought.
type BookedSale struct {
	ChargeID, VisitID string
	Price             int64
	State             SaleState
	Seller            string // "" where the town itself sells
	SellerHas         int64  // what the seller was credited and keeps
}

// SaleState is where a sale stands at the host.
type SaleState string

// The states of a sale that money depends on. Refused and void are one here:
// nothing was given.
const (
	SaleAsked    SaleState = "asked"
	SalePaid     SaleState = "paid"
	SaleRefunded SaleState = "refunded"
	SaleOff      SaleState = "off"
)

// Move is one entry of a game's ledger. Who is the handle of the player whose
// account it is, "" for an account that isn't a player's.
type Move struct {
	Ref, Who string
	Amount   int64
}

// game holds a game's books to the hub's, in both directions.
func (a *auditor) game(g GameBooks) {
	for _, fault := range g.Faults {
		a.fault("%s: %s", g.Platform, fault)
	}
	a.home(g)
	a.host(g)
}

// ledger is what moves of one kind come to, by what they are for.
type ledger struct {
	what  string
	moves map[string]Move
}

func newLedger(what string, moves []Move) ledger {
	l := ledger{what: what, moves: map[string]Move{}}
	for _, m := range moves {
		m.Amount += l.moves[m.Ref].Amount
		l.moves[m.Ref] = m
	}
	return l
}

// expect takes the move for ref out of the ledger and holds it to an amount; 0
// is none.
func (a *auditor) expect(g GameBooks, l ledger, ref, who string, amount int64) {
	m := l.moves[ref]
	delete(l.moves, ref)
	switch {
	case m.Amount != amount:
		a.fault("%s: %s for %s is %d in the ledger, and must be %d", g.Platform, l.what, ref, m.Amount, amount)
	case amount != 0 && m.Who != who && m.Who != "":
		a.fault("%s: %s for %s moved on the account of %q, and must on that of %q", g.Platform, l.what, ref, m.Who, who)
	}
}

// rest is what nothing explains.
func (a *auditor) rest(g GameBooks, l ledger) {
	for ref, m := range l.moves {
		if m.Amount == 0 {
			continue // given and taken back
		}
		a.fault("%s: %s of %d for %s is in the ledger, and nothing explains it", g.Platform, l.what, m.Amount, ref)
	}
}

func handleOf(player string) string {
	handle, _, _ := strings.Cut(player, "@")
	return handle
}
