package hub_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func TestHello_Register(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		n := newNetwork(t)
		lagos := n.lagos()
		first := result[sgip.HelloResult](t, sgip.HubHello, lagos.hello())
		if first.PlatformID != lagos.id || len(first.KeyIDs) != 1 || first.KeyIDs[0] != lagos.signer.Public.ID {
			t.Fatalf("registered as %+v", first)
		}
		n.clock.advance(time.Hour)
		again := result[sgip.HelloResult](t, sgip.HubHello, lagos.hello())
		if again.RegisteredAt != first.RegisteredAt {
			t.Fatalf("registered at %s, then at %s", first.RegisteredAt, again.RegisteredAt)
		}
	})
	t.Run("OKKnownAfterARestart", func(t *testing.T) {
		n := newNetwork(t)
		lagos, _ := n.pair()
		n.crash()
		n.start()
		wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{}), "")
	})
	t.Run("OKRotatesKeys", func(t *testing.T) {
		n := newNetwork(t)
		lagos, _ := n.pair()
		old, fresh := lagos.signer, newSigner("lagos 2")
		lagos.change(func(d *sgip.Descriptor) { d.PublicKeys = []string{old.Public.Text, fresh.Public.Text} })
		for _, signer := range []sgip.Signer{old, fresh} {
			wantCode(t, lagos.postAs(signer, lagos.envelope(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{})), "")
		}
		lagos.signer = fresh
		lagos.change(func(d *sgip.Descriptor) { d.PublicKeys = []string{fresh.Public.Text} })
		wantCode(t, lagos.postAs(old, lagos.envelope(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{})), sgip.BadSignature)
		wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{}), "")
	})
	t.Run("OKTwoPlatformsListOneKey", func(t *testing.T) {
		n := newNetwork(t)
		lagos, _ := n.pair()
		// Someone lists Lagos's key. It locks nobody out, and gives Lagos's key
		// no say over anyone but those who list it.
		squatter := n.game("squatter")
		squatter.descriptor.PublicKeys = append(squatter.descriptor.PublicKeys, lagos.signer.Public.Text)
		wantCode(t, squatter.hello(), "")
		wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{}), "")
		wantCode(t, squatter.postAs(squatter.signer, lagos.envelope(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{})), sgip.Forbidden)
	})
}

// TestHello_Refuse goes through contract 5's list: what is refused says why, and
// leaves the old registration as it was.
func TestHello_Refuse(t *testing.T) {
	serve := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	edit := func(g *game, change func(*sgip.Descriptor)) { change(&g.descriptor) }
	for _, c := range []struct {
		name   string
		break_ func(g *game)
		code   sgip.Code
		names  string // what the refusal must speak of
	}{
		{"ErrUnreachable", func(g *game) { g.server.Close() }, sgip.PlatformOffline, ""},
		{"ErrServerError", func(g *game) { g.raw = serve(503, "application/json", "{}") }, sgip.PlatformOffline, "503"},
		{"ErrSlow", func(g *game) { g.raw = drip }, sgip.PlatformOffline, ""},
		{"ErrRedirect", func(g *game) { g.raw = serve(302, "application/json", "{}") }, sgip.InvalidPayload, "302"},
		{"ErrStatus", func(g *game) { g.raw = serve(404, "application/json", "{}") }, sgip.InvalidPayload, "404"},
		{"ErrType", func(g *game) { g.raw = serve(200, "text/html", "{}") }, sgip.InvalidPayload, "Content-Type"},
		{"ErrNotJSON", func(g *game) { g.raw = serve(200, "application/json", "{") }, sgip.InvalidPayload, ""},
		{"ErrSize", func(g *game) { g.raw = serve(200, "application/json", `{"x":"`+strings.Repeat("a", sgip.MaxBody)+`"}`) }, sgip.InvalidPayload, "64 KiB"},
		{"ErrSchema", func(g *game) { edit(g, func(d *sgip.Descriptor) { d.Name = "" }) }, sgip.InvalidPayload, "name"},
		{"ErrRequiredOp", func(g *game) { edit(g, func(d *sgip.Descriptor) { d.Capabilities = d.Capabilities[1:] }) }, sgip.InvalidPayload, "capabilities"},
		{"ErrOtherID", func(g *game) { edit(g, func(d *sgip.Descriptor) { d.PlatformID = "other.localhost" }) }, sgip.InvalidPayload, "platform_id"},
		{"ErrDomain", func(g *game) { edit(g, func(d *sgip.Descriptor) { d.Inbox = "http://evil-lagos.localhost/inbox" }) }, sgip.InvalidPayload, "inbox"},
		{"ErrSmallOrderKey", func(g *game) {
			edit(g, func(d *sgip.Descriptor) {
				d.PublicKeys = append(d.PublicKeys, "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
			})
		}, sgip.InvalidPayload, "public_keys"},
		{"ErrUnlistedKey", func(g *game) { g.signer = newSigner("someone else") }, sgip.BadSignature, ""},
		{"ErrRing", func(g *game) {
			edit(g, func(d *sgip.Descriptor) {
				// Berlin sells 1,000 cents for 500,000 kobo; buying them back for more prints money.
				d.Money.Accepts = []sgip.Accepts{{From: g.peer(), Give: eur(1_000), Get: ngn(500_001), DailyInflowLimit: ngn(1)}}
			})
		}, sgip.InvalidPayload, "money.accepts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t)
			lagos, berlin := n.pair()
			before := n.query("SELECT revision FROM hub_platforms WHERE id = ?", lagos.id)
			honest := lagos.signer
			lagos.mu.Lock()
			lagos.descriptor.Return = lagos.url("/?peer=" + berlin.id)
			c.break_(lagos)
			lagos.mu.Unlock()
			n.clock.advance(6 * time.Second)
			reply := lagos.hello()
			wantCode(t, reply, c.code)
			if !strings.Contains(reply.Error.Message, c.names) {
				t.Errorf("%q doesn't name %q", reply.Error.Message, c.names)
			}
			if n.query("SELECT revision FROM hub_platforms WHERE id = ?", lagos.id) != before {
				t.Error("the refused hello changed the registration")
			}
			lagos.signer = honest
			wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{}), "")
		})
	}
}

// peer is the game that the ring case of TestHello_Refuse converts with; it is
// carried in the descriptor, since cases are written before the games exist.
func (g *game) peer() string {
	_, peer, _ := strings.Cut(g.descriptor.Return, "peer=")
	return peer
}

// drip sends a header and then a byte now and then, for ever.
func drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
}

func TestHello_Fetch(t *testing.T) {
	t.Run("OKSharedAndReused", func(t *testing.T) {
		n := newNetwork(t)
		lagos := n.lagos()
		arrived, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		body, err := lagos.descriptor.Encode()
		must(t, err)
		lagos.raw = func(w http.ResponseWriter, _ *http.Request) {
			once.Do(func() { close(arrived) })
			<-release
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(body)
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if r := lagos.hello(); !r.OK {
					t.Errorf("hello: %v", r.Error)
				}
			})
		}
		<-arrived
		close(release)
		all.Wait()
		wantCode(t, lagos.hello(), "")
		if got := lagos.fetched(); got != 1 {
			t.Errorf("%d fetches, want one for all", got)
		}
		n.clock.advance(6 * time.Second)
		wantCode(t, lagos.hello(), "")
		if got := lagos.fetched(); got != 2 {
			t.Errorf("%d fetches, want a new one after 5 s", got)
		}
	})
	t.Run("OKFailureReused", func(t *testing.T) {
		n := newNetwork(t)
		lagos := n.lagos()
		lagos.raw = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
		for range 3 {
			wantCode(t, lagos.hello(), sgip.PlatformOffline)
		}
		if got := lagos.fetched(); got != 1 {
			t.Errorf("%d fetches, want one", got)
		}
	})
	t.Run("ErrUnsigned", func(t *testing.T) {
		n := newNetwork(t)
		lagos := n.lagos()
		body, err := lagos.envelope(sgip.HubHello, hubAddress, struct{}{}).Encode()
		must(t, err)
		req, err := http.NewRequest(http.MethodPost, n.server.URL+"/ops", bytes.NewReader(body))
		must(t, err)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		defer res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized || lagos.fetched() != 0 {
			t.Errorf("status %d after %d fetches, want 401 without any", res.StatusCode, lagos.fetched())
		}
	})
}

func TestHello_Ring(t *testing.T) {
	back := func(home *game, give, get int64) []sgip.Accepts {
		return []sgip.Accepts{{From: home.id, Give: eur(give), Get: ngn(get), DailyInflowLimit: ngn(1_000_000)}}
	}
	t.Run("OKExactlyOne", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		lagos.change(func(d *sgip.Descriptor) { d.Money.Accepts = back(berlin, 1_000, 500_000) })
		lagos.change(func(d *sgip.Descriptor) { d.Description = "unchanged rates are fine" })
	})
	t.Run("ErrInactiveEntriesCount", func(t *testing.T) {
		n := newNetwork(t)
		lagos := n.lagos()
		berlin := n.berlin(lagos)
		// Berlin comes first: its entry is inactive, since Lagos isn't there yet.
		wantCode(t, berlin.hello(), "")
		lagos.descriptor.Money.Accepts = back(berlin, 1_000, 500_001)
		reply := lagos.hello()
		wantCode(t, reply, sgip.InvalidPayload)
		if !strings.Contains(reply.Error.Message, berlin.id) {
			t.Errorf("%q doesn't name the ring", reply.Error.Message)
		}
		wantCode(t, lagos.send(sgip.PlatformDirectory, hubAddress, sgip.DirectoryQuery{}), sgip.BadSignature)
	})
}
