package vocabulary

import (
	"regexp"
	"slices"
	"testing"
)

func load(t *testing.T) *Registry {
	t.Helper()
	r, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegistry_Load(t *testing.T) {
	r := load(t)
	t.Run("OK the domains of 0.1", func(t *testing.T) {
		want := []string{PlaceKinds, Relationships, Stats, Transport, Verbs}
		if got := r.Domains(); !slices.Equal(got, want) {
			t.Errorf("domains %v, want %v", got, want)
		}
	})
	t.Run("OK the twelve stats", func(t *testing.T) {
		stats, _ := r.Domain(Stats)
		var ids []string
		for _, term := range stats.Terms {
			ids = append(ids, term.ID)
		}
		want := []string{
			"hunger", "energy", "bladder", "hygiene", "fun", "social",
			"health", "mood", "stress", "fitness", "knowledge", "comfort",
		}
		if !slices.Equal(ids, want) {
			t.Errorf("stats %v, want %v", ids, want)
		}
	})
	t.Run("OK a caller can't change the registry", func(t *testing.T) {
		stats, _ := r.Domain(Stats)
		stats.Terms[0].ID = "thirst"
		if again, _ := r.Domain(Stats); again.Terms[0].ID != "hunger" {
			t.Error("a term was changed from outside")
		}
	})
	t.Run("Err a field nobody knows", func(t *testing.T) {
		raw := `{"domain":"verbs","description":"d","fallback":{"rule":"r"},"terms":[{"id":"eat","alias":["dine"]}]}`
		if _, err := parse([]byte(raw)); err == nil {
			t.Error("a misspelt field was taken")
		}
	})
}

var (
	idShape  = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	osmShape = regexp.MustCompile(`^[a-z_]+=[a-z_]+$`)
)

// maxID is the longest id that 8.2 allows.
const maxID = 32

// TestDomain_Names holds every file to the naming rules of 8.2.
func TestDomain_Names(t *testing.T) {
	r := load(t)
	for _, name := range r.Domains() {
		t.Run("OK "+name, func(t *testing.T) {
			d, _ := r.Domain(name)
			if d.Description == "" || d.Fallback == "" {
				t.Error("a domain says what it holds and what to do with a word that isn't understood")
			}
			if d.FallbackTerm != "" && !r.Has(name, d.FallbackTerm) {
				t.Errorf("the fallback names %q, which isn't registered", d.FallbackTerm)
			}
			taken := map[string]string{}
			for _, term := range d.Terms {
				checkTerm(t, r, name, term)
				for _, word := range append([]string{term.ID}, term.Aliases...) {
					if other, ok := taken[word]; ok {
						t.Errorf("%q means both %s and %s", word, other, term.ID)
					}
					taken[word] = term.ID
				}
			}
		})
	}
}

func checkTerm(t *testing.T, r *Registry, domain string, term Term) {
	t.Helper()
	for _, word := range append([]string{term.ID}, term.Aliases...) {
		if !idShape.MatchString(word) || len(word) > maxID {
			t.Errorf("%q isn't lower snake_case of at most %d characters", word, maxID)
		}
	}
	if term.Label == "" || term.Description == "" {
		t.Errorf("%s has no label or no description", term.ID)
	}
	if term.Status != "proposed" && term.Status != "stable" {
		t.Errorf("%s has status %q", term.ID, term.Status)
	}
	if term.OSM != "" && (domain != PlaceKinds || !osmShape.MatchString(term.OSM)) {
		t.Errorf("%s has the OpenStreetMap tag %q", term.ID, term.OSM)
	}
	if term.Deprecated != (term.ReplacedBy != "") || term.Deprecated && !r.Has(domain, term.ReplacedBy) {
		t.Errorf("%s: deprecated and replaced_by, a registered term, go together", term.ID)
	}
	if domain == Stats && term.Broader != "" {
		t.Errorf("%s: stats stand for themselves, a receiver must not take one for another", term.ID)
	}
	checkBroader(t, r, domain, term)
}

func checkBroader(t *testing.T, r *Registry, domain string, term Term) {
	t.Helper()
	way := []string{term.ID}
	for at := term.Broader; at != ""; {
		next, ok := r.Term(domain, at)
		if !ok {
			t.Errorf("%s leads to %q, which isn't registered", term.ID, at)
			return
		}
		if slices.Contains(way, at) {
			t.Errorf("%s goes round in a circle: %v", term.ID, way)
			return
		}
		way = append(way, at)
		at = next.Broader
	}
}

func TestRegistry_Resolve(t *testing.T) {
	r := load(t)
	for _, c := range []struct {
		name, domain, id string
		modelled         []string
		want             string
		ok               bool
	}{
		{"OK itself", Transport, "okada", []string{"okada", "taxi"}, "okada", true},
		{"OK two steps broader", Transport, "okada", []string{"taxi"}, "taxi", true},
		{"OK the nearest broader", Transport, "danfo", []string{"bus", "minibus"}, "minibus", true},
		{"OK the fallback's term", Transport, "tram", []string{"walk", "taxi"}, "taxi", true},
		{"OK an extension falls back", Transport, "x-lagos.canoe", []string{"taxi"}, "taxi", true},
		{"OK a modelled extension", Verbs, "x-lagos.owambe", []string{"x-lagos.owambe"}, "x-lagos.owambe", true},
		{"Err nothing broader", Verbs, "eat", []string{"drink"}, "", false},
		{"Err unknown", Verbs, "yodel", []string{"eat"}, "", false},
		{"Err the fallback isn't modelled", Transport, "tram", []string{"walk"}, "", false},
		{"Err no such domain", "weather", "rain", []string{"sun"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := r.Resolve(c.domain, c.id, func(id string) bool { return slices.Contains(c.modelled, id) })
			if got != c.want || ok != c.ok {
				t.Errorf("got %q %v, want %q %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestRegistry_Has(t *testing.T) {
	r := load(t)
	t.Run("OK", func(t *testing.T) {
		term, ok := r.Term(PlaceKinds, "street_food")
		if !ok || !r.Has(PlaceKinds, "street_food") || term.Broader != "fast_food" {
			t.Errorf("street_food is %+v, %v", term, ok)
		}
	})
	for name, id := range map[string]string{"Err an alias": "gist", "Err another case": "Chat", "Err nothing": ""} {
		t.Run(name, func(t *testing.T) {
			if r.Has(Verbs, id) {
				t.Errorf("%q passes for an id", id)
			}
		})
	}
}
