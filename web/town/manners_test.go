package town

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/visit"
	"sgip.example/starter/web"
)

const testInvite = "01JA2B3C4D5E6F7G8H9J0K1M5N"

// far is what lies beyond the network for the pages of this file.
type far struct {
	*network
	card    sgip.ProfileCard
	cardErr error
	place   sgip.PlaceReport
	guests  []visit.Guest
}

func (n *network) Invite(ctx context.Context, who game.PersonID, to, activity string, at time.Time, text string) (game.Message, error) {
	i, err := n.town.InviteTo(activity, at)
	if err != nil {
		return game.Message{}, err
	}
	return n.town.Invite(ctx, who, to, i, text, n.newID())
}

func (n *network) AnswerInvite(ctx context.Context, who game.PersonID, with, inviteID, text string) (game.Message, error) {
	return n.town.AnswerInvite(ctx, who, with, inviteID, text, n.newID())
}

func (n *network) LocalWords(i game.Invite) (string, bool) {
	if a := n.town.World().LocalVerb(i.Verb); a != nil {
		return a.Label, true
	}
	return i.Label, false
}

func (n *network) Parting(context.Context, string) (string, error) {
	if sgip.CodeOf(n.gone) == sgip.Expired {
		return sgip.EndExpired, nil
	}
	return n.parting, nil
}

func (f *far) Card(context.Context, game.PersonID, string) (sgip.ProfileCard, error) {
	return f.card, f.cardErr
}
func (f *far) PlaceStatus(context.Context, string) (sgip.PlaceReport, error) {
	return f.place, f.cardErr
}
func (f *far) Active(context.Context) ([]visit.Guest, error) { return f.guests, nil }
func (f *far) Leave(ctx context.Context, visitID, reason string) error {
	f.guests = nil
	return f.network.Leave(ctx, visitID, reason)
}

// newMannersTown is newAbroadTown with the pages of this file.
func newMannersTown(t *testing.T) (*abroadTown, *far) {
	t.Helper()
	a := newAbroadTown(t, testOrigin)
	f := &far{network: a.net, card: sgip.ProfileCard{Player: "lena@" + testBerlin, Name: "Lena", Bio: "Paints.\nDoesn't <cook>.", District: "Kreuzberg",
		Stats: map[string]int{"mood": 71, "knowledge": 12}, Relationship: "pen_friend"}}
	f.guests = []visit.Guest{{VisitID: testVisit, ID: "lena@" + testBerlin, Home: testBerlin, Name: "Lena", StartedAt: a.now, ExpiresAt: a.now.Add(15 * time.Minute)}}
	r := a.app.Fiber()
	(&peoplePages{site: a.site, others: f}).mount(r)
	(&passportPages{site: a.site, trips: a.net}).mount(r)
	(&keeperPages{site: a.site, guests: f, desk: a.net}).mount(r)
	(&accountPages{a.site}).mount(r)
	return a, f
}

func TestPerson_Show(t *testing.T) {
	page := "/people/lena@" + testBerlin
	t.Run("OK", func(t *testing.T) {
		a, _ := newMannersTown(t)
		p := a.ask(http.MethodGet, page, "tunde", nil)
		p.want(t, fiber.StatusOK, "<bdi>Lena</bdi>", "<bdi>Berlin</bdi>", "<bdi>Kreuzberg</bdi>", "Pen friend", "Doesn&#39;t &lt;cook&gt;.", "Mood", ">71<",
			`href="/messages/lena@`+testBerlin+`/invite"`, "Block everyone of <bdi>Berlin</bdi>")
		p.without(t, "nowledge") // a stat that this game doesn't model (8.3)
		if strings.Contains(p.text, "Hunger") {
			t.Error("a stat was made up that the other game didn't send")
		}
	})
	t.Run("ErrNobody", func(t *testing.T) {
		a, f := newMannersTown(t)
		for code, words := range map[sgip.Code]string{sgip.NotFound: "lets themselves be looked up", sgip.Forbidden: "want to hear from you", sgip.PlatformOffline: "answer"} {
			f.card, f.cardErr = sgip.ProfileCard{}, sgip.Errorf(code, "no player lena@"+testBerlin)
			a.ask(http.MethodGet, page, "tunde", nil).want(t, statusOf(code), words)
		}
	})
	t.Run("OKBlock", func(t *testing.T) {
		a, _ := newMannersTown(t)
		block := func(form url.Values) {
			t.Helper()
			got := a.ask(http.MethodPost, page+"/block", "tunde", form)
			if got.StatusCode != fiber.StatusSeeOther || got.Header.Get("Location") != "/messages/lena@"+testBerlin {
				t.Fatalf("%d to %q", got.StatusCode, got.Header.Get("Location"))
			}
		}
		letter := func(from string) error {
			return a.town.Receive(t.Context(), game.Message{ID: a.net.newID(), Owner: "tunde", With: from + "@" + testBerlin, Text: "Hallo"})
		}
		block(url.Values{"on": {"1"}, "back": {"letters"}})
		if letter("lena") == nil || letter("jonas") != nil {
			t.Error("a block of one player is none, or one of all")
		}
		a.ask(http.MethodGet, "/messages/lena@"+testBerlin, "tunde", nil).want(t, fiber.StatusOK, "You take no letters from <bdi>lena</bdi>", "Unblock <bdi>lena</bdi>")
		block(url.Values{"on": {"0"}, "back": {"letters"}})
		block(url.Values{"on": {"1"}, "all": {"1"}, "back": {"letters"}})
		if letter("lena") == nil || letter("jonas") == nil {
			t.Error("a block of a game lets someone through")
		}
		a.ask(http.MethodGet, "/settings", "tunde", nil).want(t, fiber.StatusOK, "Everyone of "+testBerlin)
		block(url.Values{"on": {"0"}, "all": {"1"}, "back": {"letters"}})
		if letter("lena") != nil {
			t.Error("still blocked")
		}
		a.ask(http.MethodPost, "/people/tunde/block", "tunde", url.Values{"on": {"1"}}).want(t, fiber.StatusNotFound)
	})
}

func TestPlacePage(t *testing.T) {
	a, f := newMannersTown(t)
	f.place = sgip.PlaceReport{Place: "place://" + testBerlin + "/mitte/imbiss", Name: "Imbiss <3", Kind: "fast_food", Open: true, Players: 4, Verbs: []string{"eat", "x-berlin.chill"}}
	p := a.ask(http.MethodGet, "/places?place="+url.QueryEscape(f.place.Place), "tunde", nil)
	p.want(t, fiber.StatusOK, "Imbiss &lt;3", "Fast food", ">4<", "Open", ">Eat<")
	p.without(t, "chill")
	f.cardErr = sgip.Errorf(sgip.NotFound, "no place")
	a.ask(http.MethodGet, "/places?place=x", "tunde", nil).want(t, fiber.StatusNotFound, "be seen from here")
}

func TestInvite_Pages(t *testing.T) {
	form := func(activity, at, text string) url.Values {
		return url.Values{"activity": {activity}, "at": {at}, "text": {text}}
	}
	t.Run("OKSent", func(t *testing.T) {
		a, _ := newMannersTown(t)
		a.ask(http.MethodGet, "/messages/ada/invite", "tunde", nil).want(t, fiber.StatusOK, `<optgroup label="Balogun Market">`, `value="buka"`)
		got := a.ask(http.MethodPost, "/messages/ada/invite", "tunde", form("buka", "2026-12-24T19:00", "Come hungry.\r\nI pay."))
		if got.StatusCode != fiber.StatusSeeOther || got.Header.Get("Location") != "/messages/ada" {
			t.Fatalf("%d to %q: %s", got.StatusCode, got.Header.Get("Location"), got.text)
		}
		a.ask(http.MethodGet, "/messages/ada", "tunde", nil).want(t, fiber.StatusOK, "Chop at the buka", "Thu 24 Dec 2026, 19:00 UTC", "Balogun Market", "Come hungry.\nI pay.")
		a.ask(http.MethodGet, "/messages/ada", "tunde", nil).without(t, "/answer")
		theirs := a.ask(http.MethodGet, "/messages/tunde", "ada", nil)
		theirs.want(t, fiber.StatusOK, `action="/messages/tunde/answer"`, "I'll be there")
		a.ask(http.MethodGet, "/messages", "ada", nil).want(t, fiber.StatusOK, "Invitation: Chop at the buka")
	})
	t.Run("OKLocalWords", func(t *testing.T) {
		a, _ := newMannersTown(t)
		receive := func(verb, label, place string) {
			t.Helper()
			err := a.town.Receive(t.Context(), game.Message{ID: a.net.newID(), Owner: "tunde", With: "lena@" + testBerlin,
				Invite: &game.Invite{Verb: verb, Label: label, Place: place, PlaceKind: "fast_food"}})
			if err != nil {
				t.Fatal(err)
			}
		}
		receive("eat", "Currywurst am Imbiss", "place://"+testBerlin+"/mitte/imbiss")
		receive("x-berlin.chill", "Chill & grill < beer", "")
		a.ask(http.MethodGet, "/messages/lena@"+testBerlin, "tunde", nil).want(t, fiber.StatusOK,
			"<bdi>Chop at the buka</bdi>", "They call it <bdi>Currywurst am Imbiss</bdi>", "/places?place=place%3A%2F%2Fberlin.localhost%3A8082%2Fmitte%2Fimbiss", "Fast food",
			"<bdi>Chill &amp; grill &lt; beer</bdi>")
	})
	t.Run("OKAnswered", func(t *testing.T) {
		a, _ := newMannersTown(t)
		with := "lena@" + testBerlin
		if err := a.town.Receive(t.Context(), game.Message{ID: testInvite, Owner: "tunde", With: with, Invite: &game.Invite{Verb: "eat", Label: "Currywurst"}}); err != nil {
			t.Fatal(err)
		}
		got := a.ask(http.MethodPost, "/messages/"+with+"/answer", "tunde", url.Values{"id": {testInvite}, "answer": {"yes"}})
		if got.StatusCode != fiber.StatusSeeOther {
			t.Fatalf("%d: %s", got.StatusCode, got.text)
		}
		letters, err := a.town.Conversation(t.Context(), "tunde", with)
		if err != nil || len(letters) != 2 || letters[1].ReplyTo != testInvite || letters[1].Text != answerYes {
			t.Fatalf("%+v, %v", letters, err)
		}
		p := a.ask(http.MethodGet, "/messages/"+with, "tunde", nil)
		p.want(t, fiber.StatusOK, "You have answered", "In answer to <bdi>Currywurst</bdi>")
		p.without(t, `/answer"`)
	})
	t.Run("Err", func(t *testing.T) {
		a, _ := newMannersTown(t)
		a.ask(http.MethodPost, "/messages/ada/invite", "tunde", form("nothing", "", "Hello there")).want(t, fiber.StatusNotFound)
		a.ask(http.MethodPost, "/messages/ada/invite", "tunde", form("buka", "tomorrow", "Hello there")).want(t, fiber.StatusUnprocessableEntity, "a date we can read", "Hello there", `value="tomorrow"`)
		a.ask(http.MethodPost, "/messages/ada/invite", "tunde", form("buka", "2020-01-01T10:00", "")).want(t, fiber.StatusUnprocessableEntity, "has passed already")
		a.ask(http.MethodPost, "/messages/ghost/invite", "tunde", form("buka", "", "")).want(t, fiber.StatusUnprocessableEntity, "Nobody called")
		a.ask(http.MethodPost, "/messages/ada/answer", "tunde", url.Values{"id": {testInvite}, "answer": {"yes"}}).want(t, fiber.StatusNotFound)
	})
}

func TestPassport_Show(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		a, _ := newMannersTown(t)
		home, away, old := testTrip("tunde", nil), testTrip("tunde", nil), testTrip("tunde", nil)
		away.VisitID, home.Over = "01JA2B3C4D5E6F7G8H9J0K1M2P", true
		old.VisitID, old.Host, old.HostName, old.HostIcon, old.Over = "01JA2B3C4D5E6F7G8H9J0K1M2Q", "oslo.example", "Oslo", "⛷️", true
		a.net.trips = []platform.Trip{away, home, old}
		_, err := a.town.ReturnHome(t.Context(), "tunde", game.Homecoming{VisitID: home.VisitID, Host: home.Host, HostName: "Berlin", Reason: "left",
			Stayed: 12 * time.Minute, Stats: map[string]int{"fun": 9}, Verbs: []string{"eat", "x-berlin.chill", "photograph"}, Postcard: "Greetings & <love>"})
		if err != nil {
			t.Fatal(err)
		}
		p := a.ask(http.MethodGet, "/passport", "tunde", nil)
		p.want(t, fiber.StatusOK, `href="/postcards/`+home.VisitID, `href="/travel/`+away.VisitID, "You are there right now", "still in the post", "stayed 12 minutes",
			"Fun", "&#43;9", "> Eat<", "> Photograph<", "Greetings &amp; &lt;love&gt;", `aria-label="Stamp of Oslo"`, `aria-label="Stamp of Berlin"`, ">3<", ">2<")
		p.without(t, "chill")
		ids := map[string]bool{}
		for _, part := range strings.Split(p.text, ` id="`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			if ids[id] {
				t.Errorf("the id %q stands twice", id)
			}
			ids[id] = true
		}
	})
	t.Run("OKEmpty", func(t *testing.T) {
		a, _ := newMannersTown(t)
		a.ask(http.MethodGet, "/passport", "ada", nil).want(t, fiber.StatusOK, "still white", `href="/travel"`)
	})
}

func TestKeeper_Pages(t *testing.T) {
	become := func(t *testing.T, a *abroadTown, who string) {
		t.Helper()
		key, err := a.town.KeeperKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := a.ask(http.MethodPost, "/keeper", who, url.Values{"key": {key}})
		if got.StatusCode != fiber.StatusSeeOther || got.Header.Get("Location") != "/keeper" {
			t.Fatalf("%d: %s", got.StatusCode, got.text)
		}
	}
	post := func(t *testing.T, a *abroadTown, path string, form url.Values) {
		t.Helper()
		if got := a.ask(http.MethodPost, path, "tunde", form); got.StatusCode != fiber.StatusSeeOther {
			t.Fatalf("%s: %d: %s", path, got.StatusCode, got.text)
		}
	}
	t.Run("OKClaim", func(t *testing.T) {
		a, _ := newMannersTown(t)
		a.ask(http.MethodGet, "/keeper", "", nil).want(t, fiber.StatusOK, "Come in first")
		a.ask(http.MethodGet, "/keeper", "tunde", nil).want(t, fiber.StatusOK, `name="key"`, "keeper.js")
		a.ask(http.MethodPost, "/keeper", "tunde", url.Values{"key": {"guess"}}).want(t, fiber.StatusUnprocessableEntity, "opens nothing")
		become(t, a, "tunde")
		a.ask(http.MethodGet, "/keeper", "tunde", nil).want(t, fiber.StatusOK, "The gates", "Visitors in town", "<bdi>Lena</bdi>", "<bdi>Berlin</bdi>")
		a.ask(http.MethodGet, "/settings", "tunde", nil).want(t, fiber.StatusOK, `href="/keeper"`)
		a.ask(http.MethodGet, "/settings", "ada", nil).without(t, `href="/keeper"`)
	})
	t.Run("ErrOthers", func(t *testing.T) {
		a, f := newMannersTown(t)
		become(t, a, "tunde")
		a.ask(http.MethodGet, "/keeper", "ada", nil).want(t, fiber.StatusNotFound)
		a.ask(http.MethodGet, "/keeper", "", nil).want(t, fiber.StatusNotFound)
		for path, form := range map[string]url.Values{"/keeper/gates": {"closed": {"1"}}, "/keeper/bar": {"who": {testBerlin}, "on": {"1"}}, "/keeper/remove": {"visit": {testVisit}}} {
			a.ask(http.MethodPost, path, "ada", form).want(t, fiber.StatusNotFound)
			a.ask(http.MethodPost, path, "", form).want(t, fiber.StatusUnauthorized)
		}
		if g := a.town.Gates(); g.Closed || len(g.Games) > 0 || len(f.left) > 0 {
			t.Errorf("someone else moved the gates: %+v, %q", g, f.left)
		}
	})
	t.Run("OKGates", func(t *testing.T) {
		a, _ := newMannersTown(t)
		become(t, a, "tunde")
		post(t, a, "/keeper/gates", url.Values{"closed": {"1"}})
		a.ask(http.MethodGet, "/keeper", "tunde", nil).want(t, fiber.StatusOK, "Open the gates", "Closed")
		post(t, a, "/keeper/gates", url.Values{"closed": {"0"}})
		if a.town.Gates().Closed {
			t.Error("still closed")
		}
	})
	t.Run("OKBar", func(t *testing.T) {
		a, _ := newMannersTown(t)
		become(t, a, "tunde")
		post(t, a, "/keeper/bar", url.Values{"who": {testBerlin}, "on": {"1"}})
		a.ask(http.MethodGet, "/keeper", "tunde", nil).want(t, fiber.StatusOK, "Let in<span", "Towns kept out")
		a.ask(http.MethodGet, "/keeper", "tunde", nil).without(t, `<option`)
		post(t, a, "/keeper/bar", url.Values{"who": {testBerlin}, "on": {"0"}})
		a.ask(http.MethodPost, "/keeper/bar", "tunde", url.Values{"who": {"nowhere.example"}, "on": {"1"}}).want(t, fiber.StatusUnprocessableEntity, "No game on the network")
	})
	t.Run("OKRemove", func(t *testing.T) {
		a, f := newMannersTown(t)
		become(t, a, "tunde")
		post(t, a, "/keeper/remove", url.Values{"visit": {testVisit}, "away": {"on"}})
		if len(f.left) != 1 || f.left[0] != testVisit+" removed" {
			t.Fatalf("left %q", f.left)
		}
		a.ask(http.MethodGet, "/keeper", "tunde", nil).want(t, fiber.StatusOK, "No visitors just now", "lena@"+testBerlin)
		a.ask(http.MethodPost, "/keeper/remove", "tunde", url.Values{"visit": {testVisit}}).want(t, fiber.StatusConflict, "ended by itself")
	})
}

// TestVisitPage_Parting: the guest's page says why a visit is over, and only one
// that goes on elsewhere "moved".
func TestVisitPage_Parting(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	a.net.gone = sgip.Errorf(sgip.Forbidden, "this visit is over")
	for parting, want := range map[string]string{sgip.EndRemoved: "removed", sgip.EndIdle: "idle", sgip.EndExpired: "expired", "": "moved"} {
		a.net.parting = parting
		a.ask(http.MethodGet, "/visit/town", "bearer", nil, web.FragmentHeader, "town").want(t, fiber.StatusForbidden, `data-over="`+want+`"`)
	}
}

func TestSettings_Bio(t *testing.T) {
	a, _ := newMannersTown(t)
	got := a.ask(http.MethodPost, "/settings", "tunde", url.Values{"bio": {"Drives.\r\nSings."}, "discoverable": {"on"}})
	if got.StatusCode != fiber.StatusSeeOther {
		t.Fatalf("%d: %s", got.StatusCode, got.text)
	}
	me, err := a.town.Resident(t.Context(), "tunde")
	if err != nil || me.Bio != "Drives.\nSings." || !me.Discoverable {
		t.Fatalf("%+v, %v", me, err)
	}
	a.ask(http.MethodPost, "/settings", "tunde", url.Values{"bio": {"<b>me</b>"}}).want(t, fiber.StatusUnprocessableEntity, "No tags", "&lt;b&gt;me")
	if me, _ = a.town.Resident(t.Context(), "tunde"); !me.Discoverable {
		t.Error("half of a refused form was kept")
	}
}

// TestTrip_OverElsewhere: a page of a trip that has ended learns it by the part
// that it renews.
func TestTrip_OverElsewhere(t *testing.T) {
	a := newAbroadTown(t, testOrigin)
	trip := testTrip("tunde", nil)
	a.net.trips = []platform.Trip{trip}
	wake, stop := a.town.Subscribe("tunde")
	defer stop()
	a.ask(http.MethodGet, "/travel/"+testVisit, "tunde", nil, web.FragmentHeader, "purse").without(t, "data-trip-over")
	a.ask(http.MethodPost, "/travel/"+testVisit+"/close", "tunde", nil)
	select {
	case <-wake:
	case <-t.Context().Done():
		t.Fatal("nobody was woken")
	}
	a.ask(http.MethodGet, "/travel/"+testVisit, "tunde", nil, web.FragmentHeader, "purse").want(t, fiber.StatusOK, "data-trip-over")
}
