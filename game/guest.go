package game

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxPostcard  = 280 // code points a postcard may have abroad
	maxMemories  = 3   // things that a postcard tells of
	maxSouvenirs = 40  // verbs that are sent home
)

// Arrive puts a guest into the town with the stats they brought and no others.
// Called again for the same visit it changes how they are shown, nothing else.
// ErrBlocked for a new visit by someone whom the keeper keeps out.
func (t *Town) Arrive(ctx context.Context, g Visitor) error {
	return t.tx(ctx, func(ctx context.Context) error {
		at := t.now()
		if err := t.found(ctx, at); err != nil {
			return err
		}
		old, err := t.store.Someone(ctx, g.ID)
		known := err == nil
		if err != nil && !errors.Is(err, ErrNoPlayer) {
			return err
		}
		person := Person{ID: g.ID, Name: g.Name, Avatar: g.Avatar, Home: g.Home, VisitID: g.VisitID}
		if known && old.Present && old.VisitID == g.VisitID {
			old.Person = person
			t.wakePlace(ctx, g.ID, old.Place)
			return t.store.Save(ctx, old)
		}
		if err := t.mayEnter(ctx, g); err != nil {
			return err
		}
		stats := whole(g.Stats)
		next := Someone{
			Person: person, Version: old.Version, SeenAt: at, Stats: stats, StatsAt: at,
			Place: t.world.Arrivals, Present: true, Brought: stats.points(),
		}
		t.wakePlace(ctx, g.ID, next.Place)
		if err := t.emptyPocket(ctx, g.ID, old.VisitID, at); err != nil { // of a visit that was never left
			return err
		}
		if next.Pocket, err = t.fillPocket(ctx, g, at); err != nil {
			return err
		}
		if known {
			err = t.store.Save(ctx, next)
		} else {
			err = t.store.Add(ctx, next)
		}
		if err != nil {
			return err
		}
		if err := t.note(ctx, g.ID, t.world.Icon, "Welcome to "+t.world.Name+", "+g.Name+"!", at); err != nil {
			return err
		}
		return t.serveKept(ctx, g.ID)
	})
}

// points are the stats as shown.
func (s Stats) points() map[string]int {
	points := make(map[string]int, len(s))
	for id, v := range s {
		points[id] = shown(v)
	}
	return points
}

// Depart takes a guest out of the town and tells what they bring home: only
// what really changed. For a visit that isn't (any longer) the guest's present
// one there is nothing to bring.
func (t *Town) Depart(ctx context.Context, who PersonID, visitID string) (Souvenirs, error) {
	var souvenirs Souvenirs
	err := t.tx(ctx, func(ctx context.Context) error {
		s, err := t.store.Someone(ctx, who)
		if errors.Is(err, ErrNoPlayer) || err == nil && (!s.Present || s.VisitID != visitID) {
			return nil
		}
		if err != nil {
			return err
		}
		sales, err := t.store.SalesOf(ctx, visitID)
		if err != nil {
			return err
		}
		if err := t.emptyPocket(ctx, who, visitID, t.now()); err != nil {
			return err
		}
		souvenirs = t.world.souvenirs(s, sales)
		s.Present, s.Pocket = false, 0
		t.wakePlace(ctx, who, s.Place)
		return t.store.Save(ctx, s)
	})
	return souvenirs, err
}

func (w *World) souvenirs(s Someone, sales []Sale) Souvenirs {
	out := Souvenirs{Stats: map[string]int{}, Postcard: w.postcard(s.Deeds, parcels(sales))}
	for id, brought := range s.Brought {
		if change := shown(s.Stats[id]) - brought; change != 0 {
			out.Stats[id] = change
		}
	}
	for _, id := range s.Deeds {
		a := w.Activity(id)
		if a != nil && !slices.Contains(out.Verbs, a.Verb) && len(out.Verbs) < maxSouvenirs {
			out.Verbs = append(out.Verbs, a.Verb)
		}
	}
	return out
}

// parcels are the things that are sent after a guest who leaves, should they be
// paid for: whether they are isn't known yet, and the postcard is the last word
// that goes home.
func parcels(sales []Sale) []string {
	var items []string
	for _, s := range sales {
		if s.State == SaleAsked && s.Item != "" {
			items = append(items, s.Item)
		}
	}
	return items
}

// postcard tells in a sentence or two what the guest did, and what follows.
func (w *World) postcard(deeds, parcels []string) string {
	var memories []string
	for _, id := range deeds {
		a := w.Activity(id)
		if a == nil || len(memories) == maxMemories {
			continue
		}
		memory := a.Memory
		if memory == "" {
			memory = a.Label
		}
		memories = append(memories, memory)
	}
	text := "Greetings from " + w.Name + "! "
	if len(memories) == 0 {
		text += "Only a quick look around this time."
	} else {
		text += "Today: " + listed(memories) + "."
	}
	if len(parcels) > 0 {
		text += " As soon as it is paid, this follows by post: " + listed(parcels) + "."
	}
	if full := text + " " + w.Farewell; w.Farewell != "" && utf8.RuneCountInString(full) <= maxPostcard {
		return full
	}
	return clip(text, maxPostcard)
}

func listed(items []string) string {
	if len(items) == 1 {
		return items[0]
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// clip shortens text to limit code points.
func clip(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// remember adds to what a guest did on this visit.
func (s *scene) remember(a *Activity) {
	if s.someone.ID.Guest() && !slices.Contains(s.someone.Deeds, a.ID) {
		s.someone.Deeds = append(s.someone.Deeds, a.ID)
	}
}

// ReturnHome gives a resident what they bring back from abroad, within 0-100,
// and keeps the postcard. A visit that is in the book already changes nothing
// and tells what was applied then. ErrNoPlayer without such a resident.
func (t *Town) ReturnHome(ctx context.Context, handle string, r Homecoming) (applied map[string]int, err error) {
	if _, err := t.resident(ctx, handle); err != nil {
		return nil, err
	}
	err = t.act(ctx, PersonID(handle), func(ctx context.Context, s *scene) error {
		old, ok, err := t.store.Postcard(ctx, handle, r.VisitID)
		if err != nil {
			return err
		}
		if ok {
			applied = old.Changes
			return nil
		}
		applied = s.someone.Stats.apply(r.Stats)
		err = t.store.AddPostcard(ctx, handle, Postcard{
			VisitID: r.VisitID, Host: r.Host, HostName: r.HostName, Reason: r.Reason,
			Text: clip(r.Postcard, maxPostcard), Verbs: r.Verbs, Changes: applied, Stayed: r.Stayed.Truncate(time.Second), At: s.at,
		})
		if err != nil {
			return err
		}
		t.wake(ctx, s.someone.ID)
		return t.note(ctx, s.someone.ID, "📮", "Back from "+r.HostName+", with a new stamp in the book.", s.at)
	})
	return applied, err
}

// Postcards are a resident's, newest first.
func (t *Town) Postcards(ctx context.Context, handle string) ([]Postcard, error) {
	return t.store.Postcards(ctx, handle, maxPostcards)
}
