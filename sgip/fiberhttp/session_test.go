package fiberhttp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/fiberhttp"
	"sgip.example/starter/sgip/visit"
)

func (g *guests) Enter(_ context.Context, e visit.Enter) (visit.Session, error) {
	g.entered = append(g.entered, e)
	return visit.Session{Token: "guest-token", Guest: visit.GuestHeader{ID: "tunde@lagos.example", Name: "Tunde", Home: "lagos.example"}, ExpiresAt: 1790000000}, g.err
}

type guests struct {
	entered []visit.Enter
	err     error
}

func TestSession_Act(t *testing.T) {
	g := &guests{}
	addr := serve(t, func(app *fiber.App) { app.Post("/visit/session", fiberhttp.Session(g)) })
	post := func(more, body string) answer {
		return raw(t, addr, fmt.Sprintf("POST /visit/session?home=lagos.example&visit=01JA2B3C4D5E6F7G8H9J0K1M2N HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s",
			more, len(body), body))
	}
	const kind = "Content-Type: application/json\r\n"

	t.Run("OK", func(t *testing.T) {
		a := post(kind+"Authorization: Bearer old-token\r\n", `{"passport":"a.b.c"}`)
		a.want(t, 200, "")
		const want = `{"token":"guest-token","guest":{"id":"tunde@lagos.example","name":"Tunde","home":"lagos.example"},"expires_at":1790000000}`
		if a.body != want || a.header.Get("Cache-Control") != "no-store" || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%+v", a)
		}
		if got := g.entered[0]; got != (visit.Enter{Passport: "a.b.c", Home: "lagos.example", VisitID: "01JA2B3C4D5E6F7G8H9J0K1M2N", Token: "old-token"}) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("OK without a token", func(t *testing.T) {
		post(kind, `{"passport":"a.b.c"}`).want(t, 200, "")
		if got := g.entered[1]; got.Token != "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("Err", func(t *testing.T) {
		g.err = sgip.Errorf(sgip.Expired, "the passport has expired")
		defer func() { g.err = nil }()
		post(kind, `{"passport":"a.b.c"}`).want(t, 401, sgip.Expired)
	})
	for name, c := range map[string]struct {
		more, body string
		status     int
	}{
		"form":      {"Content-Type: application/x-www-form-urlencoded\r\n", "passport=a.b.c", 400},
		"no type":   {"", `{"passport":"a.b.c"}`, 400},
		"not JSON":  {kind, "hello", 400},
		"twice":     {kind, `{"passport":"a","passport":"b"}`, 400},
		"trailing":  {kind, `{"passport":"a"} {}`, 400},
		"number":    {kind, `{"passport":1}`, 400},
		"too large": {kind, `{"passport":"` + strings.Repeat("a", 5000) + `"}`, 413},
	} {
		t.Run("Err "+name, func(t *testing.T) {
			before := len(g.entered)
			post(c.more, c.body).want(t, c.status, sgip.InvalidPayload)
			if len(g.entered) != before {
				t.Error("it was let through")
			}
		})
	}
}
