package town

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

func TestVisitPage_Show(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	query := "?home=lagos.localhost%3A8081&visit=" + testVisit
	t.Run("OK", func(t *testing.T) {
		page := a.ask(http.MethodGet, "/visit"+query, "", nil)
		page.want(t, fiber.StatusOK, `data-home="lagos.localhost:8081"`, `data-visit="`+testVisit+`"`, `data-origins="http://lagos.localhost:8081"`,
			`data-session="/visit/session"`, `data-leave="/visit/leave"`)
		for header, want := range map[string]string{
			"Cross-Origin-Opener-Policy": "unsafe-none", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"X-Frame-Options": "", "Set-Cookie": "", "Location": "",
		} {
			if got := page.Header.Get(header); got != want {
				t.Errorf("%s is %q, want %q", header, got, want)
			}
		}
		csp := page.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors http://lagos.localhost:8081") || !strings.Contains(csp, "default-src 'self'") {
			t.Errorf("CSP %q", csp)
		}
	})
	t.Run("OKScriptFirst", func(t *testing.T) {
		page := a.ask(http.MethodGet, "/visit"+query, "", nil)
		head, _, _ := strings.Cut(page.text, "</head>")
		script := strings.Index(head, `<script src="/visit/visit.js">`)
		for _, other := range []string{"<link", "<style", "<img", "@import", "src=\"/assets"} {
			if at := strings.Index(head, other); script < 0 || at >= 0 && at < script {
				t.Errorf("%q stands at %d, before the script at %d", other, at, script)
			}
		}
		for _, from := range []string{`src="http`, `href="//`, `src="//`, `href="https:`} {
			if strings.Contains(head, from) {
				t.Errorf("a third party: %s", from)
			}
		}
		a.ask(http.MethodGet, "/visit/visit.js", "", nil).want(t, fiber.StatusOK, "sgip.ready")
	})
	t.Run("OKQueryPassportIgnored", func(t *testing.T) {
		page := a.ask(http.MethodGet, "/visit"+query+"&passport=head.claims.seal&token=head.claims.seal", "", nil)
		page.want(t, fiber.StatusOK)
		page.without(t, "head.claims.seal", "Lena")
		if got := page.Header.Get("Set-Cookie"); got != "" {
			t.Errorf("Set-Cookie %q", got)
		}
	})
	t.Run("ErrUnknownHome", func(t *testing.T) {
		for _, query := range []string{"?home=evil.example&visit=" + testVisit, "", "?home=lagos.localhost%3A8081&visit=x", `?home="><script>alert(1)</script>&visit=` + testVisit} {
			page := a.ask(http.MethodGet, "/visit"+strings.ReplaceAll(query, `"><script>alert(1)</script>`, "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E"), "", nil)
			page.want(t, fiber.StatusOK, `data-origins=""`)
			page.without(t, "<script>alert")
			if csp := page.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") {
				t.Errorf("%s: CSP %q lets a stranger frame the page", query, csp)
			}
		}
	})
}

func TestGuest_Look(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	a.arrive()
	t.Run("OK", func(t *testing.T) {
		page := a.ask(http.MethodGet, "/visit/town", "bearer", nil)
		page.want(t, fiber.StatusOK, "Lena", "Balogun Market", "Chop at the buka", `action="/visit/buy" data-live="town"`, `action="/visit/do"`, `action="/visit/go"`,
			"takes <b class=\"num\">€5</b> at home", "₦10,000", "More than you can still spend here")
		page.without(t, "/play/", "<html", `href="/travel"`)
		if got := page.Header.Get("X-Fragment"); got != "town" {
			t.Errorf("X-Fragment %q", got)
		}
	})
	t.Run("OKWithoutMoney", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.guest.Budget, a.net.spendable = nil, sgip.Money{}
		a.town.World().GuestAllowance = 0
		a.arrive()
		page := a.ask(http.MethodGet, "/visit/town", "bearer", nil)
		page.want(t, fiber.StatusOK, "You came without money")
		page.without(t, "at home</small>", "ocket money")
	})
	t.Run("OKPocketMoney", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.guest.Budget, a.net.spendable = nil, sgip.Money{}
		a.arrive()
		page := a.ask(http.MethodGet, "/visit/town", "bearer", nil)
		page.want(t, fiber.StatusOK, "Pocket money from Lagos", `<p class="visit-left num">₦3,000</p>`, "What is left stays here", `<input type="hidden" name="activity" value="buka">`)
		page.without(t, "/visit/buy", "at home</small>", "came without money")
		a.ask(http.MethodPost, "/visit/do", "bearer", url.Values{"activity": {"buka"}}).want(t, fiber.StatusOK,
			`<p class="visit-left num">₦500</p>`, `data-value="50000"`, `data-count="hunger" data-value="75"`)
		a.now = a.now.Add(time.Hour)
		a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusOK, "You are ₦2,000 short.")
		a.ask(http.MethodPost, "/visit/do", "bearer", url.Values{"activity": {"buka"}}).want(t, fiber.StatusUnprocessableEntity, "You are ₦2,000 short.", "visit-bad")
	})
	t.Run("OKLandKept", func(t *testing.T) {
		a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusOK, "m-ground")
		a.ask(http.MethodGet, "/visit/town", "bearer", nil, "X-Keep", "map-land").without(t, "m-ground")
	})
	t.Run("OKLookingIsNoDeed", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.arrive()
		a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusOK)
		if a.net.acts != 0 {
			t.Error("a page that looks by itself keeps its guest from idling out")
		}
		a.ask(http.MethodPost, "/visit/do", "bearer", url.Values{"activity": {"gist"}}).want(t, fiber.StatusOK)
		a.ask(http.MethodPost, "/visit/go", "bearer", url.Values{"place": {"marina"}, "mode": {"walk"}})
		a.ask(http.MethodPost, "/visit/buy", "bearer", url.Values{"activity": {"buka"}})
		a.ask(http.MethodPost, "/visit/return", "bearer", nil)
		if a.net.acts != 4 {
			t.Errorf("%d deeds of 4 counted", a.net.acts)
		}
	})
	t.Run("ErrEnded", func(t *testing.T) {
		for _, why := range []string{sgip.EndIdle, sgip.EndRemoved, sgip.EndExpired, sgip.EndLeft} {
			a := newAbroadTown(t, testOrigin)
			a.net.gone = sgip.Wrap(sgip.Forbidden, visit.Ended(why), "this visit is over")
			a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusForbidden, `data-over="`+why+`"`)
		}
	})
	t.Run("ErrToken", func(t *testing.T) {
		for _, header := range []string{"", "Bearer", "Bearer wrong", "Basic " + guestToken, guestToken} {
			page := a.ask(http.MethodGet, "/visit/town", "", nil, "Authorization", header)
			page.want(t, fiber.StatusForbidden, `data-over="moved"`)
			page.without(t, "Lena")
		}
		a.ask(http.MethodGet, "/visit/town", "ada", nil).want(t, fiber.StatusForbidden)
	})
	t.Run("ErrGoneMeanwhile", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusForbidden, `data-over="left"`)
	})
	t.Run("ErrExpired", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.net.gone = sgip.Errorf(sgip.Expired, "the passport of this visit has expired")
		a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusForbidden, `data-over="expired"`)
	})
}

func TestGuest_Act(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	a.arrive()
	t.Run("OKDo", func(t *testing.T) {
		a.ask(http.MethodPost, "/visit/do", "bearer", url.Values{"activity": {"gist"}}).want(t, fiber.StatusOK, `role="status"`, "Busy until", `data-again="20"`)
	})
	t.Run("ErrBusy", func(t *testing.T) {
		a.ask(http.MethodPost, "/visit/go", "bearer", url.Values{"place": {"marina"}, "mode": {"walk"}}).want(t, fiber.StatusConflict, "visit-bad")
	})
	t.Run("OKGo", func(t *testing.T) {
		a.now = a.now.Add(30 * time.Second)
		a.ask(http.MethodPost, "/visit/go", "bearer", url.Values{"place": {"marina"}, "mode": {"walk"}}).want(t, fiber.StatusOK, "On the way to Marina")
	})
	t.Run("ErrNoSuch", func(t *testing.T) {
		a.ask(http.MethodPost, "/visit/go", "bearer", url.Values{"place": {"nowhere"}, "mode": {"walk"}}).want(t, fiber.StatusNotFound, "visit-bad")
	})
	t.Run("ErrForeignOrigin", func(t *testing.T) {
		for _, path := range []string{"/visit/do", "/visit/go", "/visit/buy", "/visit/return", "/visit/leave", "/visit/session"} {
			a.ask(http.MethodPost, path, "bearer", url.Values{"activity": {"gist"}}, "Origin", "http://evil.localhost").want(t, fiber.StatusForbidden)
		}
		if len(a.net.left) != 0 {
			t.Error("a foreign page ended the visit")
		}
	})
}

func TestGuest_Buy(t *testing.T) {
	buy := url.Values{"activity": {"buka"}}
	for _, c := range []struct {
		name  string
		state game.SaleState
		why   sgip.Code
		words []string
		fed   string
	}{
		{"OKPaid", game.SalePaid, "", []string{"Chop at the buka is yours: ₦2,500 (€5 at home), paid from home.", "Paid"}, `data-value="75"`},
		{"ErrTooPoor", game.SaleRefused, sgip.InsufficientFunds, []string{"There isn&#39;t enough in your pocket at home", "Nothing was taken, and nothing was given", "Not sold"}, `data-value="40"`},
		{"ErrOverBudget", game.SaleRefused, sgip.LimitReached, []string{"would go over what you may still spend", "Nothing was taken, and nothing was given"}, `data-value="40"`},
		{"ErrHomeAway", game.SaleVoid, sgip.PlatformOffline, []string{"Your home could not be reached", "Nothing lost", "Void"}, `data-value="40"`},
		{"OKStillAsking", game.SaleAsked, "", []string{"Asking your home to pay for Chop at the buka", "Asking"}, `data-value="40"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAbroadTown(t, testOrigin)
			a.arrive()
			a.net.buy, a.net.why = c.state, string(c.why)
			a.ask(http.MethodPost, "/visit/buy", "bearer", buy).want(t, fiber.StatusOK, c.words...)
			// The page that comes by itself says the same: its answer may arrive first.
			page := a.ask(http.MethodGet, "/visit/town", "bearer", nil)
			page.want(t, fiber.StatusOK, append(c.words, `data-count="hunger" `+c.fed)...)
			a.now = a.now.Add(time.Hour)
			a.ask(http.MethodGet, "/visit/town", "bearer", nil).without(t, c.words[0])
		})
	}
	t.Run("ErrFree", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.arrive()
		a.ask(http.MethodPost, "/visit/buy", "bearer", url.Values{"activity": {"gist"}}).want(t, fiber.StatusUnprocessableEntity, "This is free")
	})
}

func TestGuest_Return(t *testing.T) {
	for _, c := range []struct {
		name  string
		back  game.SaleState
		why   sgip.Code
		words []string
		gone  string // words that mustn't be there
	}{
		{"OK", game.SaleRefunded, "", []string{"is given back, and €36 is in your wallet at home again", "Returned"}, "Return it"},
		{"OKStillAsking", game.SaleAsked, "", []string{"is handed in. Your home hasn&#39;t answered yet", "Going back"}, "Return it"},
		{"ErrTooLate", game.SalePaid, sgip.Forbidden, []string{"can be given back for a day, and that day is over", "stays yours", "Paid"}, "Return it"},
		{"ErrAllBack", game.SalePaid, sgip.LimitReached, []string{"All of the price has gone back to your home before", "Paid"}, "Return it"},
		{"ErrOther", game.SalePaid, sgip.NotFound, []string{"can&#39;t be asked back right now", "nothing is lost", "Paid"}, "Return it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, sale := soldShirt(t)
			a.ask(http.MethodGet, "/visit/town", "bearer", nil).want(t, fiber.StatusOK, `action="/visit/return" data-live="town"`, `name="sale" value="`+sale.ID+`"`)
			a.net.back, a.net.why = c.back, string(c.why)
			page := a.ask(http.MethodPost, "/visit/return", "bearer", url.Values{"sale": {sale.ID}})
			page.want(t, fiber.StatusOK, c.words...)
			page.without(t, c.gone)
			again := a.ask(http.MethodGet, "/visit/town", "bearer", nil)
			again.want(t, fiber.StatusOK, c.words[len(c.words)-1])
			again.without(t, c.gone)
		})
	}
	t.Run("OKNotOffered", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.arrive()
		a.ask(http.MethodPost, "/visit/buy", "bearer", url.Values{"activity": {"buka"}}).without(t, "Return it")
	})
	t.Run("ErrNoSuch", func(t *testing.T) {
		a, _ := soldShirt(t)
		for _, id := range []string{"", "x", testVisit} {
			a.ask(http.MethodPost, "/visit/return", "bearer", url.Values{"sale": {id}}).want(t, fiber.StatusNotFound, "There is no such purchase.", "visit-bad")
		}
	})
}

func TestGuest_Leave(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	a.arrive()
	t.Run("OK", func(t *testing.T) {
		a.ask(http.MethodPost, "/visit/leave", "bearer", url.Values{"reason": {sgip.EndRemoved}}).want(t, fiber.StatusOK, `"ok":true`)
		if len(a.net.left) != 1 || a.net.left[0] != testVisit+" left" {
			t.Errorf("left %q: the guest's page must not choose the reason", a.net.left)
		}
	})
	t.Run("ErrMoved", func(t *testing.T) {
		a.ask(http.MethodPost, "/visit/leave", "", nil).want(t, fiber.StatusUnprocessableEntity, `"code":"forbidden"`)
		if len(a.net.left) != 1 {
			t.Errorf("left %q", a.net.left)
		}
	})
}

func TestPurses_Of(t *testing.T) {
	now, asked := testNow(), 0
	p := newPurses(func(context.Context, visit.Guest) (sgip.Money, bool, error) {
		asked++
		return sgip.Money{Amount: int64(asked), Currency: "NGN"}, true, nil
	}, func() time.Time { return now })
	g := visit.Guest{VisitID: testVisit}
	of := func(sales ...game.Sale) int64 {
		m, _, err := p.of(t.Context(), g, sales)
		if err != nil {
			t.Fatal(err)
		}
		return m.Amount
	}
	t.Run("OKHeld", func(t *testing.T) {
		for range 2 {
			if of() != 1 || of(game.Sale{State: game.SaleAsked}) != 1 {
				t.Error("asked again although nothing was bought")
			}
		}
	})
	t.Run("OKAfterPurchase", func(t *testing.T) {
		if of(game.Sale{State: game.SalePaid}) != 2 || of(game.Sale{State: game.SaleRefunded}) != 3 {
			t.Error("not asked again although a purchase moved on")
		}
	})
	t.Run("OKStale", func(t *testing.T) {
		now = now.Add(purseFresh)
		if of(game.Sale{State: game.SaleRefunded}) != 4 {
			t.Error("not asked again although the answer is old")
		}
	})
	t.Run("ErrAway", func(t *testing.T) {
		away := errors.New("away")
		p := newPurses(func(context.Context, visit.Guest) (sgip.Money, bool, error) { return sgip.Money{}, false, away }, time.Now)
		if _, _, err := p.of(t.Context(), g, nil); !errors.Is(err, away) {
			t.Errorf("%v", err)
		}
	})
}
