package town

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/game/store"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/visit"
	"sgip.example/starter/web"
)

// abroadTown is a real town on a real database, with its pages; only what lies
// beyond the network is played by network below.
type abroadTown struct {
	t      *testing.T
	app    *web.App
	town   *game.Town
	net    *network
	site   site
	origin string
	now    time.Time
}

const (
	testVisit  = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	testLagos  = "lagos.localhost:8081"
	testBerlin = "berlin.localhost:8082"
	guestToken = "guest-token-of-tunde"
)

// network answers what bridge, seat and visits would.
type network struct {
	town      *game.Town
	desk      []bridge.Destination
	deskErr   error
	setOff    error
	asked     *sgip.Money // budget of the last departure
	trips     []platform.Trip
	ticketErr error
	bought    []platform.Purchase
	page      visit.Page
	guest     visit.Guest
	gone      error // what a guest's token is told
	parting   string
	left      []string
	acts      int            // how often a guest did something
	back      game.SaleState // how a return ends: refunded, paid for refused, asked for not yet
	spendable sgip.Money
	buy       game.SaleState
	why       string
	newID     func() string
	writes    []string
}

func (n *network) Desk(context.Context) ([]bridge.Destination, error) { return n.desk, n.deskErr }

func (n *network) Budget(ctx context.Context, handle string) (balance, daily sgip.Money, ok bool, err error) {
	amount, err := n.town.Balance(ctx, handle)
	return sgip.Money{Amount: amount, Currency: "NGN"}, sgip.Money{Amount: 20_000_000, Currency: "NGN"}, true, err
}

func (n *network) SetOff(_ context.Context, handle, host string, budget *sgip.Money) (platform.Trip, error) {
	n.asked = budget
	if n.setOff != nil {
		return platform.Trip{}, n.setOff
	}
	trip := testTrip(handle, budget)
	n.trips = append([]platform.Trip{trip}, n.trips...)
	return trip, nil
}

func (n *network) Trip(_ context.Context, handle string) (*platform.Trip, error) {
	for _, t := range n.trips {
		if t.Handle == handle && !t.Over {
			return &t, nil
		}
	}
	return nil, nil
}

func (n *network) Trips(_ context.Context, handle string) ([]platform.Trip, error) {
	var own []platform.Trip
	for _, t := range n.trips {
		if t.Handle == handle {
			own = append(own, t)
		}
	}
	return own, nil
}

func (n *network) Ticket(_ context.Context, _, _ string) (platform.Ticket, error) {
	return platform.Ticket{Token: "head.claims.seal", ExpiresAt: time.Unix(1_900_000_000, 0)}, n.ticketErr
}

func (n *network) CloseTrip(_ context.Context, handle, visitID string) error {
	for i := range n.trips {
		if n.trips[i].Handle == handle && n.trips[i].VisitID == visitID {
			n.trips[i].Over = true
		}
	}
	return nil
}

func (n *network) Purchases(context.Context, ...string) ([]platform.Purchase, error) {
	return n.bought, nil
}

func (n *network) Write(ctx context.Context, who game.PersonID, to, text string) (game.Message, error) {
	n.writes = append(n.writes, to)
	return n.town.Write(ctx, who, to, text, n.newID())
}

func (n *network) Page(_ context.Context, home, visitID string) (visit.Page, error) {
	if (home != testLagos) || visitID != testVisit {
		return visit.Page{Home: home, Name: home, Ancestors: "'none'", Trouble: sgip.NotFound}, nil
	}
	return n.page, nil
}

func (n *network) Guest(_ context.Context, token string) (visit.Guest, error) {
	if n.gone != nil {
		return visit.Guest{}, n.gone
	}
	if token != guestToken {
		return visit.Guest{}, sgip.Errorf(sgip.Forbidden, "this page doesn't hold the visit any more")
	}
	return n.guest, nil
}

func (n *network) Act(ctx context.Context, token string) (visit.Guest, error) {
	n.acts++
	return n.Guest(ctx, token)
}

func (n *network) Leave(_ context.Context, visitID, reason string) error {
	n.left = append(n.left, visitID+" "+reason)
	return nil
}

// Buy is the bridge's, with the answer of the hub decided by the test.
func (n *network) Buy(ctx context.Context, g visit.Guest, activity string) (game.Sale, error) {
	sale, err := n.town.Ask(ctx, game.PersonID(g.ID), g.VisitID, activity, n.newID())
	if err != nil || n.buy == game.SaleAsked {
		return sale, err
	}
	return n.town.Settle(ctx, sale.ID, n.buy, n.why)
}

// Return is the bridge's, with the answer of the hub decided by the test.
func (n *network) Return(ctx context.Context, g visit.Guest, saleID string) (game.Sale, error) {
	id := n.newID()
	sale, err := n.town.Return(ctx, game.PersonID(g.ID), g.VisitID, saleID, id)
	switch {
	case err != nil || n.back == game.SaleAsked:
		return sale, err
	case n.back == game.SalePaid:
		return n.town.KeepSold(ctx, saleID, id, n.why)
	}
	return n.town.Settle(ctx, saleID, game.SaleRefunded, "")
}

func (n *network) Spendable(context.Context, visit.Guest) (sgip.Money, bool, error) {
	return n.spendable, n.spendable.Currency != "", nil
}

func (n *network) ID() string { return testLagos }

func (n *network) Entry(_ context.Context, id string) (sgip.DirectoryEntry, error) {
	e := sgip.DirectoryEntry{PlatformID: id, Name: "Lagos"}
	e.Accepts = []sgip.Accepts{{From: testBerlin, Give: sgip.Money{Amount: 1000, Currency: "EUR"}, Get: sgip.Money{Amount: 500_000, Currency: "NGN"}}}
	return e, nil
}

func testTrip(handle string, budget *sgip.Money) platform.Trip {
	return platform.Trip{VisitID: testVisit, Handle: handle, Host: testBerlin, HostName: "Berlin", HostIcon: "🐻",
		HostOrigin: "http://berlin.localhost:8082", LaunchURL: "http://berlin.localhost:8082/visit?home=lagos.localhost%3A8081&visit=" + testVisit,
		Embed: true, Budget: budget, StartedAt: testNow(), ExpiresAt: testNow().Add(15 * time.Minute)}
}

func testNow() time.Time { return time.Date(2026, 11, 30, 14, 5, 0, 0, time.UTC) }

func testWorld() *game.World {
	w := &game.World{
		Slug: "lagos", Name: "Lagos", Icon: "🌴", Language: "en-NG", Currency: "NGN", Decimals: 2, MinutesPerSecond: 1,
		Arrivals: "balogun", GuestAllowance: 300_000, Start: game.Start{Place: "balogun", Money: 4_200_000},
		Palette: game.Palette{
			Ground: game.Shade{Light: "#efe2c6", Dark: "#23262d"}, Water: game.Shade{Light: "#8fc7c4", Dark: "#12343a"},
			Road: game.Shade{Light: "#fff8ea", Dark: "#3d424d"}, Park: game.Shade{Light: "#b4c98a", Dark: "#22382a"},
			Building: game.Shade{Light: "#d8a984", Dark: "#3b3a42"}, Accent: game.Shade{Light: "#a8442a", Dark: "#e98d6f"},
			AccentInk: game.Shade{Light: "#ffffff", Dark: "#201512"},
		}, Pattern: "adire",
		Map: game.Map{
			Water: []game.Area{{Name: "Lagos Lagoon", Shape: []game.Point{{0, 420}, {300, 380}, {620, 470}, {1000, 400}, {1000, 700}, {0, 700}}}},
			Roads: []game.Road{{Name: "Broad Street", Kind: "avenue", Line: []game.Point{{60, 220}, {500, 260}, {940, 180}}}, {Name: "Marina", Kind: "street", Line: []game.Point{{200, 100}, {260, 360}}}},
			Parks: []game.Area{{Name: "Freedom Park", Shape: []game.Point{{600, 60}, {800, 60}, {800, 160}, {600, 160}}}},
		},
		Districts: []game.District{{Slug: "island", Name: "Lagos Island", At: game.Point{500, 120}}},
		Places: []game.Place{
			{Slug: "balogun", Name: "Balogun Market", About: "If it exists, someone sells it here.", Kind: "market", Icon: "🧺", At: game.Point{260, 240}, District: "island",
				Stall: &game.Stall{Label: "a stall at Balogun", Price: 9_000_000, Share: 60}, Activities: []game.Activity{
					{ID: "buka", Label: "Chop at the buka", Verb: "eat", Icon: "🍛", About: "A small open kitchen", Minutes: 30, Price: 250_000, Effects: map[string]int{"hunger": 35, "fun": 5}},
					{ID: "gist", Label: "Gist with the traders", Verb: "chat", Icon: "💬", Minutes: 20, Effects: map[string]int{"social": 12}},
					{ID: "shirt", Label: "Have an adire shirt sewn", Verb: "shop", Icon: "👕", Minutes: 60, Price: 1_800_000, Item: "An adire shirt", Refundable: true, Effects: map[string]int{"mood": 15}},
				}},
			{Slug: "marina", Name: "Marina", About: "Ferries and evening wind.", Kind: "harbour", Icon: "⛴️", At: game.Point{560, 330}, District: "island", Activities: []game.Activity{
				{ID: "stroll", Label: "Take the breeze", Verb: "walk", Icon: "🚶", Minutes: 30, Effects: map[string]int{"mood": 10}},
			}},
		},
		Modes: []game.Mode{{ID: "walk", Label: "Trek", Icon: "🚶", Speed: 20, ForGuest: true}},
		Demo: []game.DemoPlayer{{Handle: "tunde", Name: "Tunde", Avatar: "🧑🏾", Place: "balogun", Money: 4_200_000},
			{Handle: "ada", Name: "Ada", Avatar: "👩🏾", Place: "marina", Money: 3_000_000}},
	}
	w.Prepare()
	w.Words = Words(w)
	return w
}

func newAbroadTown(t *testing.T, origin string) *abroadTown {
	t.Helper()
	ctx := t.Context()
	db, err := storage.Open(ctx, filepath.Join(t.TempDir(), "town.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := store.Migrate(ctx, db); err != nil {
		t.Fatal(err)
	}
	a := &abroadTown{t: t, origin: origin, now: testNow()}
	newID := func() string { return ulid.Make().String() }
	clock := func() time.Time { return a.now }
	a.town = game.New(testWorld(), store.New(db), db.InTx, clock, newID, rand.Reader)
	if err := a.town.Seed(ctx); err != nil {
		t.Fatal(err)
	}
	a.net = newNetwork(a.town, newID)
	if a.app, err = web.New(web.Options{Origin: origin, Name: "Lagos"}); err != nil {
		t.Fatal(err)
	}
	s, err := newSite(a.app, Config{Town: a.town, Clock: clock, Local: true, Origin: origin, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	a.site = s
	(&messagePages{site: s, box: a.net}).mount(a.app.Fiber())
	(&travelPages{site: s, desk: a.net, trips: a.net}).mount(a.app.Fiber())
	(&playPages{s}).mount(a.app.Fiber())
	(&stallPages{s}).mount(a.app.Fiber())
	visits := &visitPages{site: s, guests: a.net, till: a.net, games: a.net, purses: newPurses(a.net.Spendable, clock),
		sessions: func(c *fiber.Ctx) error {
			return c.JSON(fiber.Map{"token": guestToken, "expires_at": time.Now().Add(15 * time.Minute).Unix(),
				"guest": fiber.Map{"id": a.net.guest.ID, "name": a.net.guest.Name, "avatar": a.net.guest.Avatar, "home": a.net.guest.Home}})
		}}
	visits.mount(a.app.Fiber())
	return a
}

func newNetwork(town *game.Town, newID func() string) *network {
	rate := bridge.Exchange{Give: sgip.Money{Amount: 500_000, Currency: "NGN"}, Get: sgip.Money{Amount: 1000, Currency: "EUR"}, Inflow: sgip.Money{Amount: 200_000, Currency: "EUR"}}
	return &network{
		town: town, newID: newID, buy: game.SalePaid, back: game.SaleRefunded, spendable: sgip.Money{Amount: 1_000_000, Currency: "NGN"},
		desk: []bridge.Destination{{ID: testBerlin, Name: "Berlin", Icon: "🐻", Description: "Currywurst at the Imbiss, lakes at the end of the S-Bahn.", Welcome: true, Online: true, Embed: true, Pay: []bridge.Exchange{rate}}},
		page: visit.Page{Home: testLagos, VisitID: testVisit, Name: "Berlin", Icon: "🐻", ReturnURL: "http://lagos.localhost:8081/play", Origins: []string{"http://lagos.localhost:8081"}, Ancestors: "http://lagos.localhost:8081"},
		guest: visit.Guest{VisitID: testVisit, ID: "lena@" + testBerlin, Handle: "lena", Home: testBerlin, Name: "Lena", Avatar: "👩🏼",
			Stats: map[string]int{"hunger": 40, "energy": 70, "mood": 55, "social": 30}, Budget: &sgip.Money{Amount: 5000, Currency: "EUR"}},
	}
}

// arrive puts the guest into the town, as the stage would.
func (a *abroadTown) arrive() {
	a.t.Helper()
	g := a.net.guest
	err := a.town.Arrive(a.t.Context(), game.Visitor{ID: game.PersonID(g.ID), VisitID: g.VisitID, Name: g.Name, Avatar: g.Avatar, Home: g.Home, Stats: g.Stats, NoMoney: g.Budget == nil})
	if err != nil {
		a.t.Fatal(err)
	}
}

// answer is a page as a browser gets it.
type answer struct {
	*http.Response
	text string
}

// ask sends a request as the given player ("" is nobody) or guest ("bearer").
func (a *abroadTown) ask(method, path, who string, form url.Values, header ...string) answer {
	a.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	_, r.Host, _ = strings.Cut(a.origin, "://")
	if method != http.MethodGet {
		r.Header.Set("Origin", a.origin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	switch who {
	case "":
	case "bearer":
		r.Header.Set("Authorization", "Bearer "+guestToken)
	default:
		token, err := a.town.PlayAs(a.t.Context(), who)
		if err != nil {
			a.t.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: sessionCookie, Value: token})
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := a.app.Fiber().Test(r, -1)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return answer{resp, string(body)}
}

// want fails unless the page has the status and says all of the words.
func (a answer) want(t *testing.T, status int, words ...string) {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", a.StatusCode, status, a.text)
	}
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			t.Errorf("the page doesn't say %q:\n%s", w, a.text)
		}
	}
}

// without fails if the page says any of the words.
func (a answer) without(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(a.text, w) {
			t.Errorf("the page says %q:\n%s", w, a.text)
		}
	}
}
