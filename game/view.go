package game

import (
	"context"
	"fmt"
	"time"
)

// View is all that the person sees now. It asks for rent that is due and writes
// nothing else. ErrNoPlayer for a stranger and for a guest who has left.
func (t *Town) View(ctx context.Context, who PersonID) (View, error) {
	s, err := t.load(ctx, who)
	if err != nil {
		return View{}, err
	}
	if s.rentDays() > 0 {
		err := t.act(ctx, who, func(_ context.Context, now *scene) error { s = now; return nil })
		if err != nil {
			return View{}, err
		}
	}
	t.live.stand(who, s.someone.Place)
	v := View{
		Person: s.someone.Person, Now: s.now, Balance: s.balance, Pocket: s.someone.Pocket,
		Journey: s.someone.journey(s.at), Busy: s.someone.busy(t.world, s.at),
		Stats: s.statViews(), Options: s.options(), Routes: s.routes(), Surprise: s.surpriseNote(),
	}
	if v.Journey == nil {
		v.Here = t.world.Place(s.someone.Place)
	}
	if v.People, err = t.people(ctx, s); err != nil {
		return View{}, err
	}
	if v.News, err = t.store.Notes(ctx, who, maxNotesShown); err != nil {
		return View{}, err
	}
	postcards := 0
	if !who.Guest() {
		postcards, err = t.store.CountPostcards(ctx, string(who))
	}
	v.Goals = s.goals(postcards)
	return v, err
}

// Overview is the town as a passer-by sees it: who was about lately, and the time.
func (t *Town) Overview(ctx context.Context) ([]Neighbour, TownTime, error) {
	at := t.now()
	now, err := t.townTime(ctx, at)
	if err != nil {
		return nil, TownTime{}, err
	}
	lately, err := t.store.Lately(ctx, "", maxPeopleShown)
	if err != nil {
		return nil, TownTime{}, err
	}
	people := make([]Neighbour, 0, len(lately))
	for _, p := range lately {
		people = append(people, p.neighbour(t.world, at))
	}
	return people, now, nil
}

// people are those who were about lately, and those at the same place.
func (t *Town) people(ctx context.Context, s *scene) ([]Neighbour, error) {
	here, err := t.store.Lately(ctx, s.someone.Place, maxPeopleHere)
	if err != nil {
		return nil, err
	}
	lately, err := t.store.Lately(ctx, "", maxPeopleShown)
	if err != nil {
		return nil, err
	}
	var people []Neighbour
	seen := map[PersonID]bool{s.someone.ID: true}
	for _, p := range append(here, lately...) {
		if !seen[p.ID] {
			seen[p.ID] = true
			people = append(people, p.neighbour(t.world, s.at))
		}
	}
	return people, nil
}

func (s Someone) neighbour(w *World, at time.Time) Neighbour {
	n := Neighbour{ID: s.ID, Name: s.Name, Avatar: s.Avatar, Home: s.Home, Place: s.Place}
	if j := s.journey(at); j != nil {
		n.Doing = "On the way to " + w.placeName(j.To)
	} else if b := s.busy(w, at); b != nil {
		n.Doing = b.Label
	}
	return n
}

// statViews are the stats that the person has, with help where one is low.
func (s *scene) statViews() []StatView {
	var views []StatView
	for _, r := range statRules() {
		value, ok := s.someone.Stats[r.id]
		if !ok {
			continue
		}
		v := StatView{ID: r.id, Value: shown(value)}
		if value < lowStat {
			v.Hint = r.lowWords
			if help := s.helpFor(r.id); help != "" {
				v.Hint += ": " + help
			}
		}
		views = append(views, v)
	}
	return views
}

// helpFor names the nearest open thing that raises a stat.
func (s *scene) helpFor(stat string) string {
	from := s.world.Place(s.someone.Place)
	best, nearest := "", MapWidth+MapHeight
	for i := range s.world.Places {
		p := &s.world.Places[i]
		far := between(from.At, p.At)
		for j := range p.Activities {
			a := &p.Activities[j]
			if a.Effects[stat] <= 0 || far >= nearest || a.BuysStall || s.openNow(a) != nil {
				continue
			}
			if s.someone.ID.Guest() && (a.Residents || a.Job != nil) {
				continue
			}
			nearest = far
			best = fmt.Sprintf("%s, %s", a.Label, s.howFar(p))
		}
	}
	return best
}

// howFar is the way on foot, in words.
func (s *scene) howFar(p *Place) string {
	if p.Slug == s.someone.Place {
		return "right here"
	}
	walk := &s.world.Modes[0] // worlds list walking first
	minutes, _, _ := s.ride(p, walk)
	if minutes == 1 {
		return p.Name + " is a minute away"
	}
	return fmt.Sprintf("%s is %d minutes away", p.Name, minutes)
}

// options are the activities at the place where the person is, or will be.
func (s *scene) options() []Option {
	place := s.world.Place(s.someone.Place)
	options := make([]Option, 0, len(place.Activities))
	for i := range place.Activities {
		a := &place.Activities[i]
		o := Option{Activity: *a, Price: a.Price}
		if owner := s.stalls[a.Place]; a.Price > 0 && !a.BuysStall {
			o.Seller = owner.Name
		}
		if a.Job != nil {
			o.Price = -s.wage(a)
		}
		err := s.mayDo(a)
		if err == nil && s.pays() && a.Price > s.balance {
			err = refuse(ErrPoor, "You are "+s.world.Price(a.Price-s.balance)+" short.")
		}
		if o.Can = err == nil; err != nil {
			o.Why = err.Error()
		}
		options = append(options, o)
	}
	return options
}

func (s *scene) surpriseNote() *Note {
	if s.surprise == nil {
		return nil
	}
	return &Note{At: s.at, Text: s.surprise.Text, Icon: s.surprise.Icon}
}
