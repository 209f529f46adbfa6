package platform_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
)

// town is a game that implements every port. Money is in the real database, so
// that what a refusal undoes is really undone.
type town struct {
	t  testing.TB
	db *storage.DB

	mu        sync.Mutex
	messages  []platform.Message
	returns   []platform.Return
	invites   []platform.Invitation
	closed    bool     // its gates
	waiting   []string // messages that the hub holds
	delivered map[string]sgip.Code
	charged   map[string]sgip.Code
	refunded  map[string]sgip.Code
	credited  map[string]sgip.Money // by refund, what went home
	fail      error                 // of the next call that writes, after it has written
}

var (
	_ platform.Game       = (*town)(nil)
	_ platform.Wallet     = (*town)(nil)
	_ platform.Homecoming = (*town)(nil)
	_ platform.Delivery   = (*town)(nil)
	_ platform.Seller     = (*town)(nil)
	_ platform.Refunder   = (*town)(nil)
)

func newTown(t testing.TB, db *storage.DB) *town {
	t.Helper()
	w := &town{t: t, db: db, delivered: map[string]sgip.Code{}, charged: map[string]sgip.Code{},
		refunded: map[string]sgip.Code{}, credited: map[string]sgip.Money{}}
	steps := []storage.Migration{{Number: 1, Name: "purses", SQL: "CREATE TABLE purses (handle TEXT PRIMARY KEY, amount INTEGER NOT NULL)"}}
	if err := db.Migrate(t.Context(), "town", steps); err != nil {
		t.Fatal(err)
	}
	w.settle("tunde", 1000)
	w.settle("ada", -50) // in arrears, and hidden
	return w
}

// settle gives a player a purse.
func (w *town) settle(handle string, amount int64) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context) error {
		return w.db.Tx(ctx).Exec("INSERT INTO purses (handle, amount) VALUES (?, ?)", handle, amount).Error
	}); err != nil {
		w.t.Fatal(err)
	}
}

// gone removes a player.
func (w *town) gone(handle string) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context) error {
		return w.db.Tx(ctx).Exec("DELETE FROM purses WHERE handle = ?", handle).Error
	}); err != nil {
		w.t.Fatal(err)
	}
}

// owe takes what need not be there.
func (w *town) owe(handle string, amount int64) {
	w.t.Helper()
	if err := w.db.InTx(w.t.Context(), func(ctx context.Context) error {
		return w.db.Tx(ctx).Exec("UPDATE purses SET amount = amount - ? WHERE handle = ?", amount, handle).Error
	}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *town) purse(handle string) int64 {
	w.t.Helper()
	amount, err := w.Balance(w.t.Context(), handle, "NGN")
	if err != nil {
		w.t.Fatal(err)
	}
	return amount
}

func (w *town) failing() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.fail
	w.fail = nil
	return err
}

func (w *town) failNext(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = err
}

func (w *town) Discoverable(_ context.Context, handle, asker string) (platform.Player, error) {
	if handle == "tunde" && asker == blocked {
		return platform.Player{}, sgip.Errorf(sgip.Forbidden, "blocked")
	}
	if handle == "tunde" {
		return platform.Player{Handle: handle, Name: "Tunde", Avatar: "🧢"}, nil
	}
	return platform.Player{}, sgip.Errorf(sgip.NotFound, "%s is hidden or absent, who knows", handle)
}

func (w *town) Receive(_ context.Context, m platform.Message) error {
	handle, _, _ := local.SplitPlayer(m.To)
	if handle != "tunde" {
		return sgip.Errorf(sgip.NotFound, "%s is hidden or absent, who knows", handle)
	}
	if m.Text == "blocked" || m.From == blocked {
		return sgip.Errorf(sgip.Forbidden, "blocked")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.messages = append(w.messages, m)
	return nil
}

func (w *town) Balance(ctx context.Context, handle, _ string) (int64, error) {
	var amounts []int64
	err := w.db.Conn(ctx).Raw("SELECT amount FROM purses WHERE handle = ?", handle).Scan(&amounts).Error
	if err == nil && len(amounts) == 0 {
		err = sgip.Errorf(sgip.NotFound, "no purse")
	}
	if err != nil {
		return 0, err
	}
	return amounts[0], nil
}

func (w *town) Take(ctx context.Context, handle string, p platform.Purchase) error {
	if _, err := w.Balance(ctx, handle, p.Amount.Currency); err != nil {
		return err
	}
	done := w.db.Tx(ctx).Exec("UPDATE purses SET amount = amount - ? WHERE handle = ? AND amount >= ?",
		p.Amount.Amount, handle, p.Amount.Amount)
	if done.Error != nil {
		return done.Error
	}
	if err := w.failing(); err != nil {
		return err
	}
	if done.RowsAffected == 0 {
		return sgip.Errorf(sgip.InsufficientFunds, "the purse holds less")
	}
	return nil
}

func (w *town) Give(ctx context.Context, handle string, p platform.Purchase) error {
	if p.RefundID == "" || p.Reason == "" {
		return errors.New("gave back without saying why")
	}
	done := w.db.Tx(ctx).Exec("UPDATE purses SET amount = amount + ? WHERE handle = ?", p.Amount.Amount, handle)
	return errors.Join(done.Error, w.failing())
}

func (w *town) ReturnHome(_ context.Context, r platform.Return) (map[string]int, error) {
	if err := w.failing(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.returns = append(w.returns, r)
	return map[string]int{"fun": min(r.Stats["fun"], 5)}, nil // near 100 already
}

func (w *town) Delivered(_ context.Context, messageID string, err *sgip.Error) error {
	return w.note(w.delivered, messageID, err)
}

func (w *town) Waits(_ context.Context, messageID string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, messageID)
	return nil
}

func (w *town) waits() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.waiting)
}

func (w *town) Charged(_ context.Context, chargeID string, result sgip.ChargeResult, err *sgip.Error) error {
	if err == nil && result.Debit.Amount == 0 {
		return errors.New("confirmed without a debit")
	}
	return w.note(w.charged, chargeID, err)
}

func (w *town) Refunded(_ context.Context, refundID, _ string, result sgip.RefundResult, err *sgip.Error) error {
	w.mu.Lock()
	w.credited[refundID] = result.Credit
	w.mu.Unlock()
	return w.note(w.refunded, refundID, err)
}

// creditOf is what the game was told that a refund brought home.
func (w *town) creditOf(refundID string) sgip.Money {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.credited[refundID]
}

func (w *town) note(in map[string]sgip.Code, id string, err *sgip.Error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if before, ok := in[id]; ok {
		return fmt.Errorf("%s ended twice, first with %q", id, before)
	}
	in[id] = ""
	if err != nil {
		in[id] = err.Code
	}
	return nil
}

func (w *town) received() []platform.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.messages)
}

func (w *town) homecomings() []platform.Return {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.returns)
}

// ended is how a letter ended, false while it is under way.
func (w *town) ended(in map[string]sgip.Code, id string) (sgip.Code, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	code, ok := in[id]
	return code, ok
}
