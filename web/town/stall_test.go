package town

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
)

// soldShirt is a town where Ada runs the stall at Balogun and Lena, a guest,
// has bought a shirt there.
func soldShirt(t *testing.T) (*abroadTown, game.Sale) {
	a := newAbroadTown(t, testOrigin)
	if err := a.town.Give(t.Context(), "ada", 6_000_000, game.Entry{}); err != nil {
		t.Fatal(err)
	}
	out, err := a.town.Go(t.Context(), "ada", "balogun", "walk")
	if err != nil {
		t.Fatal(err)
	}
	a.now = out.Until
	if _, err := a.town.Do(t.Context(), "ada", game.StallActivity("balogun")); err != nil {
		t.Fatal(err)
	}
	a.arrive()
	a.ask(http.MethodPost, "/visit/buy", "bearer", url.Values{"activity": {"shirt"}}).want(t, fiber.StatusOK, "An adire shirt is yours", `value="`)
	sales, err := a.town.Sales(t.Context(), testVisit)
	if err != nil || len(sales) != 1 {
		t.Fatalf("%+v, %v", sales, err)
	}
	return a, sales[0]
}

func TestStall_Show(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		a, sale := soldShirt(t)
		page := a.ask(http.MethodGet, "/stall", "ada", nil)
		page.want(t, fiber.StatusOK, "<bdi>A stall at Balogun</bdi>", "60 % of everything", "Have an adire shirt sewn", "Lena of berlin.localhost:8082", "₦18,000", "₦10,800", `<dd class="num">₦10,800</dd>`)
		page.without(t, "given back")
		a.ask(http.MethodPost, "/visit/return", "bearer", url.Values{"sale": {sale.ID}}).want(t, fiber.StatusOK)
		a.ask(http.MethodGet, "/stall", "ada", nil).want(t, fiber.StatusOK, `class="returned"`, "and your share with it", `<dd class="num">₦0</dd>`)
	})
	t.Run("OKTownCovers", func(t *testing.T) {
		a, sale := soldShirt(t)
		has, err := a.town.Balance(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		if err := a.town.Take(t.Context(), "ada", has, game.Entry{}); err != nil {
			t.Fatal(err)
		}
		a.ask(http.MethodPost, "/visit/return", "bearer", url.Values{"sale": {sale.ID}}).want(t, fiber.StatusOK)
		page := a.ask(http.MethodGet, "/stall", "ada", nil)
		page.want(t, fiber.StatusOK, "the town covered it, your share stays", `<dd class="num">₦10,800</dd>`)
		page.without(t, `class="returned"`)
	})
	t.Run("OKNoStall", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		page := a.ask(http.MethodGet, "/stall", "tunde", nil)
		page.want(t, fiber.StatusOK, "You run no stall yet", `href="/play?to=balogun"`)
		page.without(t, "Earned in all")
	})
	t.Run("OKLinked", func(t *testing.T) {
		a, _ := soldShirt(t)
		a.ask(http.MethodGet, "/play", "ada", nil).want(t, fiber.StatusOK, `href="/stall"`, "The book of a stall at Balogun", `href="/statement"`)
		a.ask(http.MethodGet, "/play", "tunde", nil).without(t, `href="/stall"`)
	})
}
