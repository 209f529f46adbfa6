package visit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

func TestLeave(t *testing.T) {
	t.Run("OKOnce", func(t *testing.T) {
		h := newHost(t)
		h.stage.souvenirs = sgip.Souvenirs{Stats: map[string]int{"fun": 12}, Postcard: "Currywurst!", Verbs: []string{"eat"}}
		p := h.passport()
		h.mustEnter(p, "")
		h.pass(90 * time.Second)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := h.Leave(t.Context(), p.VisitID, sgip.EndLeft); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if len(h.seat.letters) != 1 || len(h.stage.departed) != 1 {
			t.Fatalf("%d ends, %d departures", len(h.seat.letters), len(h.stage.departed))
		}
		l := h.seat.letters[0]
		if l.VisitID != p.VisitID || l.Reason != sgip.EndLeft || l.StayedSeconds != 90 || l.Souvenirs.Stats["fun"] != 12 {
			t.Fatalf("visit.end %+v", l)
		}
	})
	t.Run("OKOddSouvenirsLeftOut", func(t *testing.T) {
		h := newHost(t)
		h.stage.souvenirs = sgip.Souvenirs{Postcard: strings.Repeat("x", sgip.MaxPostcard+1)}
		p := h.passport()
		h.mustEnter(p, "")
		if err := h.Leave(t.Context(), p.VisitID, sgip.EndLeft); err != nil {
			t.Fatal(err)
		}
		if len(h.seat.letters) != 1 || h.seat.letters[0].Souvenirs != nil {
			t.Fatalf("ends %+v", h.seat.letters)
		}
	})
	t.Run("ErrNotWrittenDown", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		s := h.mustEnter(p, "")
		h.seat.fail = errors.New("disk full")
		if err := h.Leave(t.Context(), p.VisitID, sgip.EndLeft); err == nil {
			t.Fatal("left without visit.end")
		}
		if _, err := h.Guest(t.Context(), s.Token); err != nil {
			t.Fatalf("the visit ended without its letter: %v", err)
		}
	})
	t.Run("ErrUnknown", func(t *testing.T) {
		wantCode(t, newHost(t).Leave(t.Context(), ulid.Make().String(), sgip.EndLeft), sgip.NotFound)
	})
	t.Run("ErrReason", func(t *testing.T) {
		wantCode(t, newHost(t).Leave(t.Context(), ulid.Make().String(), "bored"), sgip.InvalidPayload)
	})
}

func TestSweep(t *testing.T) {
	sweep := func(t *testing.T, h *host) {
		t.Helper()
		if err := h.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("OKExpired", func(t *testing.T) {
		h := newHost(t)
		s := h.mustEnter(h.passport(), "")
		h.pass(899 * time.Second)
		sweep(t, h)
		if len(h.seat.letters) != 0 {
			t.Fatal("ended early")
		}
		h.pass(time.Second)
		_, err := h.Guest(t.Context(), s.Token)
		wantCode(t, err, sgip.Expired)
		sweep(t, h)
		sweep(t, h)
		if len(h.seat.letters) != 1 || h.seat.letters[0].Reason != sgip.EndExpired {
			t.Fatalf("ends %+v", h.seat.letters)
		}
	})
	t.Run("OKIdle", func(t *testing.T) {
		h := newHost(t)
		p := h.passport()
		s := h.mustEnter(p, "")
		h.pass(10 * time.Minute)
		if _, err := h.Act(t.Context(), s.Token); err != nil {
			t.Fatal(err)
		}
		p.Issued, p.Expires = h.clock().Unix(), h.clock().Unix()+900
		h.pass(4 * time.Minute)
		h.mustEnter(p, s.Token) // comes by itself, so it is no activity
		h.pass(11*time.Minute - time.Second)
		p.Issued, p.Expires = h.clock().Unix(), h.clock().Unix()+900
		h.mustEnter(p, s.Token)
		if _, err := h.Guest(t.Context(), s.Token); err != nil { // the page looks by itself, too
			t.Fatal(err)
		}
		sweep(t, h)
		if len(h.seat.letters) != 0 {
			t.Fatal("ended early")
		}
		h.pass(time.Second)
		sweep(t, h)
		if len(h.seat.letters) != 1 || h.seat.letters[0].Reason != sgip.EndIdle {
			t.Fatalf("ends %+v", h.seat.letters)
		}
		for _, ask := range []func(context.Context, string) (visit.Guest, error){h.Guest, h.Act} {
			_, err := ask(t.Context(), s.Token)
			wantCode(t, err, sgip.Forbidden)
			if why, ok := errors.AsType[visit.Ended](err); !ok || why != sgip.EndIdle {
				t.Fatalf("told %v, want why it ended", err)
			}
		}
	})
	t.Run("ErrOneKeepsNoOtherBack", func(t *testing.T) {
		h := newHost(t)
		h.mustEnter(h.passport(func(p *sgip.Passport) { p.Subject = "ada" }), "") // the seat fails for her
		h.pass(time.Second)
		h.mustEnter(h.passport(), "")
		h.pass(time.Hour)
		if err := h.Sweep(t.Context()); err == nil {
			t.Fatal("no error for the one that failed")
		}
		if len(h.seat.letters) != 1 {
			t.Fatalf("%d ends", len(h.seat.letters))
		}
	})
}

func TestGuest(t *testing.T) {
	h := newHost(t)
	for _, token := range []string{"", "nobody's", strings.Repeat("x", 5000)} {
		for _, ask := range []func(context.Context, string) (visit.Guest, error){h.Guest, h.Act} {
			_, err := ask(t.Context(), token)
			wantCode(t, err, sgip.Forbidden)
			if why, ended := errors.AsType[visit.Ended](err); ended {
				t.Fatalf("a stranger is told of a visit that ended: %v", why)
			}
		}
	}
}

func TestPage(t *testing.T) {
	h := newHost(t)
	id := ulid.Make().String()
	page := func(t *testing.T, home, visitID string) visit.Page {
		t.Helper()
		p, err := h.Page(t.Context(), home, visitID)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	wantClosed := func(t *testing.T, p visit.Page, why sgip.Code) {
		t.Helper()
		if p.Ancestors != "'none'" || len(p.Origins) != 0 || p.Trouble != why {
			t.Fatalf("page %+v, want nobody trusted for %s", p, why)
		}
	}
	t.Run("OK", func(t *testing.T) {
		p := page(t, lagos, id)
		if p.Ancestors != "https://lagos.example https://play.lagos.example:8443" || len(p.Origins) != 2 || p.Name != "Lagos" || p.Trouble != "" {
			t.Fatalf("page %+v", p)
		}
	})
	t.Run("OKTabOnly", func(t *testing.T) {
		h.seat.embed = false
		defer func() { h.seat.embed = true }()
		if p := page(t, lagos, id); p.Ancestors != "'none'" || len(p.Origins) != 2 {
			t.Fatalf("page %+v", p)
		}
	})
	t.Run("OKOddOriginsLeftOut", func(t *testing.T) {
		h.seat.entries["evil.example"] = sgip.DirectoryEntry{PlatformID: "evil.example", Origins: []string{
			"null", "*", "https://evil.example; script-src *", "https://evil.example/", "https://*.example", "javascript:alert(1)", "https://evil.example"}}
		if p := page(t, "evil.example", id); p.Ancestors != "https://evil.example" {
			t.Fatalf("ancestors %q", p.Ancestors)
		}
	})
	t.Run("ErrUnknownHome", func(t *testing.T) { wantClosed(t, page(t, "oslo.example", id), sgip.NotFound) })
	t.Run("ErrHubAway", func(t *testing.T) {
		h.seat.away = true
		defer func() { h.seat.away = false }()
		wantClosed(t, page(t, lagos, id), sgip.PlatformOffline)
	})
	for _, c := range [][2]string{{"", id}, {lagos, ""}, {"Lagos", id}, {berlin, id}, {lagos, "1"}} {
		t.Run("ErrAddress", func(t *testing.T) { wantClosed(t, page(t, c[0], c[1]), sgip.InvalidPayload) })
	}
}
