package town

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

const testOrigin = "http://lagos.localhost:8081"

func TestTravelDesk_Show(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	t.Run("OK", func(t *testing.T) {
		page := a.ask(http.MethodGet, "/travel", "tunde", nil)
		page.want(t, fiber.StatusOK, "Berlin", "₦5,000 buys €10", "₦10,000, about €20", "₦42,000", "Set off", `name="budget"`, `value="10,000"`)
		page.without(t, "No entry", "<script>")
	})
	t.Run("OKClosedAndSilent", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.desk = []bridge.Destination{
			{ID: "oslo.example", Name: "Oslo", Why: "Oslo takes no visitors from here at the moment.", Online: true},
			{ID: "quito.example", Name: "Quito", Welcome: true, Why: "Quito didn't answer last time."},
		}
		page := a.ask(http.MethodGet, "/travel", "tunde", nil)
		page.want(t, fiber.StatusOK, "Oslo takes no visitors", "No entry", "Quito didn&#39;t answer", "Opens in a tab of its own", "looking around costs nothing")
		if n := strings.Count(page.text, "<form"); n != 1 {
			t.Errorf("%d forms, want the one for Quito", n)
		}
	})
	t.Run("OKUnderWay", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.trips = []platform.Trip{testTrip("tunde", nil)}
		a.ask(http.MethodGet, "/travel", "tunde", nil).want(t, fiber.StatusOK, "You are in", `href="/travel/`+testVisit)
		a.ask(http.MethodGet, "/travel", "ada", nil).without(t, "You are in")
	})
	t.Run("ErrDirectoryAway", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.desk, a.net.deskErr = nil, sgip.Errorf(sgip.PlatformOffline, "away")
		a.ask(http.MethodGet, "/travel", "tunde", nil).want(t, fiber.StatusOK, "The board of departures is away", "Nothing is wrong with your things")
	})
	t.Run("ErrStranger", func(t *testing.T) {
		page := a.ask(http.MethodGet, "/travel", "", nil)
		if page.StatusCode != fiber.StatusSeeOther || page.Header.Get("Location") != "/sign-in" {
			t.Errorf("%d to %q, want the sign-in page", page.StatusCode, page.Header.Get("Location"))
		}
	})
	t.Run("ErrMarkup", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.desk[0].Name, a.net.desk[0].Icon = `<b onclick="x">Ber</b>`, `"><i>`
		a.ask(http.MethodGet, "/travel", "tunde", nil).without(t, "<b onclick", `"><i>`)
	})
}

func TestTravelDesk_SetOff(t *testing.T) {
	form := func(budget string) url.Values {
		return url.Values{"host": {testBerlin}, "budget": {budget}}
	}
	t.Run("OK", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		for typed, want := range map[string]int64{"10,000": 1_000_000, "₦ 2500.50": 250_050, "7": 700, "": 0, "0": 0} {
			page := a.ask(http.MethodPost, "/travel", "tunde", form(typed))
			if page.StatusCode != fiber.StatusSeeOther || page.Header.Get("Location") != "/travel/"+testVisit {
				t.Errorf("%q: %d to %q", typed, page.StatusCode, page.Header.Get("Location"))
			}
			got := int64(0)
			if a.net.asked != nil {
				got = a.net.asked.Amount
			}
			if got != want || a.net.asked != nil && a.net.asked.Currency != "NGN" {
				t.Errorf("%q asked for %v, want %d", typed, a.net.asked, want)
			}
		}
	})
	t.Run("ErrAmount", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		for _, typed := range []string{"ten", "-5", "1,5", "1.234", "9999999999999999", "1e3", "0x10"} {
			page := a.ask(http.MethodPost, "/travel", "tunde", form(typed))
			page.want(t, fiber.StatusUnprocessableEntity, "an amount we can read", `value="`+typed+`"`, "Nothing was spent")
			if len(a.net.trips) != 0 {
				t.Errorf("%q set off", typed)
			}
		}
	})
	t.Run("ErrRefused", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		for code, words := range map[sgip.Code]string{
			sgip.Forbidden: "Berlin won&#39;t take this trip", sgip.NotFound: "isn&#39;t on the board any more",
			sgip.PlatformOffline: "passport office doesn&#39;t answer", sgip.RateLimited: "is busy", sgip.InvalidPayload: "couldn&#39;t read",
		} {
			a.net.setOff = sgip.Errorf(code, "INNER DETAIL")
			page := a.ask(http.MethodPost, "/travel", "tunde", form("7,000"))
			page.want(t, statusOf(code), words, "Nothing was spent, and you are still in Lagos", `value="7,000"`)
			page.without(t, "INNER DETAIL")
		}
	})
	t.Run("ErrForeignOrigin", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		page := a.ask(http.MethodPost, "/travel", "tunde", form("7"), "Origin", "http://evil.localhost")
		if page.StatusCode != fiber.StatusForbidden || len(a.net.trips) != 0 {
			t.Errorf("status %d, %d trips", page.StatusCode, len(a.net.trips))
		}
	})
}

func TestTrip_Show(t *testing.T) {
	budget := sgip.Money{Amount: 1_000_000, Currency: "NGN"}
	a := newAbroadTown(t, testOrigin)
	trip := testTrip("tunde", &budget)
	trip.Spent = 225_000
	a.net.trips = []platform.Trip{trip}
	path := "/travel/" + testVisit
	t.Run("OK", func(t *testing.T) {
		page := a.ask(http.MethodGet, path, "tunde", nil)
		page.want(t, fiber.StatusOK, `data-launch="http://berlin.localhost:8082/visit?home=lagos.localhost%3A8081&amp;visit=`+testVisit,
			`data-host-origin="http://berlin.localhost:8082"`, `data-embed="true"`, `data-ticket="`+path+`/ticket"`, "₦7,750", "₦42,000", "Return", `class="seal`)
		csp := page.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-src http://berlin.localhost:8082;") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("CSP %q admits another frame than the host's", csp)
		}
		if got := page.Header.Get("Cross-Origin-Opener-Policy"); got != "same-origin-allow-popups" {
			t.Errorf("COOP %q would cut the tab off", got)
		}
		if got := page.Header.Get("Cross-Origin-Embedder-Policy"); got != "" {
			t.Errorf("COEP %q would block the frame", got)
		}
		page.without(t, "head.claims.seal", " sandbox")
	})
	t.Run("OKPurse", func(t *testing.T) {
		page := a.ask(http.MethodGet, path, "tunde", nil, "X-Fragment", "purse")
		page.want(t, fiber.StatusOK, `data-count="left" data-value="775000"`, `data-count="wallet" data-value="4200000"`)
		page.without(t, "<html")
	})
	t.Run("OKOver", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		trip := testTrip("tunde", nil)
		trip.Over = true
		a.net.trips = []platform.Trip{trip}
		page := a.ask(http.MethodGet, path, "tunde", nil)
		if page.StatusCode != fiber.StatusSeeOther || page.Header.Get("Location") != "/postcards/"+testVisit {
			t.Errorf("%d to %q", page.StatusCode, page.Header.Get("Location"))
		}
	})
	t.Run("ErrAnothersTrip", func(t *testing.T) {
		for _, path := range []string{path, "/postcards/" + testVisit, path + "/live", "/travel/none", "/travel/01JA2B3C4D5E6F7G8H9J0K1M2Z"} {
			a.ask(http.MethodGet, path, "ada", nil).want(t, fiber.StatusNotFound)
		}
		a.ask(http.MethodPost, path+"/ticket", "ada", nil).want(t, fiber.StatusNotFound, `"code":"not_found"`)
		a.ask(http.MethodPost, path+"/close", "ada", nil).want(t, fiber.StatusNotFound)
		if a.net.trips[0].Over {
			t.Error("Ada closed Tunde's trip")
		}
	})
}

func TestTrip_Ticket(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	a.net.trips = []platform.Trip{testTrip("tunde", nil)}
	path := "/travel/" + testVisit + "/ticket"
	t.Run("OK", func(t *testing.T) {
		page := a.ask(http.MethodPost, path, "tunde", nil)
		page.want(t, fiber.StatusOK, `"passport":"head.claims.seal"`, `"expires_at":1900000000`)
		if got := page.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control %q keeps a passport", got)
		}
	})
	t.Run("ErrHubAway", func(t *testing.T) {
		a.net.ticketErr = sgip.Wrap(sgip.PlatformOffline, errors.New("SECRET"), "the hub has not answered")
		page := a.ask(http.MethodPost, path, "tunde", nil)
		page.want(t, fiber.StatusServiceUnavailable, `"code":"platform_offline"`, "the hub has not answered")
		page.without(t, "SECRET", "head.claims.seal")
	})
	t.Run("ErrGet", func(t *testing.T) {
		a.ask(http.MethodGet, path, "tunde", nil).without(t, "head.claims.seal")
	})
	t.Run("ErrNobody", func(t *testing.T) {
		a.ask(http.MethodPost, path, "", nil).want(t, fiber.StatusUnauthorized)
	})
}

func TestTrip_Close(t *testing.T) {
	path := "/travel/" + testVisit + "/close"
	t.Run("OKForm", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.trips = []platform.Trip{testTrip("tunde", nil)}
		page := a.ask(http.MethodPost, path, "tunde", nil, "Accept", "text/html,*/*")
		if page.StatusCode != fiber.StatusSeeOther || page.Header.Get("Location") != "/postcards/"+testVisit || !a.net.trips[0].Over {
			t.Errorf("%d to %q, over %v", page.StatusCode, page.Header.Get("Location"), a.net.trips[0].Over)
		}
	})
	t.Run("OKScript", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.trips = []platform.Trip{testTrip("tunde", nil)}
		a.ask(http.MethodPost, path, "tunde", nil, "Accept", "application/json").want(t, fiber.StatusNoContent)
		if !a.net.trips[0].Over {
			t.Error("the trip goes on")
		}
	})
}

func TestDial_Steps(t *testing.T) {
	x := bridge.Exchange{Give: sgip.Money{Amount: 500_000, Currency: "NGN"}, Get: sgip.Money{Amount: 1000, Currency: "EUR"}, Inflow: sgip.Money{Amount: 2000, Currency: "EUR"}}
	ngn := func(n int64) sgip.Money { return sgip.Money{Amount: n, Currency: "NGN"} }
	t.Run("OK", func(t *testing.T) {
		d := newDial(x, purse{Balance: ngn(4_200_000), Daily: ngn(20_000_000), Known: true}, "en")
		if d.Max != 1_000_000 || d.Max%d.Step != 0 || d.Start <= 0 || d.Start > d.Max {
			t.Errorf("%+v: want the host's inflow, in home money, as the end", d)
		}
	})
	t.Run("OKLargest", func(t *testing.T) {
		x.Inflow = sgip.Money{Amount: sgip.MaxAmount, Currency: "EUR"}
		d := newDial(x, purse{Balance: ngn(sgip.MaxAmount), Known: true}, "en")
		if d.Max <= 0 || d.Max > sgip.MaxAmount {
			t.Errorf("max %d", d.Max)
		}
	})
	t.Run("ErrEmptyPocket", func(t *testing.T) {
		if d := newDial(x, purse{Balance: ngn(0), Known: true}, "en"); d != nil {
			t.Errorf("%+v for an empty pocket", d)
		}
	})
}

func TestWords_Whole(t *testing.T) {
	for _, c := range []struct {
		amount     int64
		code, lang string
		want       string
	}{
		{4_200_000, "NGN", "en-NG", "₦42,000"}, {1000, "EUR", "en", "€10"}, {450, "EUR", "en", "€4.50"}, {2000, "EUR", "de", "20\u00a0€"},
		{100_000, "EUR", "de", "1.000\u00a0€"}, {500, "JPY", "en", "¥500"}, {1_000_000, "KWD", "en", "KWD\u00a01,000"}, {30, "lagos:cowrie", "en", "30 cowrie"},
	} {
		if got := words(sgip.Money{Amount: c.amount, Currency: c.code}, c.lang); got != c.want {
			t.Errorf("%d %s in %s: %q, want %q", c.amount, c.code, c.lang, got, c.want)
		}
	}
}
