package worlds

import (
	"fmt"
	"slices"
	"strings"

	"sgip.example/starter/game"
)

func (c *checker) allPlaces(w *game.World) {
	c.bad(len(w.Places) >= 2 && len(w.Places) <= maxPlaces, "places", "a town has 2 to %d places", maxPlaces)
	seen := map[string]bool{}
	for i := range w.Places {
		p, at := &w.Places[i], fmt.Sprintf("places[%d]", i)
		c.slug(at+".slug", p.Slug, seen)
		c.text(at+".name", p.Name, maxLabel)
		c.maybeText(at+".about", p.About, maxAbout)
		c.text(at+".icon", p.Icon, maxIcon)
		c.word(at+".kind", "place_kinds", p.Kind)
		c.points(at+".at", []game.Point{p.At})
		c.bad(slices.ContainsFunc(w.Districts, func(d game.District) bool { return d.Slug == p.District }),
			at+".district", "there is no district %q", p.District)
		c.bad(len(p.Activities) > 0 && len(p.Activities) <= maxActivities, at+".activities", "a place has 1 to %d activities", maxActivities)
		for j := range p.Activities {
			c.activity(fmt.Sprintf("%s.activities[%d]", at, j), &p.Activities[j])
		}
		c.stall(at+".stall", p)
	}
}

func (c *checker) activity(at string, a *game.Activity) {
	c.slug(at+".id", a.ID, c.ids)
	c.bad(!strings.HasPrefix(a.ID, game.StallActivity("")), at+".id", "ids that begin with %q are the game's own", game.StallActivity(""))
	c.text(at+".label", a.Label, maxLabel)
	c.maybeText(at+".about", a.About, maxAbout)
	c.maybeText(at+".item", a.Item, maxLabel)
	c.maybeText(at+".memory", a.Memory, maxLabel)
	c.text(at+".icon", a.Icon, maxIcon)
	c.word(at+".verb", "verbs", a.Verb)
	c.verbs[a.Verb] = true
	c.bad(a.Minutes >= 1 && a.Minutes <= maxMinutes, at+".minutes", "%d is not from 1 to %d", a.Minutes, maxMinutes)
	c.bad(a.Cooldown >= 0 && a.Cooldown <= maxCooldown, at+".cooldown", "%d is not from 0 to %d", a.Cooldown, maxCooldown)
	c.amount(at+".price", a.Price, 0)
	c.stats(at+".effects", a.Effects, -100, 100)
	c.bad(!a.Refundable || a.Item != "", at+".refundable", "only an item can be given back")
	c.bad(a.Item == "" || a.Price > 0, at+".item", "only what has a price is kept")
	if a.Job != nil {
		c.text(at+".job.title", a.Job.Title, maxLabel)
		c.amount(at+".job.wage", a.Job.Wage, 1)
		c.bad(a.Price == 0, at+".price", "a job is paid, it has no price")
	}
}

func (c *checker) stall(at string, p *game.Place) {
	if p.Stall == nil {
		return
	}
	c.text(at+".label", p.Stall.Label, maxLabel)
	c.amount(at+".price", p.Stall.Price, 1)
	c.bad(p.Stall.Share >= 1 && p.Stall.Share <= 100, at+".share", "%d is not from 1 to 100 percent", p.Stall.Share)
	c.bad(slices.ContainsFunc(p.Activities, func(a game.Activity) bool { return a.Price > 0 }),
		at, "nothing is sold here: no activity has a price")
}

func (c *checker) modes(w *game.World) {
	first := len(w.Modes) > 0 && w.Modes[0].ForGuest && w.Modes[0].Fare == 0 && w.Modes[0].FarePer == 0 &&
		len(w.Modes[0].Stops) == 0 && len(w.Modes[0].Hours) == 0
	c.bad(first, "modes[0]", "the first way to travel is free, goes everywhere at any time and has for_guest: walking, as a rule")
	seen := map[string]bool{}
	for i, m := range w.Modes {
		at := fmt.Sprintf("modes[%d]", i)
		c.slug(at+".id", m.ID, seen)
		c.word(at+".id", "transport", m.ID)
		c.text(at+".label", m.Label, maxLabel)
		c.text(at+".icon", m.Icon, maxIcon)
		c.bad(m.Speed >= 1 && m.Speed <= game.MapWidth, at+".speed", "%d is not from 1 to %d map units a minute", m.Speed, game.MapWidth)
		c.bad(m.Wait >= 0 && m.Wait <= maxMinutes, at+".wait", "%d is not from 0 to %d", m.Wait, maxMinutes)
		c.amount(at+".fare", m.Fare, 0)
		c.amount(at+".fare_per", m.FarePer, 0)
		for j, stop := range m.Stops {
			c.place(fmt.Sprintf("%s.stops[%d]", at, j), stop)
		}
	}
}

// rules judges how life begins, what it costs and what may surprise.
func (c *checker) rules(w *game.World) {
	c.place("start.place", w.Start.Place)
	c.place("arrivals", w.Arrivals)
	c.amount("start.money", w.Start.Money, 0)
	c.amount("guest_allowance", w.GuestAllowance, 0)
	c.stats("start.stats", w.Start.Stats, 0, 100)
	c.amount("rent.per_day", w.Rent.PerDay, 0)
	c.bad(w.Rent.MaxDays >= 0 && w.Rent.MaxDays <= 30, "rent.max_days", "%d is not from 0 to 30", w.Rent.MaxDays)
	c.bad(w.Rent.PerDay == 0 || w.Rent.MaxDays > 0, "rent.max_days", "rent needs a limit to what may be owed")
	seen := map[string]bool{}
	for i, s := range w.Surprises {
		at := fmt.Sprintf("surprises[%d]", i)
		c.slug(at+".id", s.ID, seen)
		c.text(at+".icon", s.Icon, maxIcon)
		c.text(at+".text", s.Text, maxAbout)
		c.bad(s.Verb == "" || c.verbs[s.Verb], at+".verb", "nothing in town is done by %q", s.Verb)
		c.bad(len(s.Bonus) == 0 || s.Verb != "", at+".bonus", "needs a verb")
		c.stats(at+".bonus", s.Bonus, -100, 100)
		c.bad(s.Mode == "" || w.Mode(s.Mode) != nil, at+".mode", "there is no way to travel %q", s.Mode)
		c.bad(s.Fare == 0 || s.Mode != "", at+".fare", "needs a mode")
		c.bad(s.Fare >= 0 && s.Fare <= 500, at+".fare", "%d is not from 0 to 500 percent", s.Fare)
		c.bad(s.Wages >= 0 && s.Wages <= 500, at+".wages", "%d is not from 0 to 500 percent", s.Wages)
		c.bad(s.Chances >= 1 && s.Chances <= 1000, at+".chances", "%d is not from 1 to 1000", s.Chances)
	}
}

func (c *checker) goals(goals []game.GoalRule) {
	seen := map[string]bool{}
	for i, g := range goals {
		at := fmt.Sprintf("goals[%d]", i)
		c.slug(at+".id", g.ID, seen)
		c.text(at+".label", g.Label, maxLabel)
		c.text(at+".icon", g.Icon, maxIcon)
		measures := 0
		for _, set := range []bool{g.Verb != "", g.Activity != "", g.Balance != 0, g.Stall, g.Places != 0, g.Postcards != 0} {
			if set {
				measures++
			}
		}
		c.bad(measures == 1, at, "is measured by exactly one of verb, activity, balance, stall, places and postcards")
		c.bad(g.Verb == "" || c.verbs[g.Verb], at+".verb", "nothing in town is done by %q", g.Verb)
		c.bad(g.Activity == "" || c.ids[g.Activity], at+".activity", "there is no activity %q", g.Activity)
		c.bad((g.Verb == "" && g.Activity == "") || g.Times >= 1, at+".times", "is at least 1")
		c.amount(at+".balance", g.Balance, 0)
		c.bad(g.Places >= 0 && g.Places <= len(c.places), at+".places", "%d is not from 1 to the %d there are", g.Places, len(c.places))
		c.bad(g.Postcards >= 0, at+".postcards", "is at least 1")
	}
}

func (c *checker) demo(w *game.World) {
	handles, stalls := map[string]bool{}, map[string]bool{}
	for i, d := range w.Demo {
		at := fmt.Sprintf("demo_players[%d]", i)
		c.bad(handleForm.MatchString(d.Handle), at+".handle", "%q is not 2 to 32 of a-z, 0-9 and _", d.Handle)
		c.bad(!handles[d.Handle], at+".handle", "%q is there twice", d.Handle)
		handles[d.Handle] = true
		c.text(at+".name", d.Name, maxTownName)
		c.text(at+".avatar", d.Avatar, maxIcon)
		c.place(at+".place", d.Place)
		c.amount(at+".money", d.Money, 0)
		if d.Stall == "" {
			continue
		}
		p := c.places[d.Stall]
		c.bad(p != nil && p.Stall != nil, at+".stall", "there is no stall at %q", d.Stall)
		c.bad(!stalls[d.Stall], at+".stall", "%q has an owner already", d.Stall)
		stalls[d.Stall] = true
	}
}
