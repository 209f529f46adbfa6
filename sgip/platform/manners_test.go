package platform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

var (
	_ platform.Profiles = (*town)(nil)
	_ platform.Inviter  = (*town)(nil)
	_ platform.Places   = (*town)(nil)
	_ platform.Gates    = (*town)(nil)
)

// blocked is whom Tunde has blocked.
const blocked = "jonas@" + oslo

func (w *town) Profile(ctx context.Context, handle, asker string) (platform.Profile, error) {
	p, err := w.Discoverable(ctx, handle, asker)
	return platform.Profile{Player: p, Bio: "Drives a danfo.", District: "Yaba",
		Stats: map[string]int{"mood": 70, "swagger": 99}, Relationship: "pen_friend"}, err
}

func (w *town) Invited(ctx context.Context, i platform.Invitation) error {
	handle, _, _ := local.SplitPlayer(i.To)
	if _, err := w.Discoverable(ctx, handle, i.From); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.invites = append(w.invites, i)
	return nil
}

func (w *town) Place(_ context.Context, district, slug string) (platform.Place, error) {
	if district != "yaba" || slug != "mama_put" {
		return platform.Place{}, sgip.Errorf(sgip.NotFound, "which place?")
	}
	return platform.Place{Name: "Mama Put", Kind: "street_food", Open: true, Players: 3}, nil
}

func (w *town) Visitors(template *sgip.Visitors) *sgip.Visitors {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return &sgip.Visitors{From: &[]string{}}
	}
	return template
}

// TestPeople_HiddenLikeAbsent holds the four operations that name a player to
// one answer, byte for byte, for one who isn't there and one who may not be
// revealed (contract 9).
func TestPeople_HiddenLikeAbsent(t *testing.T) {
	n := newNetwork(t)
	lena := sgip.Address{Platform: oslo, Player: "lena@" + oslo}
	for op, payload := range map[sgip.Op]func(player string) any{
		sgip.PlayerLookup:  func(player string) any { return sgip.PlayerQuery{Player: player} },
		sgip.PlayerProfile: func(player string) any { return sgip.PlayerQuery{Player: player} },
		sgip.MessageSend:   func(string) any { return sgip.MessagePayload{Text: "Hei!"} },
		sgip.InviteSend:    func(string) any { return sgip.InvitePayload{Verb: "eat", Label: "Waffles"} },
	} {
		for _, from := range []sgip.Address{lena, {Platform: oslo}, hubAddress} {
			answer := func(handle string) []byte {
				r := n.deliver(op, from, n.toPlayer(handle), payload(n.player(handle)))
				wantRefused(t, r, sgip.NotFound)
				r.ID = ""
				return bytes.ReplaceAll(r.Encode(), []byte(handle+"@"), []byte("…@"))
			}
			if hidden, absent := answer("ada"), answer("bob"); !bytes.Equal(hidden, absent) {
				t.Errorf("%s from %v: %s and %s tell them apart", op, from, hidden, absent)
			}
		}
		wantRefused(t, n.deliver(op, sgip.Address{Platform: oslo, Player: blocked}, n.toPlayer("tunde"), payload(n.player("tunde"))), sgip.Forbidden)
	}
}

func TestPlayer_Profile(t *testing.T) {
	n := newNetwork(t)
	t.Run("OK", func(t *testing.T) {
		r := n.deliver(sgip.PlayerProfile, sgip.Address{Platform: oslo}, sgip.Address{Platform: n.id}, sgip.PlayerQuery{Player: n.player("tunde")})
		var card sgip.ProfileCard
		if err := sgip.DecodeResult(local, sgip.PlayerProfile, r, &card); err != nil {
			t.Fatal(err)
		}
		if card.Player != n.player("tunde") || card.Name != "Tunde" || card.District != "Yaba" || card.Relationship != "pen_friend" {
			t.Fatalf("%+v", card)
		}
		if len(card.Stats) != 1 || card.Stats["mood"] != 70 {
			t.Fatalf("stats %v, want the registered one alone", card.Stats)
		}
	})
	t.Run("ErrMismatch", func(t *testing.T) {
		wantRefused(t, n.deliver(sgip.PlayerProfile, sgip.Address{Platform: oslo}, n.toPlayer("ada"), sgip.PlayerQuery{Player: n.player("tunde")}), sgip.InvalidPayload)
	})
	t.Run("OKAsked", func(t *testing.T) {
		n.hub.answer(sgip.PlayerProfile, func(e sgip.Envelope) (any, error) {
			if e.To.Platform != oslo || e.From.Player != n.player("tunde") {
				return nil, sgip.Errorf(sgip.InvalidPayload, "asked of %v by %v", e.To, e.From)
			}
			return sgip.ProfileCard{Player: "lena@" + oslo, Name: "Lena", Bio: "Paints."}, nil
		})
		card, err := n.seat.Profile(t.Context(), "tunde", "lena@"+oslo)
		if err != nil || card.Bio != "Paints." {
			t.Fatalf("%+v, %v", card, err)
		}
		_, err = n.seat.Profile(t.Context(), "tunde", "nora@"+oslo)
		wantCode(t, err, sgip.PlatformOffline)
	})
	t.Run("OKByLookup", func(t *testing.T) {
		n.hub.answer(sgip.PlayerProfile, func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(sgip.OpUnsupported, "no profiles") })
		n.hub.answer(sgip.PlayerLookup, func(sgip.Envelope) (any, error) {
			return sgip.PlayerCard{Player: "lena@" + oslo, Name: "Lena"}, nil
		})
		card, err := n.seat.Profile(t.Context(), "tunde", "lena@"+oslo)
		if err != nil || card.Name != "Lena" {
			t.Fatalf("%+v, %v", card, err)
		}
	})
	t.Run("ErrName", func(t *testing.T) {
		_, err := n.seat.Profile(t.Context(), "tunde", "lena")
		wantCode(t, err, sgip.NotFound)
	})
}

func TestInvite(t *testing.T) {
	n := newNetwork(t)
	n.run()
	lena := sgip.Address{Platform: oslo, Player: "lena@" + oslo}
	at := time.Date(2026, 12, 24, 19, 0, 0, 0, time.UTC)
	t.Run("OKReceived", func(t *testing.T) {
		id := newID()
		for range 2 {
			wantRefused(t, n.deliverAs(id, sgip.InviteSend, lena, n.toPlayer("tunde"), sgip.InvitePayload{
				Verb: "dance", Label: "Tanz in der Halle", Place: "place://" + oslo + "/sentrum/halle", PlaceKind: "event_hall", At: "2026-12-24T19:00:00Z"}), "")
		}
		want := platform.Invitation{ID: id, From: lena.Player, To: n.player("tunde"), Verb: "dance", Label: "Tanz in der Halle",
			Place: "place://" + oslo + "/sentrum/halle", PlaceKind: "event_hall", At: at}
		if len(n.town.invites) != 1 || n.town.invites[0] != want {
			t.Fatalf("%+v", n.town.invites)
		}
	})
	t.Run("OKSent", func(t *testing.T) {
		n.hub.answer(sgip.InviteSend, func(sgip.Envelope) (any, error) { return sgip.InviteResult{Received: true}, nil })
		i := platform.Invitation{ID: newID(), From: n.player("tunde"), To: lena.Player, Verb: "eat", Label: "Chop at the buka",
			Place: "place://" + n.id + "/yaba/buka", PlaceKind: "restaurant", At: at, Text: "Come hungry."}
		send := func(i platform.Invitation) error {
			return n.db.InTx(t.Context(), func(ctx context.Context) error { return n.seat.Invite(ctx, i) })
		}
		if err := send(i); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the invitation is delivered", func() bool { code, ok := n.town.ended(n.town.delivered, i.ID); return ok && code == "" })
		e := n.hub.got(sgip.InviteSend)[0]
		var p sgip.InvitePayload
		if err := e.Decode(local, &p); err != nil || p.At != "2026-12-24T19:00:00Z" || p.Verb != "eat" || e.To != lena || e.From.Player != i.From {
			t.Fatalf("%+v in %+v, %v", p, e, err)
		}
		i.ID, i.Label = newID(), "<b>"
		wantCode(t, send(i), sgip.InvalidPayload)
	})
	t.Run("ErrTime", func(t *testing.T) {
		wantRefused(t, n.deliver(sgip.InviteSend, lena, n.toPlayer("tunde"), sgip.InvitePayload{Verb: "eat", Label: "x", At: "2026-02-31T19:00:00Z"}), sgip.InvalidPayload)
	})
	t.Run("ErrNoSender", func(t *testing.T) {
		wantRefused(t, n.deliver(sgip.InviteSend, hubAddress, n.toPlayer("tunde"), sgip.InvitePayload{Verb: "eat", Label: "x"}), sgip.InvalidPayload)
	})
}

func TestPlace_Status(t *testing.T) {
	n := newNetwork(t)
	ask := func(place string) sgip.Reply {
		return n.deliver(sgip.PlaceStatus, sgip.Address{Platform: oslo}, sgip.Address{Platform: n.id}, sgip.PlaceQuery{Place: place})
	}
	t.Run("OK", func(t *testing.T) {
		r := ask("place://" + n.id + "/yaba/mama%5Fput")
		var report sgip.PlaceReport
		if err := sgip.DecodeResult(local, sgip.PlaceStatus, r, &report); err != nil || report.Players != 3 || !report.Open || report.Name != "Mama Put" {
			t.Fatalf("%+v, %v", report, err)
		}
		if strings.Contains(string(r.Result), "tunde") {
			t.Fatalf("%s tells who is there", r.Result)
		}
	})
	t.Run("Err", func(t *testing.T) {
		wantRefused(t, ask("place://"+n.id+"/yaba/nowhere"), sgip.NotFound)
		wantRefused(t, ask("place://"+n.id+"/ikeja/mama_put"), sgip.NotFound)
		wantRefused(t, ask("place://"+oslo+"/yaba/mama_put"), sgip.NotFound)
		wantRefused(t, ask("mama_put"), sgip.InvalidPayload)
	})
	t.Run("OKAsked", func(t *testing.T) {
		n.hub.answer(sgip.PlaceStatus, func(e sgip.Envelope) (any, error) {
			if e.To.Platform != oslo || e.From.Player != "" {
				return nil, errors.New("asked of another, or by name")
			}
			return sgip.PlaceReport{Place: "place://" + oslo + "/sentrum/halle", Name: "Halle", Kind: "event_hall", Players: 2, Verbs: []string{}}, nil
		})
		report, err := n.seat.PlaceStatus(t.Context(), "place://"+oslo+"/sentrum/halle")
		if err != nil || report.Players != 2 {
			t.Fatalf("%+v, %v", report, err)
		}
		_, err = n.seat.PlaceStatus(t.Context(), "halle")
		wantCode(t, err, sgip.NotFound)
	})
}

// TestGates_Close: what the keeper decides is in the descriptor at once, and the
// hub hears of it by another hello.
func TestGates_Close(t *testing.T) {
	n := newNetwork(t)
	n.run()
	visitors := func() string {
		var d map[string]json.RawMessage
		if err := json.Unmarshal(n.seat.Descriptor(), &d); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(d["visitors"])), "")
	}
	if got := visitors(); got != "" {
		t.Fatalf("visitors %s before anything was decided", got)
	}
	before := len(n.hub.got(sgip.HubHello))
	n.town.mu.Lock()
	n.town.closed = true
	n.town.mu.Unlock()
	if got := visitors(); got != `{"from":[]}` {
		t.Fatalf("visitors %s, want an empty list", got)
	}
	eventually(t, "it says hello again", func() bool { return len(n.hub.got(sgip.HubHello)) > before })
}
