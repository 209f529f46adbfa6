package hub_test

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"gorm.io/gorm"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// fate is what becomes of a message from the hub to the home game.
type fate string

const (
	arrives    fate = "arrives"
	twice      fate = "arrives twice"       // byte for byte; the first answer comes back
	neverComes fate = "never comes"         // and the hub gets no answer
	answerLost fate = "answer lost"         // it came
	answerTorn fate = "answer torn"         // it came, and half an answer goes back
	comesLate  fate = "comes late"          // the hub gets no answer; it is kept for later
	homeFails  fate = "the home game fails" // it is answered internal, and nothing was done
	held       fate = "held"                // it came, and the answer waits
)

// modelHome is a real seat, with its own database, behind a line that does to
// each message what it was told.
type modelHome struct {
	*game
	db *storage.DB

	mu      sync.Mutex
	seat    *platform.Seat
	away    bool   // nothing comes through
	debit   fate   // of the next debit
	credits []fate // of the next credits
	kept    []exchange.Request
	held    func()          // before a held answer goes back
	seen    []sgip.Envelope // all debits and credits that came
}

// purses is a game that knows money alone.
type purses struct {
	platform.Game
	db *storage.DB
}

func (p purses) Balance(ctx context.Context, handle, _ string) (int64, error) {
	var amount int64
	return amount, p.db.Conn(ctx).Raw("SELECT amount FROM purses WHERE handle = ?", handle).Scan(&amount).Error
}

func (p purses) Take(ctx context.Context, handle string, b platform.Purchase) error {
	done := p.db.Tx(ctx).Exec("UPDATE purses SET amount = amount - ? WHERE handle = ? AND amount >= ?", b.Amount.Amount, handle, b.Amount.Amount)
	if done.Error == nil && done.RowsAffected == 0 {
		return sgip.Errorf(sgip.InsufficientFunds, "the purse holds less")
	}
	return p.enter(ctx, handle, b.ChargeID, -b.Amount.Amount, done)
}

func (p purses) Give(ctx context.Context, handle string, b platform.Purchase) error {
	done := p.db.Tx(ctx).Exec("UPDATE purses SET amount = amount + ? WHERE handle = ?", b.Amount.Amount, handle)
	return p.enter(ctx, handle, b.RefundID, b.Amount.Amount, done)
}

func (p purses) enter(ctx context.Context, handle, ref string, amount int64, done *gorm.DB) error {
	if done.Error != nil {
		return done.Error
	}
	return p.db.Tx(ctx).Exec("INSERT INTO entries (ref, handle, amount) VALUES (?, ?, ?)", ref, handle, amount).Error
}

// modelHome puts a real seat in the place of Lagos.
func (n *network) modelHome(lagos *game) *modelHome {
	n.t.Helper()
	db, err := storage.Open(n.t.Context(), filepath.Join(n.dir, "lagos.db"))
	must(n.t, err)
	n.t.Cleanup(func() { _ = db.Close() })
	must(n.t, store.Migrate(n.t.Context(), db))
	must(n.t, db.Migrate(n.t.Context(), "purses", []storage.Migration{{Number: 1, Name: "purses", SQL: `
		CREATE TABLE purses (handle TEXT PRIMARY KEY, amount INTEGER NOT NULL CHECK (amount >= 0));
		CREATE TABLE entries (ref TEXT NOT NULL, handle TEXT NOT NULL, amount INTEGER NOT NULL);`}}))
	h := &modelHome{game: lagos, db: db, debit: arrives}
	h.restart()
	lagos.takes = h.take
	return h
}

// restart builds the seat anew on its database.
func (h *modelHome) restart() {
	t := h.n.t
	client, err := outbound.New(outbound.Options{Mode: local, Clock: h.n.clock.now})
	must(t, err)
	t.Cleanup(client.Close)
	seat, err := platform.New(platform.Config{
		ID: h.id, HubURL: h.n.publicURL(), Mode: local, Template: h.descriptor, Client: client, Software: "a model's home",
		Signers: func() []sgip.Signer { return []sgip.Signer{h.signer} }, Store: store.NewPlatform(h.db), Exchange: store.NewExchange(h.db),
		InTx: h.db.InTx, Clock: h.n.clock.now, NewID: newID, Log: slog.New(slog.DiscardHandler),
	}, purses{db: h.db})
	must(t, err)
	h.mu.Lock()
	h.seat = seat
	h.mu.Unlock()
}

// take does to a message what its fate is.
func (h *modelHome) take(w http.ResponseWriter, r *http.Request, env sgip.Envelope, body []byte) {
	req := requestOf(r, body)
	f := h.fateOf(env)
	switch f {
	case neverComes:
		panic(http.ErrAbortHandler)
	case comesLate:
		h.mu.Lock()
		h.kept = append(h.kept, req)
		h.mu.Unlock()
		panic(http.ErrAbortHandler)
	case homeFails:
		respond(w, exchange.Response{Status: http.StatusInternalServerError, Body: sgip.ErrorReply(env.ID, sgip.Errorf(sgip.Internal, "ouch")).Encode()})
		return
	}
	res := h.serve(req)
	switch f {
	case twice:
		h.serve(req)
	case answerLost:
		panic(http.ErrAbortHandler)
	case held:
		h.held()
	case answerTorn:
		res.Body = res.Body[:len(res.Body)/2]
	}
	respond(w, res)
}

func respond(w http.ResponseWriter, res exchange.Response) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(res.Status)
	_, _ = w.Write(res.Body)
}

func (h *modelHome) serve(req exchange.Request) exchange.Response {
	h.mu.Lock()
	seat := h.seat
	h.mu.Unlock()
	return seat.Inbox().Serve(context.Background(), req)
}

func (h *modelHome) fateOf(env sgip.Envelope) fate {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := arrives
	switch {
	case h.away:
		return neverComes
	case env.Op == sgip.WalletDebit:
		f, h.debit = h.debit, arrives
	case env.Op == sgip.WalletCredit && len(h.credits) > 0:
		f, h.credits = h.credits[0], h.credits[1:]
	}
	if f != neverComes && f != comesLate && f != homeFails {
		h.seen = append(h.seen, env)
	}
	return f
}

// late lets a message come that was kept, long after its sender gave up.
func (h *modelHome) late(i int) {
	h.mu.Lock()
	req := h.kept[i]
	h.kept = slices.Delete(slices.Clone(h.kept), i, i+1)
	h.mu.Unlock()
	h.serve(req)
}

// again lets a message come once more under a fresh signature of the hub's, and
// under another envelope id if it is renewed.
func (h *modelHome) again(env sgip.Envelope, renewed bool) {
	if renewed {
		env.ID = newID()
	}
	body, err := env.Encode()
	must(h.n.t, err)
	const path = "/sgip/inbox"
	h.serve(exchange.Request{
		Method: http.MethodPost, Target: path, ContentTypes: []string{"application/json"}, Body: body,
		Signatures: []string{h.n.key.Sign(http.MethodPost, path, h.n.clock.now(), newID(), body)},
	})
}

// books are the home's, as an audit reads them.
func (h *modelHome) books() hub.GameBooks {
	t := h.n.t
	conn := h.db.Conn(t.Context())
	g, err := store.GameBooks(conn, h.id)
	must(t, err)
	var rows []struct {
		Ref, Handle string
		Amount      int64
	}
	must(t, conn.Raw("SELECT ref, handle, amount FROM entries").Scan(&rows).Error)
	for _, row := range rows {
		m := hub.Move{Ref: row.Ref, Who: row.Handle, Amount: row.Amount}
		if row.Amount < 0 {
			g.Paid = append(g.Paid, m)
		} else {
			g.Returned = append(g.Returned, m)
		}
	}
	return g
}

func (h *modelHome) purse(handle string) int64 {
	amount, err := purses{db: h.db}.Balance(h.n.t.Context(), handle, "NGN")
	must(h.n.t, err)
	return amount
}

// endow gives a player a purse.
func (h *modelHome) endow(handle string, amount int64) {
	must(h.n.t, h.db.InTx(h.n.t.Context(), func(ctx context.Context) error {
		return h.db.Tx(ctx).Exec("INSERT INTO purses (handle, amount) VALUES (?, ?)", handle, amount).Error
	}))
}

func (h *modelHome) isAway() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.away
}

func (h *modelHome) setAway(away bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.away = away
}

// meet sets what becomes of the next debit and the next credits.
func (h *modelHome) meet(debit fate, credits []fate) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.debit, h.credits = debit, credits
}

// hold makes the next debit come, and wait with its answer until goOn is closed.
func (h *modelHome) hold() (came <-chan struct{}, goOn chan<- struct{}) {
	arrived, release := make(chan struct{}), make(chan struct{})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.debit, h.held = held, func() {
		close(arrived)
		<-release
	}
	return arrived, release
}

func (h *modelHome) keeps() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.kept)
}

// seenOf are the messages about a player that have come so far.
func (h *modelHome) seenOf(handle string) []sgip.Envelope {
	h.mu.Lock()
	defer h.mu.Unlock()
	player := h.player(handle)
	return slices.DeleteFunc(slices.Clone(h.seen), func(env sgip.Envelope) bool { return env.To != player })
}
