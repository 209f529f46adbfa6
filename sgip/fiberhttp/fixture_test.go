package fiberhttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/fiberhttp"
)

// recorder keeps the requests that reach an inbox, as anything behind it would.
type recorder struct {
	mu   sync.Mutex
	seen []exchange.Request
}

// serve runs an app on loopback and gives its address.
func serve(t *testing.T, mount func(app *fiber.App)) string {
	t.Helper()
	return serveWith(t, fiberhttp.Config(slog.New(slog.DiscardHandler)), mount)
}

func serveWith(t *testing.T, config fiber.Config, mount func(app *fiber.App)) string {
	t.Helper()
	app := fiber.New(config)
	fiberhttp.Guard(app)
	mount(app)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- app.Listener(listener) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithTimeout(5 * time.Second); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

func dial(t *testing.T, addr string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

type answer struct {
	status int
	header http.Header
	body   string
	code   string
	close  bool
}

// raw sends text as it is and reads one answer.
func raw(t *testing.T, addr, text string) answer {
	t.Helper()
	conn, in := dial(t, addr)
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return readAnswer(t, in)
}

func readAnswer(t *testing.T, in *bufio.Reader) answer {
	t.Helper()
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(body), close: response.Close}
	var reply struct{ Error struct{ Code string } }
	if json.Unmarshal(body, &reply) == nil {
		a.code = reply.Error.Code
	}
	return a
}

// nobody is asked for a key: framing is judged first.
type nobody struct{}

func (r *recorder) Serve(_ context.Context, q exchange.Request) exchange.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, q)
	return exchange.Response{Status: 200, Body: []byte(`{"ok":true,"id":null,"result":{}}`)}
}

func (r *recorder) last(t *testing.T) exchange.Request {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seen) == 0 {
		t.Fatal("nothing has reached the inbox")
	}
	return r.seen[len(r.seen)-1]
}

func (a answer) want(t *testing.T, status int, code sgip.Code) {
	t.Helper()
	if a.status != status || a.code != string(code) || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s %q, want %d %s in JSON", a.status, a.header.Get("Content-Type"), a.body, status, code)
	}
}

func (nobody) Key(context.Context, string) (sgip.PublicKey, error) {
	panic("a key was asked for")
}

func (nobody) Admit(context.Context, string, sgip.Envelope) error { panic("a sender was asked for") }
