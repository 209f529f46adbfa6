package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"sgip.example/starter/sgip"
)

// patience is how long a test waits for something that must come true.
const patience = 30 * time.Second

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// parse reads a command line as main does, into flags on a free port.
func parse(t *testing.T, args ...string) flags {
	t.Helper()
	var c commands
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err := parser.Parse(args); err != nil || parsed.Command() != "serve" {
		t.Fatalf("%v, %v", parsed, err)
	}
	return c.Serve
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a hub until stop is called, and waits until it is ready.
func start(t *testing.T, f flags) (stop func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	logs, done := &lockedBuffer{}, make(chan error, 1)
	go func() { done <- run(ctx, f, slog.New(slog.NewTextHandler(logs, nil))) }()
	stop = sync.OnceValue(func() string {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("hub ended with %v", err)
			}
		case <-time.After(patience):
			t.Error("the hub doesn't stop")
		}
		return logs.String()
	})
	t.Cleanup(func() { stop() })
	deadline, tick := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		if res, err := http.Get("http://" + f.Listen + readyPath); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return stop
			}
		}
		select {
		case err := <-done:
			done <- err
			t.Fatalf("the hub ended before it was ready: %v", err)
		case <-deadline:
			t.Fatalf("never ready:\n%s", logs)
		case <-tick.C:
		}
	}
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("never came true: %s", what)
		case <-tick.C:
		}
	}
}

func get(t *testing.T, f flags, path string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+f.Listen+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(f.Listen)
	req.Host = "hub.localhost:" + port
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}

func TestHub_Run(t *testing.T) {
	f := parse(t, "--local", "--listen", freeAddress(t), "--data", t.TempDir())
	stop := start(t, f)
	t.Run("OKHealth", func(t *testing.T) {
		_, body := get(t, f, healthPath)
		var health struct{ ID, Time string }
		if err := json.Unmarshal(body, &health); err != nil || health.ID != sgip.HubID {
			t.Fatalf("health %s", body)
		}
		if _, err := sgip.ParseTime(health.Time); err != nil {
			t.Error(err)
		}
	})
	_, before := get(t, f, keyFilePath)
	t.Run("OKKeyFile", func(t *testing.T) {
		_, port, _ := net.SplitHostPort(f.Listen)
		key, _, err := sgip.ParseHubKey(before)
		if err != nil || key.Ops != "http://hub.localhost:"+port+"/ops" {
			t.Errorf("key file %s: %v", before, err)
		}
	})
	t.Run("OKBoard", func(t *testing.T) {
		if status, body := get(t, f, "/"); status != http.StatusOK || !bytes.Contains(body, []byte("<html")) {
			t.Errorf("status %d: %.200s", status, body)
		}
	})
	for _, path := range []string{"/ops", "/Ops", "/ops/", "/.well-known/sgip-hub.json/"} {
		t.Run("Err"+strings.ReplaceAll(path, "/", "_"), func(t *testing.T) {
			status, body := get(t, f, path)
			reply, err := sgip.ParseReply(body, "", sgip.MaxBody)
			if err != nil || status != http.StatusNotFound || reply.OK || reply.Error.Code != sgip.NotFound {
				t.Errorf("status %d: %s", status, body)
			}
		})
	}
	t.Run("ErrMisframed", func(t *testing.T) {
		conn, err := net.Dial("tcp", f.Listen)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		// An absolute target has another path than the one that was signed.
		if _, err := io.WriteString(conn, "POST http://"+f.Listen+"/ops HTTP/1.1\r\nHost: "+f.Listen+"\r\nContent-Length: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusBadRequest || !bytes.Contains(body, []byte(sgip.InvalidPayload)) {
			t.Errorf("status %d: %s, %v", res.StatusCode, body, err)
		}
	})
	t.Run("ErrSecondOnTheSameData", func(t *testing.T) {
		second := f
		second.Listen = freeAddress(t)
		err := run(t.Context(), second, slog.New(slog.DiscardHandler))
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("want one plain line, got %v", err)
		}
	})
	t.Run("ErrBusyPort", func(t *testing.T) {
		second := f
		second.Data = t.TempDir()
		err := run(t.Context(), second, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), f.Listen) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want one plain line with the address, got %v", err)
		}
	})
	if logs := stop(); !strings.Contains(logs, "msg=ready address="+f.Listen) {
		t.Errorf("no ready line:\n%s", logs)
	}
	t.Run("OKSameKeyAfterARestart", func(t *testing.T) {
		start(t, f)
		if _, after := get(t, f, keyFilePath); !bytes.Equal(before, after) {
			t.Errorf("key file was %s, is %s", before, after)
		}
	})
}

func TestFlags_Place(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		origin string // "" for a refusal that names the first argument's flag
	}{
		"OKLocal":            {[]string{"--local", "--listen", "127.0.0.1:9080"}, "http://hub.localhost:9080"},
		"OKLocalIPv6":        {[]string{"--local", "--listen", "[::1]:9080"}, "http://hub.localhost:9080"},
		"OKLocalWithTLS":     {[]string{"--local", "--tls-cert", "c", "--tls-key", "k"}, "https://hub.localhost:8080"},
		"OKBehindAProxy":     {[]string{"--public-url", "https://hub.example/", "--listen", ":8080"}, "https://hub.example"},
		"ErrLocalEverywhere": {[]string{"--local", "--listen", ":8080"}, ""},
		"ErrLocalOnALAN":     {[]string{"--local", "--listen", "192.168.1.5:8080"}, ""},
		"ErrNoPublicURL":     {[]string{"--public-url="}, ""},
		"ErrPlainPublicURL":  {[]string{"--public-url", "http://hub.example"}, ""},
		"ErrPublicURLPath":   {[]string{"--public-url", "https://hub.example/hub"}, ""},
		"ErrCertAlone":       {[]string{"--tls-cert", "c", "--public-url", "https://hub.example"}, ""},
		"ErrListen":          {[]string{"--listen", "8080", "--public-url", "https://hub.example"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			origin, mode, err := parse(t, c.args...).place()
			flag, _, _ := strings.Cut(c.args[0], "=")
			switch {
			case c.origin == "" && err == nil:
				t.Errorf("taken as %s", origin)
			case c.origin == "" && !strings.Contains(err.Error(), flag):
				t.Errorf("%q doesn't name %s", err, flag)
			case c.origin != "" && (err != nil || origin != c.origin):
				t.Errorf("%s, %v; want %s", origin, err, c.origin)
			case c.origin != "" && mode.PlainHTTP != strings.HasPrefix(origin, "http://"):
				t.Errorf("mode %+v at %s", mode, origin)
			}
		})
	}
}

// TestFlags_Twins: every flag has its twin in the environment.
func TestFlags_Twins(t *testing.T) {
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, command := range parser.Model.Leaves(false) {
		for _, flag := range command.Flags {
			checked++
			want := "SGIP_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if len(flag.Envs) != 1 || flag.Envs[0] != want {
				t.Errorf("%s --%s has twins %v, want %s", command.Name, flag.Name, flag.Envs, want)
			}
		}
	}
	if checked == 0 {
		t.Fatal("no flag was looked at")
	}
}
