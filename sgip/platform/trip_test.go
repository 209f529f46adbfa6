package platform_test

import (
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// depart sends Tunde to Oslo.
func (n *network) depart() platform.Trip {
	n.t.Helper()
	trip, err := n.seat.Depart(n.t.Context(), platform.TripRequest{Handle: "tunde", Host: oslo})
	if err != nil {
		n.t.Fatal(err)
	}
	return trip
}

func TestTrip_Depart(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.PlatformDirectory, func(sgip.Envelope) (any, error) {
			return sgip.DirectoryPage{Platforms: []sgip.DirectoryEntry{entry(oslo, "Oslo")}}, nil
		})
		budget := &sgip.Money{Amount: 500, Currency: "NGN"}
		trip, err := n.seat.Depart(t.Context(), platform.TripRequest{Handle: "tunde", Host: oslo, Budget: budget,
			Profile: sgip.Profile{Name: "Tunde", Stats: map[string]int{"fun": 50}}})
		if err != nil {
			t.Fatal(err)
		}
		if trip.HostName != "Oslo" || trip.HostOrigin != "http://"+oslo || !trip.Embed || trip.Over {
			t.Fatalf("trip %+v", trip)
		}
		asked := n.hub.got(sgip.VisitRequest)[0]
		var p sgip.VisitRequestPayload
		if err := asked.Decode(local, &p); err != nil || asked.From.Player != n.player("tunde") ||
			p.VisitID != "" || *p.Budget != *budget || len(p.Scope) != 2 || p.Profile.Stats["fun"] != 50 {
			t.Fatalf("asked %+v with %+v, %v", asked, p, err)
		}
		now, err := n.seat.Trip(t.Context(), "tunde")
		if err != nil || now == nil || now.VisitID != trip.VisitID || *now.Budget != *budget {
			t.Fatalf("under way %+v, %v", now, err)
		}
	})
	t.Run("OKANewOneClosesTheOld", func(t *testing.T) {
		n := newNetwork(t)
		first := n.depart()
		n.pass(time.Second)
		second := n.depart()
		_, err := n.seat.Ticket(t.Context(), "tunde", first.VisitID)
		wantCode(t, err, sgip.Forbidden)
		trips, err := n.seat.Trips(t.Context(), "tunde")
		if err != nil || len(trips) != 2 || trips[0].VisitID != second.VisitID || !trips[1].Over {
			t.Fatalf("trips %+v, %v", trips, err)
		}
	})
	t.Run("ErrRefused", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.VisitRequest, func(sgip.Envelope) (any, error) {
			return nil, sgip.Errorf(sgip.Forbidden, "Oslo takes no visitors")
		})
		_, err := n.seat.Depart(t.Context(), platform.TripRequest{Handle: "tunde", Host: oslo})
		wantCode(t, err, sgip.Forbidden)
		if trip, err := n.seat.Trip(t.Context(), "tunde"); trip != nil || err != nil {
			t.Fatal(trip, err)
		}
	})
	t.Run("ErrLaunchElsewhere", func(t *testing.T) {
		n := newNetwork(t)
		n.hub.answer(sgip.VisitRequest, func(e sgip.Envelope) (any, error) {
			r, err := n.hub.visit(e)
			result := r.(sgip.VisitRequestResult)
			result.HostOrigin = "http://rome.localhost:8090"
			return result, err
		})
		if _, err := n.seat.Depart(t.Context(), platform.TripRequest{Handle: "tunde", Host: oslo}); err == nil {
			t.Fatal("a passport would be posted to another origin than the page's")
		}
	})
}

func TestTrip_Ticket(t *testing.T) {
	ticket := func(t *testing.T, n *network, trip platform.Trip) platform.Ticket {
		t.Helper()
		k, err := n.seat.Ticket(t.Context(), "tunde", trip.VisitID)
		if err != nil {
			t.Fatal(err)
		}
		if left := k.ExpiresAt.Sub(n.clock()); left < time.Minute {
			t.Fatalf("a ticket with %v left", left)
		}
		return k
	}
	t.Run("OKRefreshedAfterTenMinutes", func(t *testing.T) {
		n := newNetwork(t)
		trip := n.depart()
		first := ticket(t, n, trip)
		n.pass(10*time.Minute - time.Second)
		if ticket(t, n, trip) != first {
			t.Fatal("refreshed early")
		}
		n.pass(time.Second)
		second := ticket(t, n, trip)
		if second == first || ticket(t, n, trip) != second {
			t.Fatal("not refreshed once")
		}
		var p sgip.VisitRequestPayload
		asked := n.hub.got(sgip.VisitRequest)
		if err := asked[1].Decode(local, &p); err != nil || p.VisitID != trip.VisitID || len(asked) != 2 {
			t.Fatalf("refreshed with %+v, %v", p, err)
		}
	})
	t.Run("OKOldOneWhileTheHubIsAway", func(t *testing.T) {
		n := newNetwork(t)
		trip := n.depart()
		first := ticket(t, n, trip)
		n.hub.change(func() { n.hub.away = true })
		n.pass(14 * time.Minute)
		if ticket(t, n, trip) != first {
			t.Fatal("another ticket")
		}
		n.pass(time.Second)
		_, err := n.seat.Ticket(t.Context(), "tunde", trip.VisitID)
		wantCode(t, err, sgip.PlatformOffline)
	})
	t.Run("ErrOverByItself", func(t *testing.T) {
		n := newNetwork(t)
		trip := n.depart()
		n.pass(15 * time.Minute)
		_, err := n.seat.Ticket(t.Context(), "tunde", trip.VisitID)
		wantCode(t, err, sgip.Forbidden)
		if now, err := n.seat.Trip(t.Context(), "tunde"); now != nil || err != nil {
			t.Fatal(now, err)
		}
	})
	t.Run("ErrClosed", func(t *testing.T) {
		n := newNetwork(t)
		trip := n.depart()
		if err := n.seat.CloseTrip(t.Context(), "tunde", trip.VisitID); err != nil {
			t.Fatal(err)
		}
		_, err := n.seat.Ticket(t.Context(), "tunde", trip.VisitID)
		wantCode(t, err, sgip.Forbidden)
	})
	t.Run("ErrNotTheirs", func(t *testing.T) {
		n := newNetwork(t)
		trip := n.depart()
		_, err := n.seat.Ticket(t.Context(), "ada", trip.VisitID)
		wantCode(t, err, sgip.NotFound)
		wantCode(t, n.seat.CloseTrip(t.Context(), "ada", trip.VisitID), sgip.NotFound)
		_, err = n.seat.Ticket(t.Context(), "tunde", newID())
		wantCode(t, err, sgip.NotFound)
	})
}

func TestTrip_Spent(t *testing.T) {
	n := newNetwork(t)
	trip := n.depart()
	d := n.debitOf(300, func(p *sgip.DebitPayload) { p.VisitID = trip.VisitID })
	wantBalance(t, n.debit(d), sgip.WalletDebit, 700)
	wantRefused(t, n.debit(n.debitOf(5000, func(p *sgip.DebitPayload) { p.VisitID = trip.VisitID })), sgip.InsufficientFunds)
	c := creditOf(d, 100, sgip.CreditRefund)
	c.HostAmount = &sgip.Money{Amount: 2, Currency: "NOK"}
	wantBalance(t, n.credit(c), sgip.WalletCredit, 800)
	now, err := n.seat.Trip(t.Context(), "tunde")
	if err != nil || now.Spent != 200 {
		t.Fatalf("spent %+v, %v", now, err)
	}
	list, err := n.seat.Purchases(t.Context(), trip.VisitID)
	if err != nil || len(list) != 2 {
		t.Fatalf("purchases %+v, %v", list, err)
	}
	bought, back := list[0], list[1]
	if bought.ChargeID != d.ChargeID || bought.Amount != d.Amount || bought.HostAmount != d.HostAmount || bought.RefundID != "" {
		t.Fatalf("bought %+v", bought)
	}
	if back.RefundID != c.RefundID || back.Amount.Amount != 100 || back.HostAmount != *c.HostAmount || back.Description != "Waffle" {
		t.Fatalf("back %+v", back)
	}
}
