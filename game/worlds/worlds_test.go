package worlds

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"

	"sgip.example/starter/game"
	"sgip.example/starter/vocabulary"
)

func TestLoad_OK(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			town, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w := town.World
			activities, forGuests, sold := 0, 0, 0
			for _, p := range w.Places {
				activities += len(p.Activities)
				for _, a := range p.Activities {
					if w.Activity(a.ID) == nil || a.Place != p.Slug {
						t.Errorf("%s isn't found at %s", a.ID, p.Slug)
					}
					if !a.Residents && a.Job == nil && a.Price == 0 {
						forGuests++
					}
					if !a.Residents && a.Price > 0 {
						sold++
					}
				}
			}
			if len(w.Places) < 9 || activities < 18 || forGuests < 6 || sold < 6 {
				t.Errorf("%d places, %d activities, of them %d free and %d sold to guests", len(w.Places), activities, forGuests, sold)
			}
			if len(w.Map.Roads) < 12 || len(w.Map.Water) < 3 || len(w.Map.Landmarks) < 8 || len(w.Map.Blocks) < 150 {
				t.Error("the map isn't a place yet")
			}
			if !bytes.Contains(town.Network, []byte(`"accepts"`)) {
				t.Error("network.json isn't handed on")
			}
			firstMorning(t, w)
		})
	}
}

// firstMorning checks that a town can be lived in without money: a new resident
// and a guest find something to do at 08:00, and each stat has free help.
func firstMorning(t *testing.T, w *game.World) {
	free := map[string]bool{}
	for _, p := range w.Places {
		for _, a := range p.Activities {
			for id, by := range a.Effects {
				if by > 0 && a.Price == 0 {
					free[id] = true
				}
			}
		}
	}
	for _, id := range game.StatIDs() {
		if id != "hunger" && !free[id] { // food is earned
			t.Errorf("nothing free raises %s", id)
		}
	}
	for _, slug := range []string{w.Start.Place, w.Arrivals} {
		if !w.Place(slug).Hours.Open(8 * 60) {
			t.Errorf("%s is closed on the first morning", slug)
		}
	}
}

func TestLoad_Folder(t *testing.T) {
	town, err := Load("testdata/smalltown")
	if err != nil {
		t.Fatal(err)
	}
	w := town.World
	if w.Slug != "smalltown" || string(town.Network) != "{}" || w.Arrivals != "home" || w.MinutesPerSecond != 1 || w.Pattern != "plain" {
		t.Fatalf("%+v", w)
	}
	if len(w.Map.Roads) < 3 || len(w.Map.Parks) != 1 || len(w.Map.Water) != 1 || len(w.Map.Blocks) < 20 {
		t.Fatalf("a map left out isn't drawn: %d roads, %d parks, %d waters, %d blocks",
			len(w.Map.Roads), len(w.Map.Parks), len(w.Map.Water), len(w.Map.Blocks))
	}
	p := w.Palette
	for _, c := range []string{p.Ground.Dark, p.Water.Light, p.Road.Dark, p.Park.Light, p.Building.Dark, p.AccentInk.Light} {
		if !isColour(c) {
			t.Fatalf("palette %+v", p)
		}
	}
	if contrast(p.Accent.Dark, p.AccentInk.Dark) < minContrast {
		t.Fatalf("hard to read at night: %+v", p)
	}
	again, err := Load("testdata/smalltown")
	if err != nil || len(again.World.Map.Blocks) != len(w.Map.Blocks) || again.World.Map.Blocks[7] != w.Map.Blocks[7] {
		t.Fatal("a second drawing differs")
	}
}

// fault is one way to break the good file: Put in the place of the first Find.
type fault struct {
	Find string `json:"find"`
	Put  string `json:"put"`
	Says string `json:"says"`
}

// faults are those of testdata; a field that isn't known, or none at all, fails.
func faults(t *testing.T) []fault {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "faults.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []fault
	if err := json.Unmarshal(raw, &all, json.RejectUnknownMembers(true)); err != nil || len(all) == 0 {
		t.Fatalf("%d faults, %v", len(all), err)
	}
	return all
}

// wantFault wants a world refused by file, path and reason.
func wantFault(t *testing.T, words *vocabulary.Registry, raw []byte, says string) {
	t.Helper()
	_, err := load(fstest.MapFS{"small/world.json": {Data: raw}}, "small", "small", words)
	if err == nil {
		t.Fatal("taken")
	}
	if want := "small/world.json: " + says; !strings.Contains(err.Error(), want) {
		t.Fatalf("got  %v\nwant %s", err, want)
	}
}

// TestLoad_Err breaks a good file in one spot at a time and wants the fault
// named by file, path and reason.
func TestLoad_Err(t *testing.T) {
	good, err := os.ReadFile(filepath.Join("testdata", "smalltown", "world.json"))
	if err != nil {
		t.Fatal(err)
	}
	words, err := vocabulary.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range faults(t) {
		t.Run(c.Says, func(t *testing.T) {
			if !bytes.Contains(good, []byte(c.Find)) {
				t.Fatalf("%q isn't in the good file", c.Find)
			}
			wantFault(t, words, bytes.Replace(good, []byte(c.Find), []byte(c.Put), 1), c.Says)
		})
	}
	t.Run("bad UTF-8", func(t *testing.T) {
		wantFault(t, words, bytes.Replace(good, []byte(`"Smalltown"`), []byte("\"Small\xff\""), 1), "name: invalid UTF-8")
	})
	t.Run("no such town", func(t *testing.T) {
		if _, err := Load("atlantis"); err == nil || !strings.Contains(err.Error(), "lagos, berlin") {
			t.Fatal(err)
		}
	})
	t.Run("no world file", func(t *testing.T) {
		if _, err := Load(t.TempDir()); err == nil {
			t.Fatal("taken")
		}
	})
	t.Run("too large", func(t *testing.T) {
		files := fstest.MapFS{"small/world.json": {Data: append(bytes.Repeat([]byte(" "), maxFile), good...)}}
		if _, err := load(files, "small", "small", words); err == nil || !strings.Contains(err.Error(), "larger than") {
			t.Fatal(err)
		}
	})
}
