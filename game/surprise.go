package game

import (
	"encoding/binary"
	"hash/fnv"
)

// surprise is what is special about a day, nil on a plain one. The same world
// has the same surprise on the same day, whoever asks and however often.
func (w *World) surprise(day int) *Surprise {
	total := 0
	for i := range w.Surprises {
		total += w.Surprises[i].Chances
	}
	if total == 0 {
		return nil
	}
	h := fnv.New64a()
	h.Write([]byte(w.Slug))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(day)))
	// FNV's low bits hardly differ from day to day; fold the high ones in.
	draw := int((h.Sum64() ^ h.Sum64()>>29) % uint64(total))
	for i := range w.Surprises {
		if draw -= w.Surprises[i].Chances; draw < 0 {
			return &w.Surprises[i]
		}
	}
	return nil
}

// wage is what a shift pays today to someone who has done times of them: a
// tenth more after every four, up to half.
func (s *scene) wage(a *Activity) int64 {
	const shiftsToRise, risePercent, maxRises = 4, 10, 5
	rises := min(s.deeds[a.ID].Times/shiftsToRise, maxRises)
	wage := a.Job.Wage * int64(100+risePercent*rises) / 100
	if s.surprise != nil && s.surprise.Wages > 0 {
		wage = wage * int64(s.surprise.Wages) / 100
	}
	return wage
}

// fare is what a ride of distance costs today.
func (s *scene) fare(m *Mode, distance int) int64 {
	fare := m.Fare + m.FarePer*int64((distance+99)/100)
	if s.surprise != nil && s.surprise.Mode == m.ID && s.surprise.Fare > 0 {
		fare = fare * int64(s.surprise.Fare) / 100
	}
	return fare
}

// bonus is what today adds to doing something.
func (s *scene) bonus(a *Activity) map[string]int {
	if s.surprise == nil || s.surprise.Verb != a.Verb {
		return nil
	}
	return s.surprise.Bonus
}
