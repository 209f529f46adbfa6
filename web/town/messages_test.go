package town

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
)

func TestMessages_Write(t *testing.T) {
	letter := func(to, text string) url.Values { return url.Values{"to": {to}, "text": {text}} }
	t.Run("OKHere", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		page := a.ask(http.MethodPost, "/messages", "tunde", letter(" Ada ", "How far?\r\nSee you"))
		if page.StatusCode != fiber.StatusSeeOther || page.Header.Get("Location") != "/messages/ada" {
			t.Fatalf("%d to %q", page.StatusCode, page.Header.Get("Location"))
		}
		a.ask(http.MethodGet, "/messages/ada", "tunde", nil).want(t, fiber.StatusOK, "How far?\nSee you", "delivered")
		a.ask(http.MethodGet, "/messages", "ada", nil).want(t, fiber.StatusOK, "Tunde", `<span class="sr"> new</span>`)
	})
	t.Run("OKAbroad", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		for _, to := range []string{"lena@" + testBerlin, "lena@berlin", "Lena@Berlin"} {
			a.net.writes = nil
			page := a.ask(http.MethodPost, "/messages", "tunde", letter(to, "Guten Tag"))
			if page.StatusCode != fiber.StatusSeeOther || len(a.net.writes) != 1 || a.net.writes[0] != "lena@"+testBerlin {
				t.Fatalf("%s: %d, written to %q", to, page.StatusCode, a.net.writes)
			}
			where, err := url.Parse(page.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			a.ask(http.MethodGet, where.EscapedPath(), "tunde", nil).want(t, fiber.StatusOK, "Guten Tag", "on its way", "Berlin")
		}
	})
	t.Run("OKCodePoints", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		page := a.ask(http.MethodPost, "/messages", "tunde", letter("ada", strings.Repeat("🌴", maxLetter)))
		if page.StatusCode != fiber.StatusSeeOther {
			t.Errorf("status %d for %d code points", page.StatusCode, maxLetter)
		}
	})
	t.Run("ErrNobody", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.ask(http.MethodPost, "/messages", "tunde", letter("ghost", "1 < 2?")).want(t, fiber.StatusUnprocessableEntity,
			"Nobody called “ghost” takes letters", "Your letter is still here", `value="ghost"`, "1 &lt; 2?")
	})
	t.Run("ErrNoTown", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.ask(http.MethodPost, "/messages", "tunde", letter("lena@atlantis", "Hello")).want(t, fiber.StatusUnprocessableEntity, "We don&#39;t know where", "lena@atlantis", "Hello")
		a.net.desk = append(a.net.desk, bridge.Destination{ID: "berlin.example", Name: "Berlin"})
		a.ask(http.MethodPost, "/messages", "tunde", letter("lena@berlin", "Hello")).want(t, fiber.StatusUnprocessableEntity, "We don&#39;t know where")
		if len(a.net.writes) != 0 {
			t.Errorf("written to %q", a.net.writes)
		}
	})
	t.Run("ErrText", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		for text, words := range map[string]string{
			" \n ": "still empty", strings.Repeat("🌴", maxLetter+1): "Make it shorter by 1", "<b>loud</b>": "can&#39;t be sent as it is",
		} {
			a.ask(http.MethodPost, "/messages", "tunde", letter("ada", text)).want(t, fiber.StatusUnprocessableEntity, words, `value="ada"`)
		}
	})
	t.Run("ErrAnswerStaysOnItsSheet", func(t *testing.T) {
		a := newAbroadTown(t, testOrigin)
		a.ask(http.MethodPost, "/messages", "tunde", letter("ada", "Hello"))
		a.ask(http.MethodPost, "/messages", "tunde", letter("ada", "<b>loud</b>"), "X-Fragment", "thread").want(t, fiber.StatusUnprocessableEntity, "Hello", `class="trouble"`)
	})
}

func TestMessages_States(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	write := func(to, id string) {
		t.Helper()
		if _, err := a.town.Write(t.Context(), "tunde", to, "Hello", id); err != nil {
			t.Fatal(err)
		}
	}
	for code, words := range map[sgip.Code]string{
		sgip.NotFound: "nobody by that name takes letters there", sgip.Forbidden: "it was not accepted", sgip.PlatformOffline: "Berlin could not be reached",
	} {
		t.Run("Err"+string(code), func(t *testing.T) {
			to := "p" + string(code)[:5] + "@" + testBerlin
			write(to, "01JA2B3C4D5E6F7G8H9J0K1M"+strings.ToUpper(string(code)[:2]))
			if err := a.town.MessageEnded(t.Context(), "01JA2B3C4D5E6F7G8H9J0K1M"+strings.ToUpper(string(code)[:2]), string(code)); err != nil {
				t.Fatal(err)
			}
			a.ask(http.MethodGet, "/messages/"+url.PathEscape(to), "tunde", nil).want(t, fiber.StatusOK, "came back", words)
		})
	}
	t.Run("OKWaits", func(t *testing.T) {
		write("lena@"+testBerlin, "01JA2B3C4D5E6F7G8H9J0K1MWW")
		if err := a.town.MessageWaits(t.Context(), "01JA2B3C4D5E6F7G8H9J0K1MWW"); err != nil {
			t.Fatal(err)
		}
		a.ask(http.MethodGet, "/messages/lena@"+testBerlin, "tunde", nil, "X-Fragment", "thread").want(t, fiber.StatusOK, "waits until Berlin is back")
	})
	t.Run("OKTextStaysText", func(t *testing.T) {
		err := a.town.Receive(t.Context(), game.Message{ID: "01JA2B3C4D5E6F7G8H9J0K1MXX", Owner: "tunde", With: "jonas@" + testBerlin, Text: `a < b & "c" ` + "\u202e"})
		if err != nil {
			t.Fatal(err)
		}
		a.ask(http.MethodGet, "/messages/jonas@"+testBerlin, "tunde", nil).want(t, fiber.StatusOK, "<bdi>a &lt; b &amp; &#34;c&#34; \u202e</bdi>")
	})
}
