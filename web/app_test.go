package web_test

import (
	"compress/gzip"
	"context"
	"errors"
	"html/template"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/goleak"

	"sgip.example/starter/web"
)

const origin = "http://lagos.localhost:8081"

func newApp(t *testing.T) *web.App {
	t.Helper()
	a, err := web.New(web.Options{Origin: origin, Name: "Lagos", Machine: func(path string) bool { return path == "/sgip/inbox" }})
	if err != nil {
		t.Fatal(err)
	}
	pages := fstest.MapFS{"desk.html": {Data: []byte(`{{define "desk-title"}}Desk of {{.}}{{end}}{{define "desk"}}<main id="town">{{template "desk-town" .}}</main>{{end}}{{define "desk-town"}}<p>{{.}} is here</p>{{end}}`)}}
	if err := a.MountTemplates(pages, template.FuncMap{}); err != nil {
		t.Fatal(err)
	}
	r := a.Fiber()
	r.Get("/desk", func(c *fiber.Ctx) error { return a.Render(c, 200, "desk", "Tunde <b>") })
	r.Post("/desk", func(c *fiber.Ctx) error { return c.Redirect("/desk", 303) })
	r.Post("/sgip/inbox", func(c *fiber.Ctx) error { return c.SendString("taken") })
	r.Get("/break", func(*fiber.Ctx) error { return errors.New("wallet of tunde: disk full") })
	r.Get("/panic", func(*fiber.Ctx) error { panic("secret") })
	r.Get("/framed", func(c *fiber.Ctx) error {
		web.SetPolicy(c, web.Policy{FrameAncestors: []string{"http://berlin.localhost:8082"}, OpenerPolicy: "unsafe-none", Referrer: "no-referrer"})
		return a.RenderBare(c, 200, "desk", "Lena")
	})
	return a
}

func ask(t *testing.T, a *web.App, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = "lagos.localhost:8081"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := a.Fiber().Test(r, -1)
	if err != nil {
		t.Fatal(err)
	}
	body := io.Reader(answer.Body)
	if answer.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(answer.Body); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

func TestNew_Refuse(t *testing.T) {
	for _, bad := range []string{"", "lagos.localhost", "http://lagos.localhost/path", "://"} {
		if _, err := web.New(web.Options{Origin: bad}); err == nil {
			t.Errorf("origin %q was taken", bad)
		}
	}
}

func TestRender_Answer(t *testing.T) {
	a := newApp(t)
	t.Run("OK whole page, escaped, titled", func(t *testing.T) {
		answer, body := ask(t, a, "GET", "/desk")
		if answer.StatusCode != 200 || !strings.Contains(body, "<title>Desk of Tunde &lt;b&gt;</title>") || !strings.Contains(body, "Tunde &lt;b&gt; is here") {
			t.Fatalf("%d %s", answer.StatusCode, body)
		}
	})
	t.Run("OK fragment alone", func(t *testing.T) {
		answer, body := ask(t, a, "GET", "/desk", "X-Fragment", "town")
		if body != "<p>Tunde &lt;b&gt; is here</p>" || answer.Header.Get("X-Fragment") != "town" {
			t.Fatalf("%q %q", answer.Header.Get("X-Fragment"), body)
		}
	})
	for _, id := range []string{"nowhere", "../layout", "TOWN", strings.Repeat("a", 40)} {
		t.Run("Err fragment "+id, func(t *testing.T) {
			answer, body := ask(t, a, "GET", "/desk", "X-Fragment", id)
			if !strings.HasPrefix(body, "<!doctype html>") || answer.Header.Get("X-Fragment") != "" {
				t.Fatalf("fragment %q gave %q", id, body)
			}
		})
	}
}

func TestHeaders_Strict(t *testing.T) {
	a := newApp(t)
	answer, _ := ask(t, a, "GET", "/desk")
	csp := answer.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'self'", "frame-ancestors 'none'", "frame-src 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("policy %q lacks %q", csp, want)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(csp, "data:") {
		t.Errorf("policy is loose: %q", csp)
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store", "X-Frame-Options": ""} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	t.Run("OK page of its own policy", func(t *testing.T) {
		answer, _ := ask(t, a, "GET", "/framed")
		if !strings.Contains(answer.Header.Get("Content-Security-Policy"), "frame-ancestors http://berlin.localhost:8082") ||
			answer.Header.Get("Cross-Origin-Opener-Policy") != "unsafe-none" || answer.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Fatal(answer.Header)
		}
	})
	t.Run("OK errors are as strict", func(t *testing.T) {
		answer, _ := ask(t, a, "GET", "/nowhere")
		if !strings.Contains(answer.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Fatal(answer.Header)
		}
	})
}

func TestCheckOrigin_Post(t *testing.T) {
	a := newApp(t)
	for _, c := range []struct {
		name, origin, host, forwarded string
		status                        int
	}{
		{"OK own", origin, "", "", 303},
		{"Err none", "", "", "", 403},
		{"Err null", "null", "", "", 403},
		{"Err other", "http://berlin.localhost:8082", "", "", 403},
		{"Err prefix", origin + ".evil.example", "", "", 403},
		{"Err other port", "http://lagos.localhost:80811", "", "", 403},
		{"Err other scheme", "https://lagos.localhost:8081", "", "", 403},
		{"Err rebound host", "http://evil.example", "evil.example", "", 421},
		{"Err host doesn't vouch for the origin", "http://evil.example", "evil.example", "lagos.localhost:8081", 421},
		{"Err forwarded host isn't believed", "http://evil.example", "", "evil.example", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			headers := []string{}
			if c.origin != "" {
				headers = append(headers, "Origin", c.origin)
			}
			if c.host != "" {
				headers = append(headers, "Host", c.host)
			}
			if c.forwarded != "" {
				headers = append(headers, "X-Forwarded-Host", c.forwarded)
			}
			if answer, _ := ask(t, a, "POST", "/desk", headers...); answer.StatusCode != c.status {
				t.Fatalf("status %d, want %d", answer.StatusCode, c.status)
			}
		})
	}
	t.Run("OK machine path proves itself otherwise", func(t *testing.T) {
		answer, body := ask(t, a, "POST", "/sgip/inbox", "Host", "10.0.0.1:9")
		if answer.StatusCode != 200 || body != "taken" || answer.Header.Get("Content-Security-Policy") != "" {
			t.Fatalf("%d %q", answer.StatusCode, body)
		}
	})
	t.Run("Err GET under another name", func(t *testing.T) {
		if answer, _ := ask(t, a, "GET", "/desk", "Host", "evil.example"); answer.StatusCode != 421 {
			t.Fatal(answer.StatusCode)
		}
	})
}

func TestFail_Words(t *testing.T) {
	a := newApp(t)
	for _, c := range []struct {
		path, says, hides string
		status            int
	}{
		{"/nowhere", "leads nowhere", "", 404},
		{"/DESK", "leads nowhere", "", 404},
		{"/desk/", "leads nowhere", "", 404},
		{"/break", "broke on our side", "disk full", 500},
		{"/panic", "broke on our side", "secret", 500},
	} {
		answer, body := ask(t, a, "GET", c.path)
		if answer.StatusCode != c.status || !strings.Contains(body, c.says) || c.hides != "" && strings.Contains(body, c.hides) {
			t.Errorf("%s: %d %s", c.path, answer.StatusCode, body)
		}
	}
}

func TestAssets_Serve(t *testing.T) {
	a := newApp(t)
	address := a.Asset("paper.css")
	t.Run("OK for ever by its hash, packed", func(t *testing.T) {
		answer, body := ask(t, a, "GET", address, "Accept-Encoding", "gzip")
		if answer.Header.Get("Content-Encoding") != "gzip" || !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") || !strings.Contains(body, "--paper:") {
			t.Fatal(answer.Header)
		}
	})
	t.Run("OK asked again", func(t *testing.T) {
		first, _ := ask(t, a, "GET", "/assets/paper.css")
		again, body := ask(t, a, "GET", "/assets/paper.css", "If-None-Match", first.Header.Get("ETag"))
		if first.Header.Get("Cache-Control") != "no-cache" || again.StatusCode != 304 || body != "" {
			t.Fatal(again.StatusCode, body)
		}
	})
	t.Run("OK made at start", func(t *testing.T) {
		a.AddAsset("town.css", []byte(":root{}"))
		if answer, body := ask(t, a, "GET", a.Asset("town.css")); body != ":root{}" || answer.Header.Get("Content-Type") != "text/css; charset=utf-8" {
			t.Fatal(answer.Header, body)
		}
	})
	for _, path := range []string{"/assets/nothing.css", "/assets/../app.go", "/assets/%2e%2e/app.go", "/assets/"} {
		if answer, _ := ask(t, a, "GET", path); answer.StatusCode != 404 {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
}

// TestStream_End runs a real server: a stream must wake its reader, end when
// the house closes, and leave nothing running.
func TestStream_End(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"), goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, err := web.New(web.Options{Origin: "http://" + listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	wake, stopped := make(chan struct{}, 1), make(chan struct{})
	a.Fiber().Get("/live", func(c *fiber.Ctx) error { return a.Stream(c, wake, func() { close(stopped) }) })
	served := make(chan error, 1)
	go func() { served <- a.Fiber().Listener(listener) }()
	client := &http.Client{Timeout: 20 * time.Second}
	defer client.CloseIdleConnections()
	answer, err := client.Get("http://" + listener.Addr().String() + "/live")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	wake <- struct{}{}
	heard := make([]byte, 0, 64)
	for !strings.Contains(string(heard), "event: ping\n") {
		part := make([]byte, 64)
		n, err := answer.Body.Read(part)
		if heard = append(heard, part[:n]...); err != nil {
			t.Fatalf("stream ended after %q: %v", heard, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := a.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	<-stopped
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

func TestFormatMoney_Write(t *testing.T) {
	for _, c := range []struct {
		amount         int64
		code, lang, as string
	}{
		{500000, "NGN", "en", "₦5,000"},
		{500050, "NGN", "en", "₦5,000.50"},
		{450, "EUR", "en", "€4.50"},
		{123456789, "EUR", "de", "1.234.567,89 €"},
		{1500, "JPY", "en", "¥1,500"},
		{1500, "KWD", "en", "KWD 1.500"},
		{-450, "EUR", "en", "-€4.50"},
		{5, "EUR", "en", "€0.05"},
		{0, "NGN", "en", "₦0"},
		{1234, "lagos:cowrie_shell", "en", "1,234 cowrie shell"},
		{-1234, "lagos:cowrie", "en", "−1,234 cowrie"},
		{9007199254740991, "EUR", "en", "€90,071,992,547,409.91"},
	} {
		if got := web.FormatMoney(c.amount, c.code, c.lang); strings.ReplaceAll(got, "\u00a0", " ") != c.as {
			t.Errorf("%d %s in %s: %q, want %q", c.amount, c.code, c.lang, got, c.as)
		}
	}
}
