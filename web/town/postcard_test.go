package town

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

func TestPostcard_Show(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	trip := testTrip("tunde", nil)
	trip.Over = true
	a.net.trips = []platform.Trip{trip}
	path := "/postcards/" + testVisit
	t.Run("OKWaiting", func(t *testing.T) {
		a.ask(http.MethodGet, path, "tunde", nil).want(t, fiber.StatusOK, "Your postcard is in the post", `data-stream="/travel/`+testVisit+`/live"`, "Not a coin")
	})
	_, err := a.town.ReturnHome(t.Context(), "tunde", game.Homecoming{VisitID: testVisit, Host: testBerlin, HostName: "Berlin", Reason: sgip.EndLeft,
		Stayed: 23 * time.Minute, Stats: map[string]int{"hunger": 18, "energy": -6}, Postcard: "A Currywurst & <i>a walk</i>."})
	if err != nil {
		t.Fatal(err)
	}
	money := func(n int64, code string) sgip.Money { return sgip.Money{Amount: n, Currency: code} }
	a.net.bought = []platform.Purchase{
		{ChargeID: "1", Amount: money(225_000, "NGN"), HostAmount: money(450, "EUR"), Description: "Currywurst"},
		{ChargeID: "2", Amount: money(900_000, "NGN"), HostAmount: money(1800, "EUR"), Description: "Boat"},
		{ChargeID: "2", RefundID: "3", Amount: money(900_000, "NGN"), HostAmount: money(1800, "EUR"), Reason: sgip.CreditVoid},
		{ChargeID: "4", Amount: money(100_000, "NGN"), HostAmount: money(200, "EUR"), Description: "Museum"},
		{ChargeID: "4", RefundID: "5", Amount: money(40_000, "NGN"), HostAmount: money(80, "EUR"), Reason: sgip.CreditRefund},
	}
	t.Run("OK", func(t *testing.T) {
		page := a.ask(http.MethodGet, path, "tunde", nil)
		page.want(t, fiber.StatusOK, "A postcard from", "A Currywurst &amp; &lt;i&gt;a walk&lt;/i&gt;.", "You stayed 23 minutes", "€4.50", "₦2,250",
			"not charged after all", "₦400 given back", `<b class="num">₦2,850</b>`, `<b class="num">&#43;18</b>`, `<b class="num">−6</b>`, `class="seal`)
		page.without(t, "data-stream")
	})
}

func TestStamp_Draw(t *testing.T) {
	t.Run("OKSameForEver", func(t *testing.T) {
		one := stamp(stampOf{ID: "berlin.example", Name: "Berlin", Icon: "🐻", Line: "30 NOV 2026"})
		if one != stamp(stampOf{ID: "berlin.example", Name: "Berlin", Icon: "🐻", Line: "30 NOV 2026"}) {
			t.Error("the same game has two stamps")
		}
		if one == stamp(stampOf{ID: "berlin.example", Name: "Berlin", Icon: "🥨", Line: "30 NOV 2026"}) {
			t.Error("the icon changes nothing")
		}
	})
	t.Run("OKManyShapesAndInks", func(t *testing.T) {
		shapes, inks := map[string]bool{}, map[string]bool{}
		for i := range 300 {
			drawn := string(stamp(stampOf{ID: fmt.Sprintf("town%d.example", i), Name: "Town", Icon: "🎟️"}))
			shapes[between(drawn, `data-shape="`, `"`)] = true
			inks[between(drawn, `class="seal `, `"`)] = true
		}
		if len(shapes) != len(stampShapes()) || len(inks) != stampInks {
			t.Errorf("%d shapes and %d inks of %d and %d", len(shapes), len(inks), len(stampShapes()), stampInks)
		}
	})
	t.Run("OKWellFormed", func(t *testing.T) {
		for i := range 100 {
			drawn := string(stamp(stampOf{ID: fmt.Sprintf(`t%d"><script>.example`, i), Name: `<b>&"Ọ̀ṣun` + strings.Repeat("long ", i), Icon: `"<x>`, Line: "<>&"}))
			if strings.Contains(drawn, "<script>") || strings.Contains(drawn, "<b>") || strings.Contains(drawn, "style=") {
				t.Fatalf("markup of the game's own, or a style that the page's policy refuses: %s", drawn)
			}
			d := xml.NewDecoder(strings.NewReader(drawn))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%v in %s", err, drawn)
				}
			}
		}
	})
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	part, _, _ := strings.Cut(rest, to)
	return part
}
