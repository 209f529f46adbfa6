package game

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// Limits of what is read at once, so that a page costs the same in a town of
// ten and of a million.
const (
	maxPeopleShown   = 40
	maxPeopleHere    = 20
	maxNotes         = 50
	maxNotesShown    = 12
	maxStatement     = 500
	maxPostcards     = 100
	maxConversations = 100
	maxMessagesShown = 200
)

// Town is the running town. All methods may be called at the same time.
type Town struct {
	world  *World
	store  Store
	tx     Tx
	clock  Clock
	newID  func() string
	random io.Reader
	live   *live
	hashes chan struct{} // bounds the memory that password hashing takes

	founded atomic.Pointer[time.Time]
	gates   atomic.Pointer[Gates]
}

// New makes a Town of a prepared world. newID mints ids of transfers (ULIDs
// do), random is a source fit for secrets.
func New(w *World, s Store, tx Tx, clock Clock, newID func() string, random io.Reader) *Town {
	return &Town{
		world: w, store: s, tx: tx, clock: clock, newID: newID, random: random,
		live: newLive(), hashes: make(chan struct{}, maxHashes),
	}
}

// World is the town's description. It is only read.
func (t *Town) World() *World { return t.world }

// now is the clock in the precision that is kept.
func (t *Town) now() time.Time { return t.clock().UTC().Truncate(time.Millisecond) }

// found founds the town with its first resident or guest.
func (t *Town) found(ctx context.Context, at time.Time) error { return t.store.Found(ctx, at) }

// townTime is the town's time at the instant at.
func (t *Town) townTime(ctx context.Context, at time.Time) (TownTime, error) {
	if f := t.founded.Load(); f != nil {
		return t.world.townTime(*f, at), nil
	}
	founded, ok, err := t.store.Founded(ctx)
	if err != nil {
		return TownTime{}, err
	}
	if !ok {
		return t.world.townTime(at, at), nil
	}
	// Kept in memory only once it can't be rolled back any more.
	t.store.AfterCommit(ctx, func() { t.founded.Store(&founded) })
	return t.world.townTime(founded, at), nil
}

// Seed creates the demo players that aren't there yet. For local mode, at start.
func (t *Town) Seed(ctx context.Context) error {
	return t.tx(ctx, func(ctx context.Context) error {
		at := t.now()
		if err := t.found(ctx, at); err != nil {
			return err
		}
		for _, d := range t.world.Demo {
			if err := t.seed(ctx, d, at); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *Town) seed(ctx context.Context, d DemoPlayer, at time.Time) error {
	_, err := t.store.Someone(ctx, PersonID(d.Handle))
	if err == nil || !errors.Is(err, ErrNoPlayer) {
		return err
	}
	person := Person{
		ID: PersonID(d.Handle), Name: d.Name, Avatar: d.Avatar, Discoverable: true, Demo: true,
	}
	if err := t.settleIn(ctx, person, d.Place, d.Money, at); err != nil {
		return err
	}
	if d.Stall == "" {
		return nil
	}
	return t.store.TakeStall(ctx, d.Stall, person.ID, at)
}

// settleIn gives a new resident a wallet, stats and a place to begin.
func (t *Town) settleIn(ctx context.Context, p Person, place string, money int64, at time.Time) error {
	now, err := t.townTime(ctx, at)
	if err != nil {
		return err
	}
	err = t.store.Add(ctx, Someone{
		Person: p, SeenAt: at, Stats: t.world.startStats(), StatsAt: at,
		Place: place, RentDay: now.Day, Present: true,
	})
	if err != nil {
		return err
	}
	if err := t.store.OpenAccount(ctx, wallet(string(p.ID))); err != nil {
		return err
	}
	if money == 0 {
		return nil
	}
	return t.pay(ctx, accountTown, wallet(string(p.ID)), money, Entry{Kind: EntryStart, Text: "A start in " + t.world.Name}, at)
}

// Resident finds a resident by handle; ErrNoPlayer if there is none.
func (t *Town) Resident(ctx context.Context, handle string) (Person, error) {
	s, err := t.resident(ctx, handle)
	return s.Person, err
}

func (t *Town) resident(ctx context.Context, handle string) (Someone, error) {
	if PersonID(handle).Guest() {
		return Someone{}, refuse(ErrNoPlayer, "Nobody here is called "+handle+".")
	}
	s, err := t.store.Someone(ctx, PersonID(handle))
	if errors.Is(err, ErrNoPlayer) {
		return Someone{}, refuse(ErrNoPlayer, "Nobody here is called "+handle+".")
	}
	return s, err
}

// maxBio is how many code points a resident may tell of themselves.
const maxBio = 280

// SetBio sets what a resident tells of themselves, "" for nothing. ErrInvalid for
// what no game would show.
func (t *Town) SetBio(ctx context.Context, who PersonID, bio string) error {
	if bio != "" {
		if err := CheckText(bio, maxBio); err != nil {
			return err
		}
	}
	return t.tx(ctx, func(ctx context.Context) error {
		s, err := t.resident(ctx, string(who))
		if err != nil {
			return err
		}
		s.Bio = bio
		return t.store.Save(ctx, s)
	})
}

// SetDiscoverable lets players of other games find a resident, or not.
func (t *Town) SetDiscoverable(ctx context.Context, who PersonID, on bool) error {
	return t.tx(ctx, func(ctx context.Context) error {
		s, err := t.resident(ctx, string(who))
		if err != nil {
			return err
		}
		s.Discoverable = on
		t.wake(ctx, who)
		return t.store.Save(ctx, s)
	})
}
