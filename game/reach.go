package game

import (
	"context"
	"errors"
)

// reach finds a resident for someone of another game. from is that person's id,
// or the id of their game where nobody is named. ErrNoPlayer for an absent
// resident and alike for a hidden one, except that whom a hidden one has written
// to may write back; only then ErrBlocked.
//
// It is the one path for all who ask: the absent and the hidden cost the same
// reads and get the same answer.
func (t *Town) reach(ctx context.Context, to PersonID, from string, writes bool) (Someone, error) {
	s, err := t.store.Someone(ctx, to)
	if err != nil && !errors.Is(err, ErrNoPlayer) {
		return Someone{}, err
	}
	wrote, err := t.store.WroteTo(ctx, to, from)
	if err != nil {
		return Someone{}, err
	}
	blocked, err := t.store.Blocked(ctx, to, from)
	if err != nil {
		return Someone{}, err
	}
	if to.Guest() || s.ID == "" || !s.Discoverable && !(writes && wrote) {
		return Someone{}, refuse(ErrNoPlayer, "No such player.")
	}
	if blocked {
		return Someone{}, refuse(ErrBlocked, "This player doesn't want to hear from you.")
	}
	return s, nil
}

// Find is a resident whom people of other games may know of, for asker: a
// player id, or a game's. ErrNoPlayer, then ErrBlocked.
func (t *Town) Find(ctx context.Context, handle, asker string) (Person, error) {
	s, err := t.reach(ctx, PersonID(handle), asker, false)
	return s.Person, err
}

// Profile is what the town tells of a resident.
type Profile struct {
	Person
	District string
	Stats    map[string]int
	PenPal   bool // the resident has written to the asker
}

// Profile is Find with more to tell. The district is where the residents live,
// never where someone is just now.
func (t *Town) Profile(ctx context.Context, handle, asker string) (Profile, error) {
	s, err := t.reach(ctx, PersonID(handle), asker, false)
	if err != nil {
		return Profile{}, err
	}
	return t.profile(ctx, s, asker)
}

func (t *Town) profile(ctx context.Context, s Someone, asker string) (Profile, error) {
	wrote, err := t.store.WroteTo(ctx, s.ID, asker)
	if err != nil {
		return Profile{}, err
	}
	now := &scene{world: t.world, at: t.now(), someone: s}
	now.passTime()
	return Profile{Person: s.Person, District: t.world.homeDistrict(), Stats: now.someone.Stats.points(), PenPal: wrote}, nil
}

// NeighbourProfile is what residents see of each other.
func (t *Town) NeighbourProfile(ctx context.Context, handle string, asker PersonID) (Profile, error) {
	s, err := t.resident(ctx, handle)
	if err != nil {
		return Profile{}, err
	}
	return t.profile(ctx, s, string(asker))
}

// homeDistrict is the name of the district where residents live.
func (w *World) homeDistrict() string {
	home := w.Place(w.Start.Place)
	for _, d := range w.Districts {
		if home != nil && d.Slug == home.District {
			return d.Name
		}
	}
	return ""
}

// maxCounted bounds how many people at a place are counted: beyond, the exact
// number tells nobody more.
const maxCounted = 10_000

// PlaceStatus is how a place is doing. It tells how many are there, never who.
type PlaceStatus struct {
	Place   *Place
	Open    bool
	Players int
}

// PlaceStatus finds a place by district and slug; ErrNoSuch if there is none.
func (t *Town) PlaceStatus(ctx context.Context, district, slug string) (PlaceStatus, error) {
	p := t.world.Place(slug)
	if p == nil || p.District != district {
		return PlaceStatus{}, refuse(ErrNoSuch, "There is no such place.")
	}
	at := t.now()
	now, err := t.townTime(ctx, at)
	if err != nil {
		return PlaceStatus{}, err
	}
	players, err := t.store.CountAt(ctx, slug, at, maxCounted)
	return PlaceStatus{Place: p, Open: p.Hours.Open(now.Minute), Players: players}, err
}
