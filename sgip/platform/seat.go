package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
)

// hubTimeout is how long a game waits for the hub, which may itself wait 10 s
// for another game (contract 5).
const hubTimeout = 15 * time.Second

// Config is what a seat needs. All fields but Observer, Software and Mode are
// required.
type Config struct {
	ID     string // the platform id
	HubURL string // origin of the hub
	Mode   sgip.Mode
	// Template is the descriptor without platform_id, public_keys and
	// capabilities, which New adds.
	Template sgip.Descriptor
	// Signers gives this game's keys: the first signs, all are listed. It is
	// asked again each second, so that a rotation is noticed.
	Signers func() []sgip.Signer
	// Registered, where it is set, hears which keys the hub knows after each
	// hello: a key that follows may take the place of the old one then.
	Registered func(keyIDs []string)
	Client     *outbound.Client
	Store      Store
	Exchange   exchange.Store
	InTx       func(ctx context.Context, fn func(ctx context.Context) error) error
	Clock      func() time.Time
	NewID      func() string
	Observer   exchange.Observer
	Log        *slog.Logger
	Software   string // told in answer to hub.ping@1
}

// Seat is a game's place on the network. Its methods are safe for concurrent
// use; refusals are *sgip.Error values.
type Seat struct {
	c          Config
	hubHost    string
	game       Game
	wallet     Wallet     // nil where the game has none
	homecoming Homecoming // nil where the game has none
	delivery   Delivery   // nil where the game has none
	seller     Seller     // nil where the game has none
	refunder   Refunder   // nil where the game has none
	profiles   Profiles   // nil where the game has none
	places     Places     // nil where the game has none
	inviter    Inviter    // nil where the game has none
	gates      Gates      // nil where the game has none

	keys       *keyring
	inbox      *exchange.Inbox
	outbox     *exchange.Outbox
	lookups    *lookups
	listing    listing
	passports  *passportCache
	renewals   singleflight.Group // by visit id
	registered atomic.Bool
	helloAgain chan struct{}
	backoff    backoff
}

// New makes the seat of game g, and declares the operations of the interfaces
// that g implements. An error means that the configuration can't be right: the
// descriptor would be refused.
func New(c Config, g Game) (*Seat, error) {
	hub, err := url.Parse(c.HubURL)
	if err != nil || hub.Host == "" || strings.Trim(hub.Path, "/") != "" {
		return nil, fmt.Errorf("hub %q: must be an origin such as https://hub.example", c.HubURL)
	}
	if len(c.Signers()) == 0 {
		return nil, errors.New("no signing key")
	}
	s := &Seat{
		c: c, game: g, hubHost: hub.Host,
		lookups:    newLookups(c.Clock),
		passports:  newPassportCache(),
		helloAgain: make(chan struct{}, 1),
	}
	s.wallet, _ = g.(Wallet)
	s.homecoming, _ = g.(Homecoming)
	s.delivery, _ = g.(Delivery)
	s.seller, _ = g.(Seller)
	s.refunder, _ = g.(Refunder)
	s.profiles, _ = g.(Profiles)
	s.places, _ = g.(Places)
	s.inviter, _ = g.(Inviter)
	s.gates, _ = g.(Gates)
	s.keys = newKeyring(c.Clock, s.fetchKey)
	if _, err := sgip.ParseDescriptor(c.Mode, c.ID, s.Descriptor(), true); err != nil {
		return nil, fmt.Errorf("own descriptor: %w", err)
	}
	s.connect()
	return s, nil
}

// connect builds the two ends of the exchange and says who handles what.
func (s *Seat) connect() {
	c := s.c
	s.inbox = exchange.NewInbox(exchange.InboxConfig{
		Self: c.ID, Mode: c.Mode, Store: c.Exchange, Keys: s.keys,
		Clock: c.Clock, Observer: c.Observer, Log: c.Log,
	})
	for op, handle := range s.handlers() {
		s.inbox.Handle(op, handle)
	}
	s.outbox = exchange.NewOutbox(exchange.OutboxConfig{
		Self: c.ID, Signer: func() sgip.Signer { return c.Signers()[0] },
		Client: c.Client, Peer: s.keys, Store: c.Exchange,
		Clock: c.Clock, NewID: c.NewID, Observer: c.Observer, Log: c.Log,
		Timeout: hubTimeout, MaxReply: sgip.MaxHubReply,
		Refused: func(string) { s.sayHelloAgain() }, // a hub that lost its data has forgotten us
	})
	s.outbox.On(sgip.MessageSend, s.delivered)
	s.outbox.On(sgip.InviteSend, s.delivered)
	s.outbox.OnWaits(sgip.MessageSend, s.waits)
	s.outbox.OnWaits(sgip.InviteSend, s.waits)
	s.outbox.On(sgip.WalletCharge, s.charged)
	s.outbox.On(sgip.WalletRefund, s.refunded)
	s.outbox.On(sgip.VisitEnd, s.visitEnded)
}

// handlers are the operations answered at the inbox; the descriptor's
// capabilities are their names (section 9).
func (s *Seat) handlers() map[sgip.Op]exchange.Handler {
	h := map[sgip.Op]exchange.Handler{
		sgip.HubPing:      s.ping,
		sgip.PlayerLookup: s.lookup,
		sgip.MessageSend:  s.receive,
	}
	if s.profiles != nil {
		h[sgip.PlayerProfile] = s.profile
	}
	if s.inviter != nil {
		h[sgip.InviteSend] = s.invited
	}
	if s.places != nil {
		h[sgip.PlaceStatus] = s.placeStatus
	}
	if s.homecoming != nil {
		h[sgip.VisitEnd] = s.endTrip
	}
	if s.wallet != nil {
		h[sgip.WalletRead] = s.read
		h[sgip.WalletDebit] = s.debit
		h[sgip.WalletCredit] = s.credit
	}
	return h
}

// Run takes up what a crash left behind, says hello until the hub agrees, and
// sends letters. It returns when ctx is done and attempts under way have ended.
func (s *Seat) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		// Beside the rest: what is asked again may wait for the hub.
		if err := s.inbox.Resume(ctx); err != nil && ctx.Err() == nil {
			return fmt.Errorf("resume inbox: %w", err)
		}
		return nil
	})
	group.Go(func() error { return s.outbox.Run(ctx) })
	group.Go(func() error { return s.keepRegistered(ctx) })
	return group.Wait()
}

// Inbox is what is to be mounted at the descriptor's inbox URL.
func (s *Seat) Inbox() *exchange.Inbox { return s.inbox }

// Descriptor is the document for /.well-known/sgip.json (section 2).
func (s *Seat) Descriptor() []byte {
	d := s.c.Template
	d.SGIP = sgip.Version
	d.PlatformID = s.c.ID
	d.PublicKeys = nil
	for _, signer := range s.c.Signers() {
		d.PublicKeys = append(d.PublicKeys, signer.Public.Text)
	}
	d.Capabilities = s.capabilities()
	if s.gates != nil {
		d.Visitors = s.gates.Visitors(d.Visitors)
	}
	if d.Currencies == nil {
		d.Currencies = []string{} // required, may be empty
	}
	body, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return body
}

// capabilities lists the operations in the order of contract 9's table.
func (s *Seat) capabilities() []sgip.Op {
	answered := s.handlers()
	var ops []sgip.Op
	for _, op := range []sgip.Op{
		sgip.HubPing, sgip.PlayerLookup, sgip.MessageSend, sgip.PlayerProfile, sgip.InviteSend, sgip.PlaceStatus, sgip.VisitEnd,
		sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit,
	} {
		if _, ok := answered[op]; ok {
			ops = append(ops, op)
		}
	}
	return ops
}

// EmbedAllowed reports whether this game's visit page may be framed.
func (s *Seat) EmbedAllowed() bool { return s.c.Template.EmbedAllowed() }

// ID is this game's platform id.
func (s *Seat) ID() string { return s.c.ID }

// Await waits until a letter is done and what it brought has been committed.
func (s *Seat) Await(ctx context.Context, letterID string) error {
	return s.outbox.Await(ctx, letterID)
}

// ask sends one operation to the hub and reads the answer into out. It makes one
// attempt, and must not run inside a transaction.
func (s *Seat) ask(ctx context.Context, op sgip.Op, from string, payload, out any) error {
	return s.askOf(ctx, sgip.Address{Platform: sgip.HubID}, op, from, payload, out)
}

// askOf is ask, through the hub, of whom the operation is for.
func (s *Seat) askOf(ctx context.Context, to sgip.Address, op sgip.Op, from string, payload, out any) error {
	id := s.c.NewID()
	body, err := s.encode(id, op, from, to, nil, payload)
	if err != nil {
		return err
	}
	if err := s.backoff.check(op, s.c.Clock()); err != nil {
		return err
	}
	reply, err := s.outbox.Call(ctx, sgip.HubID, id, body)
	if err != nil {
		return err
	}
	s.backoff.note(op, reply, s.c.Clock())
	return sgip.DecodeResult(s.c.Mode, op, reply, out)
}

// post writes down a letter that the hub gets, whoever it is addressed to.
func (s *Seat) post(ctx context.Context, l exchange.Letter) error {
	l.To = sgip.HubID
	l.Until = exchange.UntilDefinite
	l.PostedAt = s.c.Clock()
	return s.outbox.Post(ctx, l)
}

func (s *Seat) encode(id string, op sgip.Op, player string, to sgip.Address, replyTo *string, payload any) ([]byte, error) {
	from := sgip.Address{Platform: s.c.ID, Player: player}
	env, err := sgip.NewEnvelope(id, op, from, to, payload)
	if err != nil {
		return nil, err
	}
	env.ReplyTo = replyTo
	if err := sgip.CheckPayload(s.c.Mode, op, env.Payload); err != nil {
		return nil, err // told here, before it is written down
	}
	return env.Encode()
}
