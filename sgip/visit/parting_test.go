package visit_test

import (
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func TestParting(t *testing.T) {
	reason := func(h *host, token string) string {
		t.Helper()
		r, err := h.Parting(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, why := range []string{sgip.EndLeft, sgip.EndIdle, sgip.EndRemoved, sgip.EndExpired} {
		h := newHost(t)
		p := h.passport()
		s := h.mustEnter(p, "")
		if got := reason(h, s.Token); got != "" {
			t.Errorf("a visit under way is over: %q", got)
		}
		if err := h.Leave(t.Context(), p.VisitID, why); err != nil {
			t.Fatal(err)
		}
		if got := reason(h, s.Token); got != why {
			t.Errorf("%q, want %q", got, why)
		}
	}
	h := newHost(t)
	p := h.passport()
	old := h.mustEnter(p, "")
	fresh := h.mustEnter(p, "")
	if got := reason(h, old.Token); got != "" {
		t.Errorf("a token that another page has replaced: %q", got)
	}
	h.pass(15 * time.Minute)
	if got := reason(h, fresh.Token); got != sgip.EndExpired {
		t.Errorf("%q before the sweep, want expired", got)
	}
	for _, token := range []string{"", "nobody's", strings.Repeat("x", 5000)} {
		if got := reason(h, token); got != "" {
			t.Errorf("a token of nobody: %q", got)
		}
	}
}

// TestEnter_TurnedAway: a host that turns one visitor away says forbidden, and
// nothing of the visit is kept.
func TestEnter_TurnedAway(t *testing.T) {
	h := newHost(t)
	h.stage.refuse = sgip.Errorf(sgip.Forbidden, "Berlin has asked you to stay away.")
	p := h.passport()
	_, err := h.enter(p, "")
	wantCode(t, err, sgip.Forbidden)
	if r, err := h.store.Visit(t.Context(), p.VisitID); r != nil || err != nil {
		t.Fatalf("record %+v, %v", r, err)
	}
	if len(h.seat.letters) != 0 {
		t.Fatal("a visit that never was has ended")
	}
	h.stage.refuse = nil
	h.mustEnter(p, "") // the keeper has thought better of it
}
