package game

import "time"

// openingMinute is the time of day at which a town is founded: things are open.
const openingMinute = 8 * 60

// longestAbsence bounds the arithmetic on time; every stat is at its floor long before.
const longestAbsence = 400 * 24 * time.Hour

// townTime is the town's time at the instant at. Before the founding it is the
// first morning, so that a clock set back does no harm.
func (w *World) townTime(founded, at time.Time) TownTime {
	total := openingMinute + int(max(0, at.Sub(founded)).Milliseconds()*int64(w.MinutesPerSecond)/1000)
	minute := total % DayMinutes
	return TownTime{Day: total/DayMinutes + 1, Minute: minute, Phase: phase(minute)}
}

func phase(minute int) string {
	switch {
	case minute < 5*60+30 || minute >= 20*60:
		return "night"
	case minute < 7*60+30:
		return "dawn"
	case minute < 18*60:
		return "day"
	}
	return "dusk"
}

// real is how long minutes of the town take.
func (w *World) real(minutes int) time.Duration {
	return time.Duration(minutes) * time.Second / time.Duration(w.MinutesPerSecond)
}

// townSeconds is how much of the town's time has gone by between two instants;
// none where the clock went back.
func (w *World) townSeconds(from, to time.Time) int64 {
	gone := min(max(0, to.Sub(from)), longestAbsence)
	return gone.Milliseconds() * int64(w.MinutesPerSecond) * 60 / 1000
}

// within reports whether at lies in what began and ends at those instants. What
// began in the future was written under a wrong clock and counts as over, so
// that nobody is stuck.
func within(began, ends, at time.Time) bool { return !at.Before(began) && at.Before(ends) }
