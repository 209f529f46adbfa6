package worlds

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

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
	for _, c := range []struct{ old, new, want string }{
		{`"name": "Smalltown"`, `"name": ""`, `name: There is nothing to read`},
		{`"name": "Smalltown"`, `"name": "<b>"`, `name: No tags`},
		{`"icon": "🏘️"`, `"icon": "ninechars"`, `icon: That is too long`},
		{`"smalltown:shell"`, `"shells"`, `currency: "shells" is neither`},
		{`"currency"`, `"decimals": 9, "currency"`, `decimals: 9 is not`},
		{`"currency"`, `"minutes_per_second": 61, "currency"`, `minutes_per_second: 61 is not`},
		{`"currency"`, `"pattern": "dots", "currency"`, `pattern: "dots" is not one of`},
		{`"currency"`, `"language": "English", "currency"`, `language: "English" is not`},
		{`"currency"`, `"Currency"`, `Currency: is not a field of a world`},
		{`"currency"`, `"name": "Twice", "currency"`, `name: duplicate object member name`},
		{`"#8a2f5c"`, `"red"`, `palette.accent.light: "red" is not a colour`},
		{`"#8a2f5c" }`, `"#8a2f5c" }, "accent_ink": { "light": "#8a2f50" }`, `palette.accent_ink.light: hard to read`},
		{`"at": [400, 300]`, `"at": [400, 701]`, `districts[0].at: [400, 701] is off the map`},
		{`"at": [400, 300]`, `"at": [400, 300, 2]`, `districts[0].at`},
		{`"at": [400, 300]`, `"at": [1.5, 300]`, `districts[0].at[0]`},
		{`"slug": "shore"`, `"slug": "centre"`, `districts[1].slug: "centre" is there twice`},
		{`"at": [400, 300]`, `"at": [400, 300], "outline": [[1, 1]]`, `districts[0].outline: an outline has`},
		{`"slug": "green"`, `"slug": "beach"`, `places[2].slug: "beach" is there twice`},
		{`"slug": "green"`, `"slug": "The Green"`, `places[2].slug: "The Green" is not made of`},
		{`"kind": "park"`, `"kind": "parc"`, `places[2].kind: "parc" is not a word of the shared vocabulary (place_kinds)`},
		{`"district": "shore"`, `"district": "moon"`, `places[1].district: there is no district "moon"`},
		{`"hours": "06:00-22:00"`, `"hours": "6-22"`, `places[1].hours: "6-22" is not like 07:00-22:00`},
		{`"hours": "06:00-22:00"`, `"hours": 6`, `places[1].hours:`},
		{`"label": "the ice cart"`, `"label": " "`, `places[1].stall.label`},
		{`"price": 500`, `"price": 0`, `places[1].stall.price: 0 is not`},
		{`"share": 50`, `"share": 101`, `places[1].stall.share: 101 is not`},
		{`"price": 30, "item": "A cone", "refundable": true`, `"price": 0`, `places[1].stall: nothing is sold here`},
		{`"price": 30`, `"price": -30`, `places[1].activities[0].price: -30 is not`},
		{`"price": 30`, `"price": 0.5`, `places[1].activities[0].price`},
		{`"price": 30`, `"price": null`, `places[1].activities[0].price: null`},
		{`"price": 30, "item"`, `"item"`, `places[1].activities[0].item: only what has a price`},
		{`"price": 30, "item"`, `"item"`, `places[1].activities[0].refundable: only what has a price`},
		{`"id": "ice"`, `"id": "sleep"`, `places[1].activities[0].id: "sleep" is there twice`},
		{`"id": "ice"`, `"id": "stall-x"`, `places[1].activities[0].id: ids that begin with "stall-"`},
		{`"verb": "snack"`, `"verb": "nosh"`, `places[1].activities[0].verb: "nosh" is not a word`},
		{`"minutes": 5,`, `"minutes": 0,`, `places[1].activities[0].minutes: 0 is not`},
		{`"cooldown": 20`, `"cooldown": -1`, `places[2].activities[0].cooldown: -1 is not`},
		{`"fun": 10`, `"funn": 10`, `places[1].activities[0].effects.funn: the game has no such stat`},
		{`"fun": 10`, `"fun": 101`, `places[1].activities[0].effects.fun: 101 is not`},
		{`"wage": 100`, `"wage": 0`, `places[1].activities[1].job.wage: 0 is not`},
		{`"minutes": 30,`, `"minutes": 30, "price": 5,`, `places[1].activities[1].price: a job is paid`},
		{`"for_guest": true`, `"for_guest": false`, `modes[0]: the first way to travel is free`},
		{`"id": "bus"`, `"id": "broom"`, `modes[1].id: "broom" is not a word`},
		{`"speed": 200`, `"speed": 0`, `modes[1].speed: 0 is not`},
		{`"wait": 3`, `"wait": -3`, `modes[1].wait: -3 is not`},
		{`"fare": 10`, `"fare": -10`, `modes[1].fare: -10 is not`},
		{`["home", "beach"]`, `["home", "moon"]`, `modes[1].stops[1]: there is no place "moon"`},
		{`"max_days": 3`, `"max_days": 0`, `rent.max_days: rent needs a limit`},
		{`"per_day": 40`, `"per_day": -1`, `rent.per_day: -1 is not`},
		{`"place": "home", "money"`, `"place": "moon", "money"`, `start.place: there is no place "moon"`},
		{`"hunger": 60`, `"hunger": -1`, `start.stats.hunger: -1 is not`},
		{`"rent"`, `"arrivals": "moon", "rent"`, `arrivals: there is no place "moon"`},
		{`"verb": "walk", "bonus"`, `"verb": "dance", "bonus"`, `surprises[0].verb: nothing in town is done by "dance"`},
		{`"verb": "walk", "bonus"`, `"bonus"`, `surprises[0].bonus: needs a verb`},
		{`"mode": "bus"`, `"mode": "tram"`, `surprises[0].mode: there is no way to travel "tram"`},
		{`"fare": 50`, `"fare": 501`, `surprises[0].fare: 501 is not`},
		{`"chances": 2`, `"chances": -2`, `surprises[0].chances: -2 is not`},
		{`"activity": "ice"`, `"activity": "rice"`, `goals[1].activity: there is no activity "rice"`},
		{`"times": 2`, `"times": 0`, `goals[1].times: is at least 1`},
		{`"balance": 1000`, `"balance": 1000, "stall": true`, `goals[2]: is measured by exactly one of`},
		{`"places": 3`, `"places": 4`, `goals[3].places: 4 is not`},
		{`"handle": "ada"`, `"handle": "Ada"`, `demo_players[0].handle: "Ada" is not`},
		{`"money": 500, "stall": "beach"`, `"money": 500, "stall": "home"`, `demo_players[0].stall: there is no stall at "home"`},
		{`"place": "beach"`, `"place": "moon"`, `demo_players[0].place: there is no place "moon"`},
		{`"rent"`, `"map": { "water": [{ "shape": [[0, 0]] }] }, "rent"`, `map.water[0].shape: a shape has at least three points`},
		{`"rent"`, `"map": { "roads": [{ "kind": "canal", "line": [[0, 0], [5, 5]] }] }, "rent"`, `map.roads[0].kind: "canal" is not one of`},
		{`"rent"`, `"map": { "roads": [{ "kind": "street", "line": [[0, 0]] }] }, "rent"`, `map.roads[0].line: a road has at least two points`},
		{`"rent"`, `"map": { "landmarks": [{ "name": "Ship", "picture": "ship", "at": [1, 1] }] }, "rent"`, `map.landmarks[0].picture: "ship" is not one of`},
		{`"rent"`, `"rent" oops`, `invalid character 'o'`},
		{`"rent"`, "\"r\xffnt\"", `invalid UTF-8`},
	} {
		t.Run(c.want, func(t *testing.T) {
			if bytes.Count(good, []byte(c.old)) == 0 {
				t.Fatalf("%q isn't in the good file", c.old)
			}
			bad := bytes.Replace(good, []byte(c.old), []byte(c.new), 1)
			_, err := load(fstest.MapFS{"small/world.json": {Data: bad}}, "small", "small", words)
			if err == nil {
				t.Fatal("taken")
			}
			if want := "small/world.json: " + c.want; !strings.Contains(err.Error(), want) && !(strings.HasPrefix(c.want, "invalid") && strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got  %v\nwant %s", err, want)
			}
		})
	}
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
