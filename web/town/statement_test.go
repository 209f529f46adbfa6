package town

import (
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

func TestStatement_Show(t *testing.T) {
	money := func(n int64, code string) sgip.Money { return sgip.Money{Amount: n, Currency: code} }
	const second = "01JA2B3C4D5E6F7G8H9J0K1M2P"
	t.Run("OK", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		on, over := testTrip("tunde", &sgip.Money{Amount: 1_000_000, Currency: "NGN"}), testTrip("tunde", nil)
		over.VisitID, over.Over, over.HostName, over.Host, over.StartedAt = second, true, "Oslo", "oslo.localhost:8083", testNow().Add(-48*time.Hour)
		others := testTrip("ada", nil)
		others.VisitID, others.HostName = "01JA2B3C4D5E6F7G8H9J0K1M2Q", "Rome"
		a.net.trips = []platform.Trip{on, others, over}
		a.net.bought = []platform.Purchase{
			{ChargeID: "1", VisitID: second, Amount: money(100_000, "NGN"), HostAmount: money(2000, "NOK"), Description: "Waffle <b>"},
			{ChargeID: "2", VisitID: testVisit, Amount: money(225_000, "NGN"), HostAmount: money(450, "EUR"), Description: "Currywurst"},
			{ChargeID: "3", VisitID: testVisit, Amount: money(900_000, "NGN"), HostAmount: money(1800, "EUR"), Description: "Boat"},
			{ChargeID: "3", VisitID: testVisit, RefundID: "4", Amount: money(900_000, "NGN"), HostAmount: money(1800, "EUR"), Reason: sgip.CreditVoid},
			{ChargeID: "1", VisitID: second, RefundID: "5", Amount: money(40_000, "NGN"), HostAmount: money(800, "NOK"), Reason: sgip.CreditRefund},
		}
		page := a.ask(http.MethodGet, "/statement", "tunde", nil)
		page.want(t, fiber.StatusOK, `id="trip-`+testVisit+`"`, "Berlin", "Currywurst", "€4.50", "₦2,250", "You had chosen to spend <span class=\"num\">₦10,000</span> at most",
			`href="/travel/`+testVisit, "On now", "Oslo", "28 NOV 2026", "Waffle &lt;b&gt;", "NOK", "₦400 given back", `<b class="num">₦600</b>`, `href="/postcards/`+second,
			`<dd class="num">₦2,850</dd>`, "not charged after all", "had no certain answer from home in time")
		page.without(t, "Rome")
		part := a.ask(http.MethodGet, "/statement", "tunde", nil, "X-Fragment", "bills")
		part.want(t, fiber.StatusOK, "Currywurst")
		part.without(t, "<!doctype")
	})
	t.Run("OKNothing", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		page := a.ask(http.MethodGet, "/statement", "tunde", nil)
		page.want(t, fiber.StatusOK, "Nothing bought abroad yet")
		page.without(t, "All trips", "Not charged after all")
	})
	t.Run("ErrNobody", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		if page := a.ask(http.MethodGet, "/statement", "", nil); page.StatusCode != fiber.StatusSeeOther || page.Header.Get("Location") != "/sign-in" {
			t.Errorf("%d to %q", page.StatusCode, page.Header.Get("Location"))
		}
	})
}
