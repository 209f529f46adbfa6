package game

import (
	"maps"
	"slices"
)

// Stats are kept in thousandths of a point, so that little by little adds up.
// A stat that is missing isn't simulated.
type Stats map[string]int64

const (
	point   = 1000
	maxStat = 100 * point
	// lowStat is where a stat begins to ask for help.
	lowStat = 35 * point
	// neglected is where one stat begins to pull down another.
	neglected = 25 * point
	// startStat is what a new resident has where the world doesn't say.
	startStat = 70
)

// statRule is how a stat falls while time goes by.
type statRule struct {
	id       string
	perHour  int64    // thousandths in an hour of the town
	floor    int64    // staying away never brings it below
	strain   int64    // more for every hour in which one of sources is neglected
	sources  []string // rules listed before this one
	lowWords string
}

// statRules are the stats that residents have, in the order they are shown.
func statRules() []statRule {
	return []statRule{
		{id: "hunger", perHour: 3500, floor: 12 * point, lowWords: "Hungry"},
		{id: "energy", perHour: 2500, floor: 15 * point, lowWords: "Tired"},
		{id: "bladder", perHour: 4000, floor: 15 * point, lowWords: "You need a toilet"},
		{id: "hygiene", perHour: 2000, floor: 15 * point, lowWords: "Time for a wash"},
		{id: "fun", perHour: 2200, floor: 15 * point, lowWords: "Bored"},
		{id: "social", perHour: 1800, floor: 15 * point, lowWords: "Lonely"},
		{id: "health", perHour: 200, floor: 25 * point, strain: 700, sources: []string{"hunger", "energy", "hygiene"}, lowWords: "Unwell"},
		{id: "mood", perHour: 900, floor: 20 * point, strain: 800, sources: []string{"bladder", "fun", "social"}, lowWords: "Feeling low"},
	}
}

// StatIDs are the stats that the game simulates, in the order they are shown.
func StatIDs() []string {
	var ids []string
	for _, r := range statRules() {
		ids = append(ids, r.id)
	}
	return ids
}

const hourSeconds = 3600

// after is what has become of the stats when seconds of the town's time have
// gone by: each falls to its floor and no further, faster while what it rests
// on is neglected.
func (s Stats) after(seconds int64) Stats {
	next := maps.Clone(s)
	for _, r := range statRules() {
		value, ok := s[r.id]
		if !ok {
			continue
		}
		loss := r.perHour * seconds / hourSeconds
		for _, source := range r.sources {
			loss += r.strain * s.neglectedFor(source, seconds) / hourSeconds
		}
		next[r.id] = max(value-loss, min(value, r.floor))
	}
	return next
}

// neglectedFor is for how many of the next seconds a stat is below neglected.
func (s Stats) neglectedFor(id string, seconds int64) int64 {
	value, ok := s[id]
	if !ok {
		return 0
	}
	i := slices.IndexFunc(statRules(), func(r statRule) bool { return r.id == id })
	until := max(0, value-neglected) * hourSeconds / statRules()[i].perHour
	return max(0, seconds-until)
}

// apply adds effects, in whole points, to the stats that are there, within
// 0-100, and tells what changed as it is shown.
func (s Stats) apply(effects map[string]int) map[string]int {
	changes := map[string]int{}
	for id, by := range effects {
		before, ok := s[id]
		if !ok {
			continue
		}
		s[id] = min(max(0, before+int64(by)*point), maxStat)
		if change := shown(s[id]) - shown(before); change != 0 {
			changes[id] = change
		}
	}
	return changes
}

// shown rounds to whole points.
func shown(value int64) int { return int((value + point/2) / point) }

// whole turns points into Stats, leaving out what the game doesn't simulate.
func whole(points map[string]int) Stats {
	s := Stats{}
	for _, id := range StatIDs() {
		if v, ok := points[id]; ok {
			s[id] = int64(min(max(0, v), 100)) * point
		}
	}
	return s
}

// startStats are a new resident's.
func (w *World) startStats() Stats {
	points := map[string]int{}
	for _, id := range StatIDs() {
		points[id] = startStat
	}
	maps.Copy(points, w.Start.Stats)
	return whole(points)
}
