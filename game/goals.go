package game

// goals tells how far someone has come. postcards are those they brought home.
func (s *scene) goals(postcards int) []Goal {
	if s.someone.ID.Guest() {
		return nil
	}
	goals := make([]Goal, 0, len(s.world.Goals))
	for _, rule := range s.world.Goals {
		have, want := s.measure(rule, postcards)
		done := have >= want
		progress := 100
		if !done {
			progress = int(max(0, have) * 100 / want)
		}
		goals = append(goals, Goal{ID: rule.ID, Label: rule.Label, Icon: rule.Icon, Done: done, Progress: progress})
	}
	return goals
}

// measure is how much of a goal is there, and how much it takes.
func (s *scene) measure(rule GoalRule, postcards int) (have, want int64) {
	switch {
	case rule.Verb != "":
		return s.timesOf(rule.Verb), int64(rule.Times)
	case rule.Activity != "":
		return int64(s.deeds[rule.Activity].Times), int64(rule.Times)
	case rule.Balance > 0:
		return s.balance, rule.Balance
	case rule.Stall:
		if s.someone.Stall != "" {
			return 1, 1
		}
		return 0, 1
	case rule.Places > 0:
		return s.placesSeen(), int64(rule.Places)
	}
	return int64(postcards), int64(max(rule.Postcards, 1))
}

func (s *scene) timesOf(verb string) int64 {
	var times int64
	for id, d := range s.deeds {
		if a := s.world.Activity(id); a != nil && a.Verb == verb {
			times += int64(d.Times)
		}
	}
	return times
}

func (s *scene) placesSeen() int64 {
	seen := map[string]bool{}
	for id := range s.deeds {
		if a := s.world.Activity(id); a != nil {
			seen[a.Place] = true
		}
	}
	return int64(len(seen))
}
