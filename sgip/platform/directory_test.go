package platform_test

import (
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func entry(id, name string) sgip.DirectoryEntry {
	at := "http://" + id
	return sgip.DirectoryEntry{
		PlatformID: id, Name: name, Visit: at + "/visit", ReturnURL: at + "/", Origins: []string{at},
		Embed: sgip.Embed{Allowed: true}, Currencies: []string{}, Accepts: []sgip.Accepts{},
		Capabilities: sgip.RequiredOps(), VisitorsWelcome: true, Online: true,
	}
}

// listing answers platform.directory@1 like a hub with two games, a game a page.
func listing(e sgip.Envelope) (any, error) {
	var q sgip.DirectoryQuery
	if err := e.Decode(local, &q); err != nil {
		return nil, err
	}
	a, b := entry("bonn.localhost:8091", "Bonn"), entry(oslo, "Oslo")
	switch {
	case q.Platform == oslo, q.Cursor == "second":
		return sgip.DirectoryPage{Platforms: []sgip.DirectoryEntry{b}}, nil
	case q.Platform != "":
		return nil, sgip.Errorf(sgip.NotFound, "no such game")
	}
	return sgip.DirectoryPage{Platforms: []sgip.DirectoryEntry{a}, NextCursor: "second"}, nil
}

func TestDirectory(t *testing.T) {
	list := func(t *testing.T, n *network) []sgip.DirectoryEntry {
		t.Helper()
		all, err := n.seat.Directory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	asked := func(n *network) int { return len(n.hub.got(sgip.PlatformDirectory)) }
	t.Run("OKAllPagesThenCached", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.PlatformDirectory, listing)
		for range 3 {
			if all := list(t, n); len(all) != 2 || all[1].Name != "Oslo" {
				t.Fatalf("directory %+v", all)
			}
		}
		if asked(n) != 2 {
			t.Fatalf("asked %d times", asked(n))
		}
		n.pass(10 * time.Second)
		list(t, n)
		if asked(n) != 4 {
			t.Fatalf("asked %d times", asked(n))
		}
	})
	t.Run("OKStoredCopyFor24Hours", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.PlatformDirectory, listing)
		list(t, n)
		n.hub.change(func() { n.hub.away = true })
		n.pass(24*time.Hour - time.Second)
		if all := list(t, n); len(all) != 2 {
			t.Fatalf("directory %+v", all)
		}
		n.pass(time.Second)
		_, err := n.seat.Directory(t.Context())
		wantCode(t, err, sgip.PlatformOffline)
	})
	t.Run("OKGoneGamesAreForgotten", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.PlatformDirectory, listing)
		list(t, n)
		n.hub.answer(sgip.PlatformDirectory, func(sgip.Envelope) (any, error) { return sgip.DirectoryPage{Platforms: []sgip.DirectoryEntry{}}, nil })
		n.pass(time.Minute)
		if all := list(t, n); len(all) != 0 {
			t.Fatalf("directory %+v", all)
		}
		_, err := n.seat.Entry(t.Context(), oslo)
		wantCode(t, err, sgip.NotFound)
	})
}

func TestEntry(t *testing.T) {
	t.Run("OKFetchedThenStored", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.PlatformDirectory, listing)
		for range 5 {
			e, err := n.seat.Entry(t.Context(), oslo)
			if err != nil || e.Origins[0] != "http://"+oslo {
				t.Fatalf("%+v, %v", e, err)
			}
			n.pass(11 * time.Second)
		}
		if got := len(n.hub.got(sgip.PlatformDirectory)); got != 1 {
			t.Fatalf("asked %d times", got)
		}
		n.hub.change(func() { n.hub.away = true })
		n.pass(23 * time.Hour)
		if _, err := n.seat.Entry(t.Context(), oslo); err != nil {
			t.Fatalf("the stored copy doesn't serve: %v", err)
		}
		n.pass(time.Hour)
		_, err := n.seat.Entry(t.Context(), oslo)
		wantCode(t, err, sgip.PlatformOffline)
	})
	t.Run("ErrUnknown", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.PlatformDirectory, listing)
		for range 5 {
			_, err := n.seat.Entry(t.Context(), "rome.localhost:8090")
			wantCode(t, err, sgip.NotFound)
		}
		if got := len(n.hub.got(sgip.PlatformDirectory)); got != 1 {
			t.Fatalf("asked %d times within 10 s", got)
		}
	})
	t.Run("ErrNoName", func(t *testing.T) {
		n := newNetwork(t)
		for _, name := range []string{"", "null", "Oslo.Example", "127.0.0.1", "sgip-hub"} {
			_, err := n.seat.Entry(t.Context(), name)
			wantCode(t, err, sgip.NotFound)
		}
		if got := len(n.hub.got(sgip.PlatformDirectory)); got != 0 {
			t.Fatalf("asked %d times", got)
		}
	})
}
