package game

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// wallet is the ledger account of a resident.
func wallet(handle string) string { return "player:" + handle }

// pocket is the ledger account of a guest's pocket money.
func pocket(guest PersonID) string { return "guest:" + string(guest) }

// pay moves money that must be there, except that the town's own accounts may
// run below zero.
func (t *Town) pay(ctx context.Context, from, to string, amount int64, e Entry, at time.Time) error {
	if amount < 1 || amount > MaxMoney {
		return refuse(ErrInvalid, "That amount isn't possible.")
	}
	overdraw := slices.Contains(SystemAccounts(), from) || e.Kind == EntryRent
	return t.store.Transfer(ctx, Transfer{
		ID: t.newID(), From: from, To: to, Amount: amount, Overdraw: overdraw, Entry: e,
	}, at)
}

// Balance is what a resident has, possibly below zero (rent that is owed).
// ErrNoPlayer if there is no such resident.
func (t *Town) Balance(ctx context.Context, handle string) (int64, error) {
	return t.store.Balance(ctx, wallet(handle))
}

// Take takes amount for something bought abroad, only if it is there: ErrPoor
// if not, ErrNoPlayer without such a resident. It runs in the caller's
// transaction, or one of its own.
func (t *Town) Take(ctx context.Context, handle string, amount int64, entry Entry) error {
	entry.Kind = EntryAbroad
	return t.tx(ctx, func(ctx context.Context) error {
		if _, err := t.Balance(ctx, handle); err != nil {
			return err
		}
		t.wake(ctx, PersonID(handle))
		return t.pay(ctx, wallet(handle), accountAbroad, amount, entry, t.now())
	})
}

// Give gives back what was taken. For a resident who is gone the money goes to
// an account of its own, so that it always succeeds.
func (t *Town) Give(ctx context.Context, handle string, amount int64, entry Entry) error {
	entry.Kind = EntryReturned
	return t.tx(ctx, func(ctx context.Context) error {
		to := wallet(handle)
		if _, err := t.Balance(ctx, handle); errors.Is(err, ErrNoPlayer) {
			to = accountUnclaimed
		} else if err != nil {
			return err
		}
		t.wake(ctx, PersonID(handle))
		return t.pay(ctx, accountAbroad, to, amount, entry, t.now())
	})
}

// Statement are the newest entries of a resident's wallet, newest first.
func (t *Town) Statement(ctx context.Context, handle string, limit int) ([]Entry, error) {
	return t.store.Statement(ctx, wallet(handle), min(max(limit, 1), maxStatement))
}

// Price writes an amount as people in town do: by Words where it is set, else
// without the manners of a language: "3.50 EUR".
func (w *World) Price(amount int64) string {
	if w.Words != nil {
		return w.Words(amount)
	}
	sign := ""
	if amount < 0 {
		sign, amount = "−", -amount
	}
	unit := int64(1)
	for range w.Decimals {
		unit *= 10
	}
	if amount%unit == 0 {
		return fmt.Sprintf("%s%d %s", sign, amount/unit, w.Currency)
	}
	return fmt.Sprintf("%s%d.%0*d %s", sign, amount/unit, w.Decimals, amount%unit, w.Currency)
}

// rent asks for the rent of the days since it was last asked for, down to what
// may be owed at most.
func (t *Town) rent(ctx context.Context, s *scene) error {
	days := s.rentDays()
	if s.someone.RentDay > s.now.Day+1 {
		s.someone.RentDay = s.now.Day // the clock was ahead
	}
	if days == 0 {
		return nil
	}
	s.someone.RentDay = s.now.Day
	rule := t.world.Rent
	due := min(rule.PerDay*int64(days), s.balance+rule.PerDay*int64(rule.MaxDays))
	if due <= 0 {
		return nil
	}
	text := "Rent for a day"
	if days > 1 {
		text = fmt.Sprintf("Rent for %d days", days)
	}
	id := s.someone.ID
	if err := t.pay(ctx, wallet(string(id)), accountTown, due, Entry{Kind: EntryRent, Text: text}, s.at); err != nil {
		return err
	}
	s.balance -= due
	return t.note(ctx, id, "🏠", text+": "+t.world.Price(due)+".", s.at)
}

// rentDays is for how many days rent is due.
func (s *scene) rentDays() int {
	if s.someone.ID.Guest() || s.world.Rent.PerDay == 0 {
		return 0
	}
	return min(max(0, s.now.Day-s.someone.RentDay), s.world.Rent.MaxDays)
}
