package platform_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

func TestVisit_End(t *testing.T) {
	end := func(n *network, from string, handle string, p sgip.VisitEndPayload) sgip.Reply {
		return n.deliver(sgip.VisitEnd, sgip.Address{Platform: from}, n.toPlayer(handle), p)
	}
	payload := func(trip platform.Trip) sgip.VisitEndPayload {
		return sgip.VisitEndPayload{VisitID: trip.VisitID, Reason: sgip.EndLeft, StayedSeconds: 90,
			Souvenirs: &sgip.Souvenirs{Stats: map[string]int{"fun": 100, "hunger": -100, "health": 20}, Postcard: "Hei fra Oslo", Verbs: []string{"eat"}}}
	}
	t.Run("OKOnceAndCapped", func(t *testing.T) {
		n := newNetwork(t)
		p := payload(n.depart())
		for i := range 3 {
			if i == 2 {
				p.Souvenirs.Stats["fun"] = 1 // whatever arrives
			}
			var result sgip.VisitEndResult
			if err := sgip.DecodeResult(local, sgip.VisitEnd, end(n, oslo, "tunde", p), &result); err != nil ||
				!maps.Equal(result.Accepted.Stats, map[string]int{"fun": 5}) {
				t.Fatalf("accepted %+v, %v", result, err)
			}
		}
		got := n.town.homecomings()
		if len(got) != 1 || !maps.Equal(got[0].Stats, map[string]int{"fun": 20, "hunger": -20, "health": 20}) ||
			got[0].Stayed != 90*time.Second || got[0].Handle != "tunde" || got[0].Postcard != "Hei fra Oslo" {
			t.Fatalf("came home %+v", got)
		}
		if now, err := n.seat.Trip(t.Context(), "tunde"); now != nil || err != nil {
			t.Fatal(now, err)
		}
	})
	t.Run("OKAfterTheFrameWasClosed", func(t *testing.T) {
		n := newNetwork(t)
		trip := n.depart()
		if err := n.seat.CloseTrip(t.Context(), "tunde", trip.VisitID); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, end(n, oslo, "tunde", payload(trip)), "")
		if len(n.town.homecomings()) != 1 {
			t.Fatal("the souvenirs are lost")
		}
	})
	t.Run("OKWithoutSouvenirs", func(t *testing.T) {
		n := newNetwork(t)
		wantRefused(t, end(n, oslo, "tunde", sgip.VisitEndPayload{VisitID: n.depart().VisitID, Reason: sgip.EndExpired}), "")
	})
	t.Run("ErrAnotherHost", func(t *testing.T) {
		n := newNetwork(t)
		wantRefused(t, end(n, "rome.localhost:8090", "tunde", payload(n.depart())), sgip.Forbidden)
	})
	t.Run("ErrAnotherTraveller", func(t *testing.T) {
		n := newNetwork(t)
		wantRefused(t, end(n, oslo, "ada", payload(n.depart())), sgip.Forbidden)
	})
	t.Run("ErrUnknown", func(t *testing.T) {
		n := newNetwork(t)
		wantRefused(t, end(n, oslo, "tunde", payload(platform.Trip{VisitID: newID()})), sgip.NotFound)
	})
	t.Run("ErrFaultAppliesNothing", func(t *testing.T) {
		n := newNetwork(t)
		p := payload(n.depart())
		n.town.failNext(sgip.Errorf(sgip.Internal, "disk full"))
		wantRefused(t, end(n, oslo, "tunde", p), sgip.Internal)
		wantRefused(t, end(n, oslo, "tunde", p), "")
	})
}

func TestVisit_EndAsHost(t *testing.T) {
	n := newNetwork(t)
	n.run()
	n.hub.answer(sgip.VisitEnd, func(sgip.Envelope) (any, error) {
		return sgip.VisitEndResult{Accepted: sgip.Accepted{Stats: map[string]int{}}}, nil
	})
	send := func(p sgip.VisitEndPayload) error {
		return n.db.InTx(t.Context(), func(ctx context.Context) error {
			return n.seat.EndVisit(ctx, oslo, "lena@"+oslo, p)
		})
	}
	p := sgip.VisitEndPayload{VisitID: newID(), Reason: sgip.EndIdle}
	if err := send(p); err != nil {
		t.Fatal(err)
	}
	eventually(t, "sent", func() bool { return len(n.hub.got(sgip.VisitEnd)) == 1 })
	if e := n.hub.got(sgip.VisitEnd)[0]; e.To != (sgip.Address{Platform: oslo, Player: "lena@" + oslo}) || e.From.Player != "" {
		t.Fatalf("sent %+v", e)
	}
	wantCode(t, send(sgip.VisitEndPayload{VisitID: newID(), Reason: "bored"}), sgip.InvalidPayload)
}
