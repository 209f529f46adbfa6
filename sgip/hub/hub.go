// Package hub is the bundled hub: the one party that all platforms talk to
// (section 1). It registers platforms, routes their envelopes, issues
// passports, and converts and limits the money spent on visits.
//
// Call New, mount Inbox at the path of the ops URL and KeyFile at
// /.well-known/sgip-hub.json, then Run. The package opens no port, keeps no
// table of its own and knows no game; one file holds each operation.
package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
)

const (
	// OpsPath is where the hub takes envelopes, below its public URL.
	OpsPath = "/ops"
	// answerWithin is how long the hub waits for a game (section 5).
	answerWithin = 10 * time.Second
	// sweepEvery is how often undecided charges and online marks are looked after.
	sweepEvery = time.Second
)

// Config is what a Hub is built from.
type Config struct {
	PublicURL string // origin that platforms reach the hub at, no trailing slash
	Mode      sgip.Mode
	Signer    func() sgip.Signer // the key to use; asked again and again, so that a new one is noticed
	Client    *outbound.Client
	Store     Store
	Exchange  exchange.Store
	InTx      func(ctx context.Context, fn func(ctx context.Context) error) error
	Clock     func() time.Time
	NewID     func() string        // a fresh ULID
	Stat      func(id string) bool // whether the vocabulary has this stat
	Rate      int                  // of one op of one platform in a minute; 600 where it is 0
	Observer  exchange.Observer    // may be nil
	Log       *slog.Logger
}

// Hub answers the hub's operations and keeps its promises.
type Hub struct {
	publicURL   string
	mode        sgip.Mode
	client      *outbound.Client
	store       Store
	inTx        func(ctx context.Context, fn func(ctx context.Context) error) error
	afterCommit func(ctx context.Context, fn func())
	now         func() time.Time
	newID       func() string
	log         *slog.Logger

	registeredStat func(id string) bool

	run      string // names this run of the process, so that a later one knows its leftovers
	registry *registry
	fetcher  *fetcher
	marks    *marks
	own      ownKey
	inbox    *exchange.Inbox
	outbox   *exchange.Outbox
}

// New builds a hub. It asks and writes nothing yet.
func New(c Config) (*Hub, error) {
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" || strings.TrimSuffix(c.PublicURL, "/") != u.Scheme+"://"+u.Host {
		return nil, fmt.Errorf("public URL %q must be an origin like https://hub.example", c.PublicURL)
	}
	h := &Hub{
		publicURL: u.Scheme + "://" + u.Host, mode: c.Mode, client: c.Client, own: ownKey{read: c.Signer}, store: c.Store, inTx: c.InTx,
		afterCommit: c.Exchange.AfterCommit, now: c.Clock, newID: c.NewID, log: c.Log,
		registeredStat: c.Stat, run: c.NewID(),
	}
	h.registry = newRegistry(c.Store, c.Store)
	limit := newThrottle(c.Rate, c.Clock)
	h.fetcher = newFetcher(c.Mode, c.Client, c.Clock, limit)
	h.marks = newMarks(c.Observer)
	h.inbox = exchange.NewInbox(exchange.InboxConfig{
		Self: sgip.HubID, Mode: c.Mode, Store: c.Exchange, Keys: h.registry, Introductions: h.fetcher, Throttle: limit.sender, Route: h.route,
		Path: OpsPath, Clock: c.Clock, Observer: h.marks, Log: c.Log,
	})
	h.outbox = exchange.NewOutbox(exchange.OutboxConfig{
		Self: sgip.HubID, Signer: h.signer, Client: c.Client, Peer: h.registry, Store: c.Exchange, Clock: c.Clock,
		NewID: c.NewID, Observer: h.marks, Log: c.Log, Timeout: answerWithin, AtOnce: atOneTarget, Hold: h.holds, MaxReply: sgip.MaxBody,
	})
	h.inbox.Handle(sgip.HubHello, h.hello)
	h.inbox.Handle(sgip.HubCheck, h.check)
	h.inbox.Handle(sgip.PlatformDirectory, h.directory)
	h.inbox.Handle(sgip.VisitRequest, h.visitRequest)
	h.inbox.Handle(sgip.WalletBalance, h.balance)
	h.inbox.Handle(sgip.WalletCharge, h.charge)
	h.inbox.Handle(sgip.WalletRefund, h.refund)
	h.outbox.On(sgip.WalletCredit, h.credited)
	for _, op := range []sgip.Op{sgip.MessageSend, sgip.InviteSend, sgip.VisitEnd} {
		h.outbox.On(op, h.dequeued)
	}
	return h, nil
}

// Inbox takes the envelopes that platforms send to the hub.
func (h *Hub) Inbox() *exchange.Inbox { return h.inbox }

// Run takes up what an earlier run left behind, then keeps sending what waits
// and the credits that are owed, voids charges that nobody decided, keeps the
// key's expiry in the future, and follows what sub-commands change. It returns
// when ctx is done and what was on its way is written down.
func (h *Hub) Run(ctx context.Context) error {
	if err := h.renewKey(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return h.inbox.Resume(ctx) })
	group.Go(func() error { return h.outbox.Run(ctx) })
	group.Go(func() error { return h.lookAfter(ctx) })
	group.Go(func() error { return h.follow(ctx) })
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// lookAfter does the hub's chores. A failed one is tried again at the next turn.
func (h *Hub) lookAfter(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		h.chore(ctx, "void undecided charges", h.voidUndecided)
		h.chore(ctx, "keep online marks", h.keepMarks)
		select {
		case <-ctx.Done():
			h.chore(context.WithoutCancel(ctx), "keep online marks", h.keepMarks)
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (h *Hub) chore(ctx context.Context, what string, do func(context.Context) error) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		h.log.Error(what, "err", err)
	}
}

// address is how the hub names itself in envelopes that it originates.
func address() sgip.Address { return sgip.Address{Platform: sgip.HubID} }
