package store_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

const (
	chargeID = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	visitID  = "01JA2B3C4D5E6F7G8H9J0K1M2P"
	refundID = "01JA2B3C4D5E6F7G8H9J0K1M2Q"
)

func hubStore(t *testing.T) (*store.Hub, *storage.DB) {
	t.Helper()
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "hub.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return store.NewHub(db), db
}

// within runs fn in a transaction and gives its error.
func within(t *testing.T, db *storage.DB, fn func(ctx context.Context) error) {
	t.Helper()
	if err := db.InTx(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func TestHubCounter_Reserve(t *testing.T) {
	counter := hub.Counter{Kind: "daily", Owner: "lagos.example", Party: "tunde@lagos.example", Give: "NGN", Day: "2026-11-30"}
	reserve := func(t *testing.T, s *store.Hub, db *storage.DB, amount, limit int64, want bool) {
		t.Helper()
		within(t, db, func(ctx context.Context) error {
			fits, err := s.Reserve(ctx, counter, amount, limit)
			if fits != want {
				t.Errorf("%d within %d: %v, want %v", amount, limit, fits, want)
			}
			return err
		})
	}
	t.Run("OKUpToTheLimit", func(t *testing.T) {
		s, db := hubStore(t)
		reserve(t, s, db, 60, 100, true)
		reserve(t, s, db, 41, 100, false)
		reserve(t, s, db, 40, 100, true)
		reserve(t, s, db, 1, 100, false)
		other := counter
		other.Day = "2026-12-01"
		if used, err := s.Used(t.Context(), other); err != nil || used != 0 {
			t.Errorf("another day counts %d, %v", used, err)
		}
	})
	t.Run("OKLimitLowered", func(t *testing.T) {
		s, db := hubStore(t)
		reserve(t, s, db, 60, 100, true)
		reserve(t, s, db, 1, 50, false)
		reserve(t, s, db, 100, 50, false)
	})
	t.Run("OKNoOverflow", func(t *testing.T) {
		s, db := hubStore(t)
		reserve(t, s, db, math.MaxInt64, math.MaxInt64, true)
		reserve(t, s, db, 1, math.MaxInt64, false)
		if used, err := s.Used(t.Context(), counter); err != nil || used != math.MaxInt64 {
			t.Errorf("counted %d, %v", used, err)
		}
	})
	t.Run("ErrFloat", func(t *testing.T) {
		s, db := hubStore(t)
		reserve(t, s, db, math.MaxInt64, math.MaxInt64, true)
		err := db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Tx(ctx).Exec("UPDATE hub_counters SET used = used + 1").Error
		})
		if err == nil {
			t.Error("a sum that turned into a float was taken")
		}
	})
	t.Run("ErrReleaseMoreThanThere", func(t *testing.T) {
		s, db := hubStore(t)
		reserve(t, s, db, 60, 100, true)
		err := db.InTx(t.Context(), func(ctx context.Context) error { return s.Release(ctx, counter, 61) })
		if err == nil {
			t.Error("more than was counted came off")
		}
	})
}

func TestHubCharge_Decide(t *testing.T) {
	s, db := hubStore(t)
	at := time.UnixMilli(1_790_000_000_123).UTC()
	want := hub.Charge{ID: chargeID, VisitID: visitID, Host: "berlin.example", Home: "lagos.example", Player: "tunde@lagos.example",
		Amount: sgip.Money{Amount: 350, Currency: "EUR"}, Debit: sgip.Money{Amount: 175_000, Currency: "NGN"},
		Day: "2026-11-30", State: hub.ChargeAsked, Run: "run 1", AcceptedAt: at}
	budget := sgip.Money{Amount: 10_000_000, Currency: "NGN"}
	visit := hub.Visit{ID: visitID, Home: want.Home, Player: want.Player, Host: want.Host, Scope: []string{"visit", "pay"}, Budget: &budget,
		Profile: sgip.Profile{Name: "Tunde", Stats: map[string]int{"mood": 3}}, StartedAt: at, ExpiresAt: at.Add(time.Minute)}
	within(t, db, func(ctx context.Context) error {
		if err := s.AddVisit(ctx, visit); err != nil {
			return err
		}
		return s.AddCharge(ctx, want)
	})
	if got, err := s.Charge(t.Context(), chargeID); err != nil || got != want {
		t.Fatalf("charge %+v, %v", got, err)
	}
	if got, err := s.Visit(t.Context(), visitID); err != nil || !got.MayPay() || *got.Budget != budget || got.Profile.Stats["mood"] != 3 || !got.UnderWay(at) {
		t.Fatalf("visit %+v, %v", got, err)
	}
	left, err := s.Undecided(t.Context(), "run 1", at, 10)
	if err != nil || len(left) != 0 {
		t.Errorf("a charge of this run is left behind: %v, %v", left, err)
	}
	if left, err = s.Undecided(t.Context(), "run 2", at, 10); err != nil || len(left) != 1 {
		t.Errorf("a charge of an earlier run isn't found: %v, %v", left, err)
	}
	within(t, db, func(ctx context.Context) error {
		for i, to := range []hub.ChargeState{hub.ChargeSettled, hub.ChargeVoid} {
			if decided, err := s.DecideCharge(ctx, chargeID, to, ""); err != nil || decided != (i == 0) {
				t.Errorf("to %s: %v, %v", to, decided, err)
			}
		}
		for i, amount := range []int64{300, 51} {
			if done, err := s.CommitRefund(ctx, chargeID, amount, 1); err != nil || done != (i == 0) {
				t.Errorf("refund of %d: %v, %v", amount, done, err)
			}
		}
		return nil
	})
}

func TestHubMoneyID_Claim(t *testing.T) {
	s, db := hubStore(t)
	within(t, db, func(ctx context.Context) error {
		for _, platform := range []string{"berlin.example", "evil.example", "berlin.example"} {
			if owner, err := s.ClaimID(ctx, chargeID, platform); err != nil || owner != "berlin.example" {
				t.Errorf("%s asks: it is %s's, %v", platform, owner, err)
			}
		}
		return nil
	})
}

func TestHubCredit_Settle(t *testing.T) {
	s, db := hubStore(t)
	at := time.UnixMilli(1_790_000_000_000).UTC()
	within(t, db, func(ctx context.Context) error {
		if err := s.AddVisit(ctx, hub.Visit{ID: visitID, Scope: []string{"visit"}, StartedAt: at, ExpiresAt: at}); err != nil {
			return err
		}
		charge := hub.Charge{ID: chargeID, VisitID: visitID, Amount: sgip.Money{Amount: 2, Currency: "EUR"}, Debit: sgip.Money{Amount: 1, Currency: "NGN"},
			State: hub.ChargeSettled, AcceptedAt: at}
		if err := s.AddCharge(ctx, charge); err != nil {
			return err
		}
		// Two shares of 0 have no letter, and aren't each other's.
		for _, id := range []string{refundID, visitID} {
			credit := hub.Credit{RefundID: id, ChargeID: chargeID, Reason: sgip.CreditRefund, HostAmount: sgip.Money{Amount: 1, Currency: "EUR"}, CommittedAt: at}
			if err := s.AddCredit(ctx, credit); err != nil {
				return err
			}
		}
		if _, err := s.CreditByLetter(ctx, ""); err != hub.ErrNone {
			t.Errorf("a credit without a letter was found by none: %v", err)
		}
		for i := range 2 {
			if settled, err := s.SettleCredit(ctx, refundID, at); err != nil || settled != (i == 0) {
				t.Errorf("settled %v, %v", settled, err)
			}
		}
		return nil
	})
	if got, err := s.Credit(t.Context(), visitID); err != nil || got.Settled {
		t.Errorf("the other credit: %+v, %v", got, err)
	}
}
