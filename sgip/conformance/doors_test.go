package conformance_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/conformance"
	"sgip.example/starter/sgip/outbound"
)

func TestReadDoors(t *testing.T) {
	own := newSigner("lagos").Public
	const small = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	good := `{"inbox":"https://lagos.example/in","visit":"https://www.lagos.example/visit?x=1","public_keys":["` + own.Text + `","junk","` + small + `"],
		"capabilities":["hub.ping@1"],"name":7}`
	t.Run("OK", func(t *testing.T) {
		d, err := conformance.ReadDoors(sgip.Mode{}, "lagos.example", []byte(good))
		must(t, err)
		if d.Inbox != "https://lagos.example/in" || d.Visit != "https://www.lagos.example/visit?x=1" || len(d.Capabilities) != 1 {
			t.Errorf("got %+v", d)
		}
		if len(d.Keys) != 1 || d.Keys[0].ID != own.ID {
			t.Errorf("got %v, want the good one of three", d.Keys)
		}
	})
	for _, c := range []struct{ name, body, want string }{
		{"ErrNotJSON", "hello", "isn't one JSON object"},
		{"ErrTwice", `{"inbox":"https://lagos.example/in","inbox":"https://evil.example/in","visit":"https://lagos.example/v"}`, "isn't one JSON object"},
		{"ErrTooLarge", `{"x":"` + strings.Repeat("x", sgip.MaxBody) + `"}`, "65536"},
		{"ErrNoInbox", `{"visit":"https://lagos.example/v"}`, "inbox must be a URL"},
		{"ErrInboxElsewhere", strings.Replace(good, "lagos.example/in", "evil-lagos.example/in", 1), "inbox must be on lagos.example"},
		{"ErrInboxPlain", strings.Replace(good, "https://lagos.example/in", "http://lagos.example/in", 1), "inbox must be https"},
		{"ErrVisitElsewhere", strings.Replace(good, "www.lagos.example", "lagos.example.evil.com", 1), "visit must be on lagos.example"},
		{"ErrVisitOfAnotherKind", `{"inbox":"https://lagos.example/in","visit":{}}`, "visit must be a URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := conformance.ReadDoors(sgip.Mode{}, "lagos.example", []byte(c.body))
			if sgip.CodeOf(err) != sgip.InvalidPayload || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something on %q", err, c.want)
			}
		})
	}
}

// A descriptor can't send the checks to someone else.
func TestSuite_RunSendsNothingElsewhere(t *testing.T) {
	bystander := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s came to a bystander", r.Method, r.URL.Path)
	}))
	defer bystander.Close()
	elsewhere := strings.Replace(bystander.URL, "127.0.0.1", "berlin.localhost", 1)
	g := newGame(t)
	g.descend = func(d *sgip.Descriptor) { d.Inbox, d.Visit = elsewhere+"/in", elsewhere+"/visit" }
	report := g.check(t)
	for _, c := range report.Checks {
		door := "inbox"
		if strings.HasPrefix(c.Name, "visit_") {
			door = "visit"
		}
		if c.Passed || !strings.Contains(c.Detail, door+" must be on lagos.localhost") {
			t.Errorf("%+v", c)
		}
	}
	if report.Conforms {
		t.Error("it conforms")
	}
}

func TestSuite_RunGivesUp(t *testing.T) {
	g := newGame(t)
	g.flaw = func(_ *game, _ http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.URL.Path == "/visit" {
			<-r.Context().Done() // until the other side hangs up
		}
		return r.URL.Path == "/visit"
	}
	for _, c := range g.check(t).Checks {
		slow := strings.HasPrefix(c.Name, "visit_")
		if c.Passed == slow || slow && c.Detail != "the page didn't come within 4 seconds" {
			t.Errorf("%+v", c)
		}
	}
}

func TestSuite_Fetch(t *testing.T) {
	t.Run("OKRedirect", func(t *testing.T) { // comes back as it is, for the check to judge
		g := newGame(t)
		g.flaw = func(_ *game, w http.ResponseWriter, r *http.Request, _ []byte) bool {
			http.Redirect(w, r, "/elsewhere.json", http.StatusFound)
			return true
		}
		served, err := g.suite(t).Fetch(t.Context(), g.platform)
		must(t, err)
		if served.Status != http.StatusFound {
			t.Errorf("status %d", served.Status)
		}
	})
	t.Run("ErrTooLarge", func(t *testing.T) {
		g := newGame(t)
		g.flaw = func(_ *game, w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			w.Write(make([]byte, sgip.MaxBody+1))
			return true
		}
		wantOffline(t, g.suite(t), g.platform, "is too large")
	})
	t.Run("ErrEncoded", func(t *testing.T) {
		g := newGame(t)
		g.flaw = func(_ *game, w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			w.Header().Set("Content-Encoding", "gzip")
			return true
		}
		wantOffline(t, g.suite(t), g.platform, "Content-Encoding")
	})
	t.Run("ErrBroken", func(t *testing.T) {
		g := newGame(t)
		g.flaw = func(*game, http.ResponseWriter, *http.Request, []byte) bool { panic(http.ErrAbortHandler) }
		wantOffline(t, g.suite(t), g.platform, "broke")
	})
	t.Run("ErrNobody", func(t *testing.T) {
		server := httptest.NewServer(nil)
		platform := strings.Replace(strings.TrimPrefix(server.URL, "http://"), "127.0.0.1", "lagos.localhost", 1)
		server.Close()
		wantOffline(t, newGame(t).suite(t), platform, "nobody listens")
	})
	t.Run("ErrUntrusted", func(t *testing.T) {
		server := httptest.NewUnstartedServer(nil)
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // it would tell of the client that hangs up
		server.StartTLS()
		defer server.Close()
		s := conformance.Suite{Client: resolving(t, strings.TrimPrefix(server.URL, "https://"))}
		wantOffline(t, s, "lagos.test", "certificate isn't accepted")
	})
	t.Run("ErrNotPublic", func(t *testing.T) {
		s := newGame(t).suite(t)
		s.Mode = sgip.Mode{} // https
		client, err := outbound.New(outbound.Options{Clock: time.Now})
		must(t, err)
		s.Client = client
		wantOffline(t, s, "localhost", "public address")
	})
}

// resolving is a client outside local mode that finds lagos.test at an address.
func resolving(t *testing.T, address string) *outbound.Client {
	t.Helper()
	client, err := outbound.New(outbound.Options{Clock: time.Now, Resolve: map[string]string{"lagos.test": address}})
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

func wantOffline(t *testing.T, s conformance.Suite, platform, want string) {
	t.Helper()
	_, err := s.Fetch(t.Context(), platform)
	if sgip.CodeOf(err) != sgip.PlatformOffline || !strings.Contains(sgip.AsError(err).Message, want) {
		t.Errorf("got %v, want something on %q", err, want)
	}
}
