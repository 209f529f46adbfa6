package bridge

import (
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/store"
	"sgip.example/starter/game/worlds"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/storage"
)

// newBerlin is the bundled town behind a bridge that has no network.
func newBerlin(t *testing.T) *Bridge {
	t.Helper()
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "game.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	folder, err := worlds.Load("berlin")
	if err != nil {
		t.Fatal(err)
	}
	newID := func() string { return ulid.Make().String() }
	town := game.New(folder.World, store.New(db), db.InTx, time.Now, newID, rand.Reader)
	if err := town.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return New(Config{Town: town, InTx: db.InTx, NewID: newID, Descriptor: sgip.Descriptor{PlatformID: "berlin.example"}})
}

func TestBridge_Visitors(t *testing.T) {
	list := func(ids ...string) *[]string { return &ids }
	for _, c := range []struct {
		name     string
		closed   bool
		barred   []string
		template *sgip.Visitors
		want     string
	}{
		{"Everyone", false, nil, nil, "null"},
		{"AsTheFolderSays", false, nil, &sgip.Visitors{From: list("lagos.example")}, `{"from":["lagos.example"]}`},
		{"Closed", true, []string{"oslo.example"}, &sgip.Visitors{From: list("lagos.example")}, `{"from":[]}`},
		{"ClosedToAll", true, nil, nil, `{"from":[]}`},
		{"Blocked", false, []string{"oslo.example", "accra.example"}, nil, `{"except":["accra.example","oslo.example"]}`},
		{"BlockedBesides", false, []string{"oslo.example"}, &sgip.Visitors{Except: list("oslo.example", "accra.example")}, `{"except":["accra.example","oslo.example"]}`},
		{"BlockedOfThose", false, []string{"oslo.example"}, &sgip.Visitors{From: list("oslo.example", "lagos.example")}, `{"from":["lagos.example"]}`},
		{"BlockedTheOnlyOne", false, []string{"oslo.example"}, &sgip.Visitors{From: list("oslo.example")}, `{"from":[]}`},
		{"GuestsAreNoGames", false, []string{"ada@lagos.example"}, nil, "null"},
	} {
		t.Run("OK"+c.name, func(t *testing.T) {
			b := newBerlin(t)
			if err := b.town.CloseGates(t.Context(), c.closed); err != nil {
				t.Fatal(err)
			}
			for _, who := range c.barred {
				if err := b.town.Bar(t.Context(), who, true); err != nil {
					t.Fatal(err)
				}
			}
			got, err := json.Marshal(b.Visitors(c.template))
			if err != nil || string(got) != c.want {
				t.Errorf("visitors %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestBridge_LocalWords(t *testing.T) {
	b := newBerlin(t)
	eat := b.town.World().LocalVerb("eat")
	if eat == nil {
		t.Fatal("nobody eats in Berlin")
	}
	for _, c := range []struct {
		name, verb, want string
		local            bool
	}{
		{"Own", "eat", eat.Label, true},
		{"Broader", "snack", "", true}, // to eat, unless Berlin has snacks
		{"Extension", "x-lagos.owambe", "Their words", false},
		{"Unknown", "yodel", "Their words", false},
	} {
		t.Run("OK"+c.name, func(t *testing.T) {
			words, local := b.LocalWords(game.Invite{Verb: c.verb, Label: "Their words"})
			if local != c.local || c.want != "" && words != c.want || local && words == "Their words" {
				t.Errorf("%q (%v), want %q (%v)", words, local, c.want, c.local)
			}
		})
	}
}

func TestBridge_Place(t *testing.T) {
	b := newBerlin(t)
	imbiss := b.town.World().Place("imbiss")
	p, err := b.Place(t.Context(), imbiss.District, imbiss.Slug)
	if err != nil || p.Name != imbiss.Name || p.Kind != imbiss.Kind || len(p.Verbs) == 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	verbs := slices.Clone(p.Verbs)
	slices.Sort(verbs)
	if len(slices.Compact(verbs)) != len(p.Verbs) {
		t.Errorf("verbs %q hold one twice", p.Verbs)
	}
	if _, err := b.Place(t.Context(), imbiss.District, "nowhere"); sgip.CodeOf(err) != sgip.NotFound {
		t.Errorf("%v, want not_found", err)
	}
	r, err := b.PlaceStatus(t.Context(), "imbiss")
	if err != nil || r.Place != "place://berlin.example/"+imbiss.District+"/imbiss" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestBridge_Manners: refusals carry the codes of contract 9, and nothing of the
// person they protect.
func TestBridge_Manners(t *testing.T) {
	b := newBerlin(t)
	if err := b.town.SetDiscoverable(t.Context(), "jonas", false); err != nil {
		t.Fatal(err)
	}
	if err := b.town.Block(t.Context(), "lena", "lagos.example", true); err != nil {
		t.Fatal(err)
	}
	for handle, want := range map[string]sgip.Code{"jonas": sgip.NotFound, "ghost": sgip.NotFound, "lena": sgip.Forbidden} {
		_, lookup := b.Discoverable(t.Context(), handle, "ada@lagos.example")
		_, profile := b.Profile(t.Context(), handle, "ada@lagos.example")
		if sgip.CodeOf(lookup) != want || sgip.CodeOf(profile) != want {
			t.Errorf("%s: %v and %v, want %s", handle, lookup, profile, want)
		}
	}
	card, err := b.Card(t.Context(), "lena", "jonas@berlin.example")
	if err != nil || card.Player != "jonas@berlin.example" || card.Name != "Jonas" {
		t.Errorf("a neighbour's card is %+v, %v", card, err)
	}
}
