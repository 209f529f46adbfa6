package town

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sgip.example/starter/game"
	"sgip.example/starter/game/worlds"
)

func loadWorld(t *testing.T, name string) *game.World {
	t.Helper()
	town, err := worlds.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return town.World
}

func TestDraw_Same(t *testing.T) {
	for _, name := range worlds.Names() {
		first, again := draw(loadWorld(t, name)), draw(loadWorld(t, name))
		if first.Land != again.Land || first.Names != again.Names || first.Windows != again.Windows {
			t.Errorf("%s is drawn differently the second time", name)
		}
		for _, part := range []string{"m-water", "m-park", "m-roof", "m-landmark", "m-surface"} {
			if !strings.Contains(string(first.Land), part) {
				t.Errorf("%s has no %s", name, part)
			}
		}
		if !strings.Contains(string(first.Names), "textPath") {
			t.Errorf("%s has no name along a road", name)
		}
		if size := len(first.Land) + len(first.Names) + len(first.Windows); size > 120_000 {
			t.Errorf("%s takes %d bytes", name, size)
		}
	}
}

func TestLandmark_Pictures(t *testing.T) {
	for _, name := range game.Pictures {
		if landmarkPicture(name) == "" {
			t.Errorf("no picture of a %s", name)
		}
	}
}

// TestRoads_Way walks between all pairs of places of both towns: a walk begins
// and ends at its places, has no leaps off the roads, and is no longer than a
// stroll around town.
func TestRoads_Way(t *testing.T) {
	for _, name := range worlds.Names() {
		w := loadWorld(t, name)
		net := newRoads(w)
		for _, from := range w.Places {
			for _, to := range w.Places {
				walk := net.way(from.Slug, to.Slug)
				if len(walk) == 0 || walk[0].far(at(from.At)) > 1 || walk[len(walk)-1].far(at(to.At)) > 1 {
					t.Fatalf("%s: %s to %s: %v", name, from.Slug, to.Slug, walk)
				}
				for i := 1; i < len(walk); i++ {
					if a, b := net.add(walk[i-1]), net.add(walk[i]); !slices.Contains(net.next[a], b) {
						t.Errorf("%s: %s to %s leaves the road at %v", name, from.Slug, to.Slug, walk[i])
					}
				}
				middle := along(walk, 0.5)
				if math.IsNaN(middle.x) || along(walk, 2).far(at(to.At)) > 1 || along(walk, -1).far(at(from.At)) > 1 {
					t.Errorf("%s: %s to %s leads through %v", name, from.Slug, to.Slug, middle)
				}
			}
		}
		if net.way("nowhere", w.Places[0].Slug) != nil {
			t.Error("a way from nowhere")
		}
	}
}

func TestLabels_Apart(t *testing.T) {
	places := []game.Place{{Slug: "a", Name: "Ojuelegba Motor Park", At: game.Point{500, 300}}, {Slug: "b", Name: "Mama Ronke's Buka", At: game.Point{505, 322}}, {Slug: "c", Name: "At the edge", At: game.Point{995, 695}}}
	labels := setLabels(places)
	var areas []area
	for _, p := range places {
		a := labels[p.Slug].area(p, len(p.Name)*nameLetter)
		if a.outside() > 0 && p.Slug == "c" {
			t.Errorf("%s hangs over the edge: %+v", p.Name, a)
		}
		for _, b := range areas {
			if a.overlap(b) > 0 {
				t.Errorf("names overlap: %+v %+v", a, b)
			}
		}
		areas = append(areas, a)
	}
}

// TestTheme_Contrast holds what people must read to WCAG AA: text on the accent,
// and the accent as text on paper, by day and by dark.
func TestTheme_Contrast(t *testing.T) {
	for _, name := range worlds.Names() {
		p := loadWorld(t, name).Palette
		for _, c := range []struct{ what, a, b string }{
			{"ink on accent", p.Accent.Light, p.AccentInk.Light},
			{"ink on accent, dark", p.Accent.Dark, p.AccentInk.Dark},
			{"accent on paper", readable(p.Accent.Light, lightPaper), lightPaper},
			{"accent on paper, dark", readable(p.Accent.Dark, darkPaper), darkPaper},
		} {
			if got := contrast(c.a, c.b); got < 4.5 {
				t.Errorf("%s: %s is %.2f", name, c.what, got)
			}
		}
	}
	for _, accent := range []string{"#ffffff", "#000000", "#ffff00", "#123456"} {
		if contrast(readable(accent, lightPaper), lightPaper) < 4.5 || contrast(readable(accent, darkPaper), darkPaper) < 4.5 {
			t.Errorf("%s can't be read", accent)
		}
	}
	if css := string(themeCSS(&game.World{Palette: game.Palette{Accent: game.Shade{Light: "red;}body{display:none", Dark: "#12345g"}}})); strings.Contains(css, "body") || strings.Contains(css, "12345g") {
		t.Errorf("a colour that is none got into the sheet: %s", css)
	}
}

func TestIcons_Drawn(t *testing.T) {
	sheet, err := files.ReadFile("assets/icons.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range worlds.Names() {
		w := loadWorld(t, name)
		var wanted []string
		for _, m := range w.Modes {
			wanted = append(wanted, modeIcon(m.ID))
		}
		for _, p := range w.Places {
			wanted = append(wanted, placeIcon(p.Kind))
			for _, a := range p.Activities {
				wanted = append(wanted, verbIcon(a.Verb))
				for stat := range a.Effects {
					wanted = append(wanted, stat)
				}
			}
		}
		for _, icon := range wanted {
			if !strings.Contains(string(sheet), `id="`+icon+`"`) {
				t.Errorf("%s wants the icon %q, which isn't drawn", name, icon)
			}
		}
	}
}
