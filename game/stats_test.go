package game

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func full() Stats {
	s := Stats{}
	for _, id := range StatIDs() {
		s[id] = maxStat
	}
	return s
}

func TestStats_After(t *testing.T) {
	t.Run("OK falls", func(t *testing.T) {
		s := full().after(2 * hourSeconds)
		if s["hunger"] != 93*point || s["energy"] != 95*point || s["health"] != 99600 {
			t.Fatalf("after two hours %v", s)
		}
	})
	t.Run("OK nobody is lost", func(t *testing.T) {
		s := full().after(longestAbsence.Milliseconds() * 60 / 1000 * maxRate)
		for _, r := range statRules() {
			if s[r.id] != r.floor {
				t.Fatalf("%s ends at %d, not at its floor", r.id, s[r.id])
			}
		}
	})
	t.Run("OK below the floor stays", func(t *testing.T) {
		s := Stats{"hunger": 3 * point}.after(10 * hourSeconds)
		if s["hunger"] != 3*point {
			t.Fatalf("waiting changed it to %d", s["hunger"])
		}
	})
	t.Run("OK absent stays absent", func(t *testing.T) {
		if s := (Stats{"health": maxStat}).after(500 * hourSeconds); len(s) != 1 {
			t.Fatalf("invented %v", s)
		}
	})
	t.Run("OK neglect pulls down", func(t *testing.T) {
		fed, starved := Stats{"health": maxStat, "hunger": maxStat}, Stats{"health": maxStat, "hunger": 20 * point}
		if a, b := fed.after(10 * hourSeconds)["health"], starved.after(10 * hourSeconds)["health"]; a != 98*point || b != 91*point {
			t.Fatalf("fed %d, starved %d", a, b)
		}
	})
	t.Run("OK looked at often or seldom", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			s := Stats{}
			for _, id := range StatIDs() {
				s[id] = rapid.Int64Range(0, maxStat).Draw(r, id)
			}
			a := rapid.Int64Range(0, 500*hourSeconds).Draw(r, "a")
			b := rapid.Int64Range(0, 500*hourSeconds).Draw(r, "b")
			once, twice := s.after(a+b), s.after(a).after(b)
			for id, v := range once {
				if d := v - twice[id]; d < -10 || d > 10 {
					r.Fatalf("%s is %d at once and %d in two steps", id, v, twice[id])
				}
				if v > s[id] {
					r.Fatalf("%s rose from %d to %d by waiting", id, s[id], v)
				}
			}
		})
	})
}

// maxRate is the fastest clock a world may have.
const maxRate = 60

func TestStats_Apply(t *testing.T) {
	s := Stats{"hunger": 95400, "fun": 3 * point}
	got := s.apply(map[string]int{"hunger": 20, "fun": -10, "mood": 5})
	if want := map[string]int{"hunger": 5, "fun": -3}; !maps.Equal(got, want) {
		t.Fatalf("changes %v, want %v", got, want)
	}
	if want := (Stats{"hunger": maxStat, "fun": 0}); !maps.Equal(s, want) {
		t.Fatalf("stats %v", s)
	}
}

func TestWorld_TownTime(t *testing.T) {
	w := &World{MinutesPerSecond: 1}
	founded := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after time.Duration
		want  TownTime
	}{
		{0, TownTime{1, 8 * 60, "day"}},
		{-5 * time.Hour, TownTime{1, 8 * 60, "day"}},
		{10 * 60 * time.Second, TownTime{1, 18 * 60, "dusk"}},
		{16*60*time.Second - time.Millisecond, TownTime{1, 24*60 - 1, "night"}},
		{16 * 60 * time.Second, TownTime{2, 0, "night"}},
		{22 * 60 * time.Second, TownTime{2, 6 * 60, "dawn"}},
		{365 * 24 * time.Hour, TownTime{365*60 + 1, 8 * 60, "day"}},
	} {
		if got := w.townTime(founded, founded.Add(c.after)); got != c.want {
			t.Errorf("after %v: %+v, want %+v", c.after, got, c.want)
		}
	}
}

// A clock that jumps forward and back again costs at most what it showed, and
// never holds anyone.
func TestScene_ClockBack(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := &World{MinutesPerSecond: 1}
	s := scene{world: w, at: start.Add(-time.Hour), someone: Someone{
		Person: Person{ID: "lena"}, Stats: Stats{"hunger": 50 * point}, StatsAt: start,
		DoingSince: start, DoingUntil: start.Add(time.Minute), Left: start, Arrives: start.Add(time.Minute),
	}}
	s.passTime()
	if s.someone.Stats["hunger"] != 50*point || !s.someone.StatsAt.Equal(s.at) {
		t.Fatalf("%+v", s.someone)
	}
	if err := s.free(); err != nil {
		t.Fatalf("held by the future: %v", err)
	}
}

func TestHours_Open(t *testing.T) {
	for _, c := range []struct {
		hours  string
		minute int
		open   bool
		next   int
	}{
		{"07:00-22:00", 7 * 60, true, 7 * 60}, {"07:00-22:00", 22 * 60, false, 7 * 60}, {"07:00-22:00", 6*60 + 59, false, 7 * 60},
		{"22:00-04:00", 23 * 60, true, 22 * 60}, {"22:00-04:00", 0, true, 22 * 60}, {"22:00-04:00", 4*60 - 1, true, 22 * 60},
		{"22:00-04:00", 4 * 60, false, 22 * 60}, {"22:00-04:00", 21*60 + 59, false, 22 * 60},
		{"08:00-12:00, 14:00-18:00", 13 * 60, false, 14 * 60}, {"08:00-12:00, 14:00-18:00", 19 * 60, false, 8 * 60},
		{"05:00-24:00", 23*60 + 59, true, 5 * 60}, {"05:00-24:00", 0, false, 5 * 60}, {"00:00-24:00", 0, true, 0},
	} {
		var h Hours
		if err := h.UnmarshalText([]byte(c.hours)); err != nil {
			t.Fatal(err)
		}
		if h.Open(c.minute) != c.open || h.String() != c.hours {
			t.Errorf("%s at %s: open %v", h, ClockText(c.minute), h.Open(c.minute))
		}
		if !c.open && h.NextOpen(c.minute) != c.next {
			t.Errorf("%s at %s: next %s", h, ClockText(c.minute), ClockText(h.NextOpen(c.minute)))
		}
	}
	if !(Hours)(nil).Open(3 * 60) {
		t.Error("no hours are always open")
	}
	for _, bad := range []string{"", "07:00", "7:00-22:00", "07:00-25:00", "07:60-08:00", "07:00-07:00", "24:00-02:00", "aa:bb-cc:dd", "07:00-22:00,"} {
		var h Hours
		if err := h.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("took %q as %v", bad, h)
		}
	}
}

func TestWorld_Surprise(t *testing.T) {
	w := &World{Slug: "berlin", Surprises: []Surprise{{ID: "a", Chances: 3}, {ID: "b", Chances: 1}}}
	seen := map[string]int{}
	for day := range 400 {
		s := w.surprise(day)
		if again := w.surprise(day); again != s {
			t.Fatalf("day %d has two", day)
		}
		seen[s.ID]++
	}
	if seen["a"] < 250 || seen["b"] < 50 {
		t.Fatalf("of 400 days %v", seen)
	}
	if (&World{}).surprise(1) != nil {
		t.Fatal("a surprise out of nothing")
	}
}
