package hubsite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/web"
)

// games is a board; the hub's own is tested where it lives.
type games struct {
	rows []hub.BoardRow
	err  error
}

func (g games) Games(context.Context) ([]hub.BoardRow, error) { return g.rows, g.err }

func TestBoard_Show(t *testing.T) {
	when := time.Date(2026, 11, 30, 14, 5, 0, 0, time.UTC)
	show := func(t *testing.T, g games) (int, string) {
		t.Helper()
		app, err := web.New(web.Options{Origin: "http://hub.localhost:8080", Name: "The counter"})
		if err != nil {
			t.Fatal(err)
		}
		if err := Mount(app, g); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = "hub.localhost:8080"
		resp, err := app.Fiber().Test(r, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	t.Run("OK", func(t *testing.T) {
		status, page := show(t, games{rows: []hub.BoardRow{
			{ID: "berlin.localhost:8082", Name: "Berlin", Icon: "🐻", Home: "http://berlin.localhost:8082/play", Online: true, RegisteredAt: when, LastSeen: when, Visits: 1},
			{ID: "lagos.localhost:8081", Name: `<b>Lagos</b>`, Home: "javascript:alert(1)", RegisteredAt: when, LastSeen: when},
		}})
		for _, want := range []string{"berlin.localhost:8082", "🐻", "Answering", "Silent", "30 Nov 2026", "last hello", "30 Nov 14:05", "&lt;b&gt;Lagos&lt;/b&gt;", ">2</span> games", ">1</span> answering", ">1</span> player abroad"} {
			if !strings.Contains(page, want) {
				t.Errorf("the board doesn't say %q", want)
			}
		}
		if status != http.StatusOK || strings.Contains(page, "javascript:") || strings.Contains(page, "<b>Lagos") {
			t.Errorf("status %d; a game's own markup or script is on the board", status)
		}
	})
	t.Run("OKEmpty", func(t *testing.T) {
		if status, page := show(t, games{}); status != http.StatusOK || !strings.Contains(page, "No game has said hello yet") {
			t.Errorf("status %d", status)
		}
	})
	t.Run("ErrStore", func(t *testing.T) {
		status, page := show(t, games{err: errors.New("INNER DETAIL")})
		if status != http.StatusInternalServerError || strings.Contains(page, "INNER DETAIL") {
			t.Errorf("status %d", status)
		}
	})
}
