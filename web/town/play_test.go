package town

import (
	"crypto/rand"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/store"
	"sgip.example/starter/game/worlds"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/web"
)

// newHomeTown is one of the two towns with all its pages, as cmd mounts them,
// on a database of its own.
func newHomeTown(t *testing.T, world string, local bool) *abroadTown {
	t.Helper()
	ctx := t.Context()
	db, err := storage.Open(ctx, filepath.Join(t.TempDir(), "town.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := store.Migrate(ctx, db); err != nil {
		t.Fatal(err)
	}
	loaded, err := worlds.Load(world)
	if err != nil {
		t.Fatal(err)
	}
	loaded.World.Words = Words(loaded.World)
	a := &abroadTown{t: t, origin: "http://lagos.localhost:8081", now: testNow()}
	clock := func() time.Time { return a.now }
	a.town = game.New(loaded.World, store.New(db), db.InTx, clock, func() string { return ulid.Make().String() }, rand.Reader)
	if err := a.town.Seed(ctx); err != nil {
		t.Fatal(err)
	}
	if a.app, err = web.New(web.Options{Origin: a.origin, Name: loaded.World.Name}); err != nil {
		t.Fatal(err)
	}
	if err := Mount(a.app, Config{Town: a.town, Origin: a.origin, Local: local, Clock: clock}); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPlay_Show(t *testing.T) {
	for _, world := range []string{"lagos", "berlin"} {
		t.Run("OK "+world, func(t *testing.T) {
			a := newHomeTown(t, world, true)
			w := a.town.World()
			me := w.Demo[0]
			page := a.ask("GET", "/play", me.Handle, nil)
			page.want(t, 200, me.Name, w.Place(me.Place).Name, `id="me-pin"`, `data-count="wallet"`, `action="/play/do"`, `id="stat-hunger"`)
			for _, p := range w.Places {
				page.want(t, 200, `id="pin-`+p.Slug+`"`)
			}
			if m := regexp.MustCompile(`<script>|<style|\sstyle="|\son[a-z]+="|https?://`).FindString(strings.ReplaceAll(page.text, "http://www.w3.org/", "")); m != "" {
				t.Errorf("the page holds %q, which its policy forbids", m)
			}
		})
	}
	t.Run("OK money as people write it", func(t *testing.T) {
		a := newHomeTown(t, "lagos", true)
		a.ask("POST", "/play/do", "tunde", url.Values{"activity": {"gala"}}).want(t, 303)
		page := a.ask("GET", "/play", "tunde", nil)
		page.want(t, 200, "Gala and a cold drink: ₦700.")
		page.without(t, "NGN")
	})
	t.Run("OK part alone", func(t *testing.T) {
		a := newHomeTown(t, "lagos", true)
		part := a.ask("GET", "/play", "tunde", nil, web.FragmentHeader, "town")
		part.want(t, 200, `id="pane-here"`)
		part.without(t, "<!doctype", `id="tab-here"`)
		part.want(t, 200, "m-ground")
		a.ask("GET", "/play", "tunde", nil, web.FragmentHeader, "town", web.KeepHeader, "map-land").without(t, "m-ground")
	})
	t.Run("OK place picked on the map", func(t *testing.T) {
		a := newHomeTown(t, "lagos", true)
		a.ask("GET", "/play?to=balogun", "tunde", nil).want(t, 200, `id="chosen-name">Balogun Market`, `name="place" value="balogun"`)
		a.ask("GET", "/play?to=nowhere", "tunde", nil).without(t, "chosen-name")
	})
	t.Run("Err nobody", func(t *testing.T) {
		a := newHomeTown(t, "lagos", true)
		page := a.ask("GET", "/play", "", nil)
		page.want(t, 303)
		if page.Header.Get("Location") != "/sign-in" {
			t.Error(page.Header.Get("Location"))
		}
		a.ask("GET", "/play/live", "", nil, "Accept", "text/event-stream").want(t, 401)
		a.ask("POST", "/play/do", "", url.Values{"activity": {"x"}}).want(t, 401)
	})
}

func TestPlay_Do(t *testing.T) {
	a := newHomeTown(t, "lagos", true)
	view, err := a.town.View(t.Context(), "tunde")
	if err != nil {
		t.Fatal(err)
	}
	var pays game.Option
	for _, o := range view.Options {
		if o.Can && o.Price > 0 {
			pays = o
		}
	}
	t.Run("Err unknown", func(t *testing.T) {
		a.ask("POST", "/play/do", "tunde", url.Values{"activity": {"fly"}}).want(t, 404, "Not this time")
	})
	t.Run("Err foreign origin", func(t *testing.T) {
		a.ask("POST", "/play/do", "tunde", url.Values{"activity": {pays.Activity.ID}}, "Origin", "http://berlin.localhost:8082").want(t, 403)
	})
	t.Run("OK", func(t *testing.T) {
		page := a.ask("POST", "/play/do", "tunde", url.Values{"activity": {pays.Activity.ID}})
		page.want(t, 303)
		if page.Header.Get("Location") != "/play" {
			t.Error(page.Header.Get("Location"))
		}
		left := web.FormatMoney(view.Balance-pays.Price, "NGN", a.town.World().Language)
		a.ask("GET", "/play", "tunde", nil).want(t, 200, left, `id="now"`, pays.Activity.Label)
	})
	t.Run("Err busy", func(t *testing.T) {
		a.ask("POST", "/play/do", "tunde", url.Values{"activity": {pays.Activity.ID}}).want(t, 409, "Not this time", "still busy")
	})
}

func TestPlay_Go(t *testing.T) {
	a := newHomeTown(t, "lagos", true)
	a.ask("POST", "/play/go", "tunde", url.Values{"place": {"balogun"}, "mode": {"walk"}}).want(t, 303)
	a.ask("GET", "/play", "tunde", nil).want(t, 200, "On the way to Balogun Market", `class="m-trail"`, `data-trail="M`)
	a.now = a.now.Add(10 * time.Minute)
	page := a.ask("GET", "/play", "tunde", nil)
	page.want(t, 200, "Balogun Market, you are here")
	page.without(t, "m-trail")
	a.ask("POST", "/play/go", "tunde", url.Values{"place": {"atlantis"}, "mode": {"walk"}}).want(t, 404)
}

func TestLanding_PlayAs(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		a := newHomeTown(t, "lagos", true)
		a.ask("GET", "/", "", nil).want(t, 200, "Lagos", "Walk in as", `value="tunde"`, "Tunde")
		page := a.ask("POST", "/play-as", "", url.Values{"handle": {"tunde"}})
		page.want(t, 303)
		cookies := page.Cookies()
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].Value == "" {
			t.Fatal(cookies)
		}
		a.ask("GET", "/", "tunde", nil).want(t, 200, "Go on as Tunde")
	})
	t.Run("Err nobody by that name", func(t *testing.T) {
		newHomeTown(t, "lagos", true).ask("POST", "/play-as", "", url.Values{"handle": {"lena"}}).want(t, 404)
	})
	t.Run("Err outside local mode", func(t *testing.T) {
		a := newHomeTown(t, "lagos", false)
		a.ask("GET", "/", "", nil).without(t, "Walk in as")
		page := a.ask("POST", "/play-as", "", url.Values{"handle": {"tunde"}})
		page.want(t, 404)
		if len(page.Cookies()) != 0 {
			t.Fatal("a session was given")
		}
	})
}

func TestAccount_SignUp(t *testing.T) {
	a := newHomeTown(t, "lagos", true)
	form := url.Values{"name": {"Bisi & Co"}, "handle": {"bisi"}, "password": {"a long enough one"}}
	t.Run("Err short password, typed things stay", func(t *testing.T) {
		page := a.ask("POST", "/sign-up", "", url.Values{"name": form["name"], "handle": form["handle"], "password": {"abc"}})
		page.want(t, 422, `role="alert"`, "Bisi &amp; Co", `value="bisi"`)
		page.without(t, "abc")
	})
	t.Run("OK", func(t *testing.T) {
		page := a.ask("POST", "/sign-up", "", form)
		page.want(t, 200, "Keep these codes")
		if len(page.Cookies()) != 1 || page.Header.Get("Cache-Control") != "no-store" {
			t.Fatal(page.Header)
		}
	})
	t.Run("Err taken", func(t *testing.T) { a.ask("POST", "/sign-up", "", form).want(t, 422, `role="alert"`) })
	t.Run("Err wrong password", func(t *testing.T) {
		page := a.ask("POST", "/sign-in", "", url.Values{"handle": {"bisi"}, "password": {"not that one at all"}})
		page.want(t, 422, `role="alert"`)
		if len(page.Cookies()) != 0 {
			t.Fatal("a session was given")
		}
	})
	t.Run("OK sign in", func(t *testing.T) {
		a.ask("POST", "/sign-in", "", url.Values{"handle": {"bisi"}, "password": form["password"]}).want(t, 303)
	})
}

func TestAccount_Settings(t *testing.T) {
	a := newHomeTown(t, "lagos", true)
	for _, on := range []bool{false, true} {
		form := url.Values{}
		if on {
			form.Set("discoverable", "on")
		}
		a.ask("POST", "/settings", "tunde", form).want(t, 303)
		me, err := a.town.Resident(t.Context(), "tunde")
		if err != nil || me.Discoverable != on {
			t.Fatalf("discoverable %v, want %v (%v)", me.Discoverable, on, err)
		}
	}
	t.Run("OK signed out for good", func(t *testing.T) {
		token, err := a.town.PlayAs(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		a.ask("POST", "/sign-out", "", nil, "Cookie", sessionCookie+"="+token).want(t, 303)
		a.ask("GET", "/play", "", nil, "Cookie", sessionCookie+"="+token).want(t, 303)
	})
}
