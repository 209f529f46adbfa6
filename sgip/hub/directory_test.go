package hub_test

import (
	"slices"
	"testing"

	"sgip.example/starter/sgip"
)

func (g *game) directory(q sgip.DirectoryQuery) sgip.DirectoryPage {
	g.n.t.Helper()
	return result[sgip.DirectoryPage](g.n.t, sgip.PlatformDirectory, g.send(sgip.PlatformDirectory, hubAddress, q))
}

func (g *game) entryOf(other *game) sgip.DirectoryEntry {
	g.n.t.Helper()
	page := g.directory(sgip.DirectoryQuery{Platform: other.id})
	if len(page.Platforms) != 1 || page.Platforms[0].PlatformID != other.id {
		g.n.t.Fatalf("asked for %s, got %+v", other.id, page)
	}
	return page.Platforms[0]
}

func TestDirectory_Show(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		berlin.change(func(d *sgip.Descriptor) { d.Embed = &sgip.Embed{Allowed: false} })
		got := lagos.entryOf(berlin)
		if got.Visit != berlin.url("/visit") || got.ReturnURL != berlin.url("/") || got.Embed.Allowed || !got.Online ||
			!got.VisitorsWelcome || got.SpendingAbroad || len(got.Accepts) != 1 || !slices.Equal(got.Currencies, []string{"EUR", "USD"}) {
			t.Errorf("Berlin is shown as %+v", got)
		}
		own := lagos.entryOf(lagos)
		if !own.SpendingAbroad || !own.Embed.Allowed || own.Accepts == nil || len(own.Accepts) != 0 {
			t.Errorf("the asker is shown as %+v", own)
		}
	})
	t.Run("OKActiveAcceptsOnly", func(t *testing.T) {
		n := newNetwork(t)
		lagos := n.lagos()
		berlin := n.berlin(lagos)
		wantCode(t, berlin.hello(), "")
		if got := berlin.entryOf(berlin); len(got.Accepts) != 0 {
			t.Errorf("shown before Lagos is there: %+v", got.Accepts)
		}
		wantCode(t, lagos.hello(), "")
		if got := berlin.entryOf(berlin); len(got.Accepts) != 1 {
			t.Errorf("not shown with Lagos there: %+v", got.Accepts)
		}
		lagos.change(func(d *sgip.Descriptor) { d.Money = nil })
		if got := berlin.entryOf(berlin); len(got.Accepts) != 0 {
			t.Errorf("shown though Lagos lets no naira out: %+v", got.Accepts)
		}
	})
	t.Run("OKWelcomesByAsker", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		berlin.change(func(d *sgip.Descriptor) { d.Visitors = &sgip.Visitors{Except: &[]string{lagos.id}} })
		if lagos.entryOf(berlin).VisitorsWelcome || !berlin.entryOf(berlin).VisitorsWelcome {
			t.Error("except must hold for Lagos alone")
		}
		berlin.change(func(d *sgip.Descriptor) { d.Visitors = &sgip.Visitors{From: &[]string{}} })
		if lagos.entryOf(berlin).VisitorsWelcome {
			t.Error("an empty from takes nobody")
		}
	})
	t.Run("ErrLimit", func(t *testing.T) {
		n := newNetwork(t)
		lagos, _ := n.pair()
		wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, map[string]int{"limit": 201}), sgip.InvalidPayload)
	})
}

func TestDirectory_Pages(t *testing.T) {
	t.Run("OKPages", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		accra := n.game("accra")
		wantCode(t, accra.hello(), "")
		var ids []string
		q := sgip.DirectoryQuery{Limit: 1}
		for {
			page := lagos.directory(q)
			if len(page.Platforms) != 1 {
				t.Fatalf("a page of %d", len(page.Platforms))
			}
			ids = append(ids, page.Platforms[0].PlatformID)
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				break
			}
		}
		want := []string{accra.id, berlin.id, lagos.id}
		if !slices.Equal(ids, want) {
			t.Errorf("pages gave %v, want %v", ids, want)
		}
		if page := lagos.directory(sgip.DirectoryQuery{Platform: "nowhere.localhost"}); len(page.Platforms) != 0 {
			t.Errorf("an unknown game is shown: %+v", page)
		}
	})
}

func TestDirectory_Online(t *testing.T) {
	t.Run("OKOnlineByLastAnswer", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		berlin.on(sgip.PlayerLookup, hangUp)
		lookup := sgip.PlayerQuery{Player: sgip.PlayerID("lena", berlin.id)}
		wantCode(t, lagos.send(sgip.PlayerLookup, sgip.Address{Platform: berlin.id}, lookup), sgip.PlatformOffline)
		if lagos.entryOf(berlin).Online {
			t.Error("Berlin gave no answer and is shown online")
		}
		waitUntil(t, "the mark is written down", func() bool {
			return n.query("SELECT COUNT(*) FROM hub_platforms WHERE id = ? AND NOT online", berlin.id) == 1
		})
		n.crash()
		n.start()
		if lagos.entryOf(berlin).Online {
			t.Error("the mark didn't outlive the restart")
		}
		berlin.on(sgip.PlayerLookup, refuses(sgip.NotFound))
		wantCode(t, lagos.send(sgip.PlayerLookup, sgip.Address{Platform: berlin.id}, lookup), sgip.NotFound)
		if !lagos.entryOf(berlin).Online {
			t.Error("Berlin answered and is shown offline")
		}
	})
}

func TestBoard_Games(t *testing.T) {
	n := newNetwork(t)
	lagos, berlin := n.pair()
	lagos.visit("tunde", berlin, nil)
	h, _ := n.running()
	rows, err := h.Games(t.Context())
	must(t, err)
	if len(rows) != 2 || rows[0].ID != berlin.id || rows[0].Visits != 1 || rows[1].Visits != 0 || !rows[0].Online || rows[0].RegisteredAt.IsZero() {
		t.Errorf("board: %+v", rows)
	}
}
