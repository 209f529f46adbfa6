package fiberhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/fiberhttp"
)

func TestInbox_Copies(t *testing.T) {
	r := &recorder{}
	addr := serve(t, func(app *fiber.App) {
		app.All("/sgip/*", func(c *fiber.Ctx) error {
			_ = c.OriginalURL() // what reads the target first must not change it
			_ = c.Path()
			return c.Next()
		})
		app.All("/sgip/inbox/:x", fiberhttp.Inbox(r))
	})
	conn, in := dial(t, addr)
	for n := range 50 { // one connection: its memory is used again and again
		body := fmt.Sprintf(`{"n":"%030d"}`, n)
		if _, err := fmt.Fprintf(conn, "POST /sgip/inbox/%%7e%03d?q=%d HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nsgip-signature:  a%d \r\n"+
			"SGIP-Signature: b%d\r\nContent-Length: %d\r\n\r\n%s", n, n, n, n, len(body), body); err != nil {
			t.Fatal(err)
		}
		if a := readAnswer(t, in); a.status != 200 {
			t.Fatal(a)
		}
	}
	for n, q := range r.seen {
		want := exchange.Request{
			Method: "POST", Target: fmt.Sprintf("/sgip/inbox/%%7e%03d?q=%d", n, n), Signatures: []string{fmt.Sprint("a", n), fmt.Sprint("b", n)},
			ContentTypes: []string{"application/json"}, ContentLengths: []string{fmt.Sprint(38)}, Body: []byte(fmt.Sprintf(`{"n":"%030d"}`, n)),
			Source: "127.0.0.1",
		}
		if fmt.Sprint(q) != fmt.Sprint(want) {
			t.Fatalf("request %d has become\n%+v, want\n%+v", n, q, want)
		}
	}
}

func TestInbox_Raw(t *testing.T) {
	r := &recorder{}
	addr := serve(t, func(app *fiber.App) { app.All("/sgip/inbox", fiberhttp.Inbox(r)) })
	const head = "POST /sgip/inbox HTTP/1.1\r\nHost: x\r\n"

	t.Run("OK chunked", func(t *testing.T) {
		raw(t, addr, head+"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n1\r\n \r\n0\r\n\r\n").want(t, 200, "")
		if q := r.last(t); !q.TransferEncoding || len(q.ContentLengths) != 0 || string(q.Body) != "{} " {
			t.Errorf("%+v", q)
		}
	})
	t.Run("OK every header twice", func(t *testing.T) {
		raw(t, addr, head+"Content-Type: application/json\r\ncontent-type: text/plain\r\nContent-Encoding: gzip\r\nContent-Encoding: br\r\n"+
			"Content-Length: 2\r\n\r\n{}").want(t, 200, "")
		q := r.last(t)
		if !slices.Equal(q.ContentTypes, []string{"application/json", "text/plain"}) || !slices.Equal(q.ContentEncodings, []string{"gzip", "br"}) {
			t.Errorf("%+v", q)
		}
	})
	t.Run("OK folded header", func(t *testing.T) {
		raw(t, addr, head+"SGIP-Signature: a=1,\r\n b=2\r\nContent-Length: 0\r\n\r\n")
		if q := r.last(t); !slices.Equal(q.Signatures, []string{"a=1, b=2"}) {
			t.Errorf("%+v", q)
		}
	})
	t.Run("OK a compressed body is left as it is", func(t *testing.T) {
		raw(t, addr, head+"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00").want(t, 200, "")
		if q := r.last(t); string(q.Body) != "\x1f\x8b\x08\x00" {
			t.Errorf("%q", q.Body)
		}
	})
	t.Run("OK the address isn't taken from a header", func(t *testing.T) {
		raw(t, addr, head+"X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Host: evil.example\r\nContent-Length: 0\r\n\r\n")
		if q := r.last(t); q.Source != "127.0.0.1" {
			t.Errorf("%+v", q)
		}
	})
	t.Run("OK header of 5,000 bytes", func(t *testing.T) {
		raw(t, addr, head+"X: "+strings.Repeat("x", 5000)+"\r\nContent-Length: 2\r\n\r\n{}").want(t, 200, "")
	})
	t.Run("OK 64 KiB", func(t *testing.T) {
		raw(t, addr, fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, sgip.MaxBody, strings.Repeat(" ", sgip.MaxBody))).want(t, 200, "")
	})
}

func TestInbox_Refuses(t *testing.T) {
	in := exchange.NewInbox(exchange.InboxConfig{Self: "berlin.example", Keys: nobody{}, Path: "/sgip/inbox", Clock: time.Now})
	addr := serve(t, func(app *fiber.App) { app.All("/sgip/inbox", fiberhttp.Inbox(in)) })
	const post, kind = "POST /sgip/inbox HTTP/1.1\r\nHost: x\r\n", "Content-Type: application/json\r\n"
	for name, c := range map[string]struct {
		text   string
		status int
		code   sgip.Code
	}{
		"capitals":         {"POST /SGIP/inbox HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404, sgip.NotFound},
		"slash":            {"POST /sgip/inbox/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404, sgip.NotFound},
		"GET":              {"GET /sgip/inbox HTTP/1.1\r\nHost: x\r\n\r\n", 404, sgip.NotFound},
		"absolute":         {"POST http://x/sgip/inbox HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 400, sgip.InvalidPayload},
		"two slashes":      {"POST //sgip/inbox HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 400, sgip.InvalidPayload},
		"escaped path":     {"POST /sgip/%69nbox HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404, sgip.NotFound},
		"host as path":     {"POST example.org:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 400, sgip.InvalidPayload},
		"dots":             {"POST /x/../sgip/inbox HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 404, sgip.NotFound},
		"too large":        {fmt.Sprintf("%s%sContent-Length: %d\r\n\r\n", post, kind, sgip.MaxBody+1), 413, sgip.InvalidPayload},
		"too large chunks": {fmt.Sprintf("%s%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", post, kind, sgip.MaxBody+1, strings.Repeat(" ", sgip.MaxBody+1)), 413, sgip.InvalidPayload},
		"header too large": {post + "X: " + strings.Repeat("x", 20_000) + "\r\nContent-Length: 0\r\n\r\n", 400, sgip.InvalidPayload},
		"length no number": {post + kind + "Content-Length: 2x\r\n\r\n{}", 400, sgip.InvalidPayload},
		"negative length":  {post + kind + "Content-Length: -2\r\n\r\n{}", 400, sgip.InvalidPayload},
		"no type":          {post + "Content-Length: 2\r\n\r\n{}", 400, sgip.InvalidPayload},
		"two types":        {post + kind + kind + "Content-Length: 2\r\n\r\n{}", 400, sgip.InvalidPayload},
		"encoding":         {post + kind + "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}", 400, sgip.InvalidPayload},
		"unsigned":         {post + kind + "Content-Length: 2\r\n\r\n{}", 401, sgip.BadSignature},
	} {
		t.Run("Err "+name, func(t *testing.T) { raw(t, addr, c.text).want(t, c.status, c.code) })
	}
}

// TestInbox_Smuggling: where two lengths disagree, what one of them leaves over
// is not taken for another request.
func TestInbox_Smuggling(t *testing.T) {
	r := &recorder{}
	addr := serve(t, func(app *fiber.App) {
		in := exchange.NewInbox(exchange.InboxConfig{Self: "berlin.example", Keys: nobody{}, Clock: time.Now})
		app.All("/sgip/inbox", fiberhttp.Inbox(in))
		app.All("/smuggled", fiberhttp.Inbox(r))
	})
	const head = "POST /sgip/inbox HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	const smuggled = "POST /smuggled HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
	for name, text := range map[string]string{
		"two lengths":          fmt.Sprintf("%sContent-Length: %d\r\nContent-Length: 0\r\n\r\n%s", head, len(smuggled), smuggled),
		"two equal lengths":    head + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n" + smuggled,
		"length before chunks": fmt.Sprintf("%sContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n%s", head, len(smuggled)+5, smuggled),
		"chunks before length": fmt.Sprintf("%sTransfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n%s", head, len(smuggled)+5, smuggled),
		"length and identity":  fmt.Sprintf("%sTransfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n%s", head, smuggled),
	} {
		t.Run("Err "+name, func(t *testing.T) {
			conn, in := dial(t, addr)
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
			a := readAnswer(t, in)
			a.want(t, 400, sgip.InvalidPayload)
			if !a.close {
				t.Error("the connection stays open")
			}
			if rest, _ := io.ReadAll(in); len(rest) > 0 {
				t.Errorf("a second answer: %s", rest)
			}
			if len(r.seen) > 0 {
				t.Errorf("smuggled: %+v", r.seen)
			}
		})
	}
}

// TestConfig_Drip: a body that drips doesn't hold its connection for ever.
func TestConfig_Drip(t *testing.T) {
	r := &recorder{}
	config := fiberhttp.Config(slog.New(slog.DiscardHandler))
	if config.ReadTimeout <= 0 || config.IdleTimeout <= 0 {
		t.Fatal("no time-outs")
	}
	config.ReadTimeout = 50 * time.Millisecond
	addr := serveWith(t, config, func(app *fiber.App) { app.All("/sgip/inbox", fiberhttp.Inbox(r)) })
	raw(t, addr, "POST /sgip/inbox HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{").want(t, 400, sgip.InvalidPayload)
	if len(r.seen) > 0 {
		t.Error("half a request reached the inbox")
	}
}

func TestMachine_Act(t *testing.T) {
	machine := fiberhttp.Machine("/ops", "/.well-known/sgip-hub.json")
	for path, want := range map[string]bool{
		"/ops": true, "/OPS": true, "/ops/": true, "/.well-known/sgip-hub.json": true, "/": false, "": false, "/ops/x": false, "/play": false,
	} {
		if machine(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

func TestJSON_Act(t *testing.T) {
	fault := errors.New("disk: secret path")
	addr := serve(t, func(app *fiber.App) {
		app.Get("/good", fiberhttp.JSON(func(context.Context) ([]byte, error) { return []byte(`{"sgip":"0.1"}`), nil }))
		app.Get("/bad", fiberhttp.JSON(func(context.Context) ([]byte, error) { return nil, fault }))
		app.Get("/script.js", fiberhttp.Script([]byte("// hello")))
	})
	t.Run("OK", func(t *testing.T) {
		a := raw(t, addr, "GET /good HTTP/1.1\r\nHost: x\r\n\r\n")
		if a.want(t, 200, ""); a.body != `{"sgip":"0.1"}` || a.header.Get("Date") == "" {
			t.Errorf("%+v", a)
		}
	})
	t.Run("OK script", func(t *testing.T) {
		a := raw(t, addr, "GET /script.js HTTP/1.1\r\nHost: x\r\n\r\n")
		if a.body != "// hello" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/javascript") {
			t.Errorf("%+v", a)
		}
	})
	t.Run("ErrFault", func(t *testing.T) {
		a := raw(t, addr, "GET /bad HTTP/1.1\r\nHost: x\r\n\r\n")
		if a.want(t, 500, sgip.Internal); strings.Contains(a.body, "secret") {
			t.Errorf("%+v", a)
		}
	})
}
