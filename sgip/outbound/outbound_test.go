package outbound_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/outbound"
)

func newClient(t *testing.T, o outbound.Options) *outbound.Client {
	t.Helper()
	o.Clock = time.Now
	c, err := outbound.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// local is a client of local mode, and the URL of a server it may reach.
func local(t *testing.T, serve http.HandlerFunc) (*outbound.Client, string) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	port := server.Listener.Addr().(*net.TCPAddr).Port
	return newClient(t, outbound.Options{Mode: sgip.Mode{Local: true, PlainHTTP: true}}), fmt.Sprintf("http://lagos.localhost:%d", port)
}

func TestClient_Get(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		c, at := local(t, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Accept-Encoding"); got != "" {
				t.Errorf("asks for %q", got)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, r.Host+r.RequestURI)
		})
		got, err := c.Get(t.Context(), at+"/a%2Fb", 100)
		if err != nil || got.Status != 200 || "http://"+string(got.Body) != at+"/a%2Fb" || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("OK exactly the limit", func(t *testing.T) {
		c, at := local(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") })
		if got, err := c.Get(t.Context(), at, 5); err != nil || string(got.Body) != "12345" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("OK a redirect is an answer", func(t *testing.T) {
		var elsewhere atomic.Bool
		c, at := local(t, func(w http.ResponseWriter, r *http.Request) {
			elsewhere.Store(r.URL.Path != "/")
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		})
		if got, err := c.Get(t.Context(), at+"/", 1000); err != nil || got.Status != 302 || elsewhere.Load() {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("ErrTooLarge", func(t *testing.T) {
		for name, serve := range map[string]http.HandlerFunc{
			"announced": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "123456") },
			"in chunks": func(w http.ResponseWriter, r *http.Request) {
				for range 6 {
					_, _ = io.WriteString(w, "1")
					w.(http.Flusher).Flush()
				}
			},
		} {
			c, at := local(t, serve)
			if _, err := c.Get(t.Context(), at, 5); !errors.Is(err, outbound.ErrTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("ErrEncoded", func(t *testing.T) {
		c, at := local(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Encoding", "gzip") })
		if _, err := c.Get(t.Context(), at, 5); !errors.Is(err, outbound.ErrEncoded) {
			t.Error(err)
		}
	})
	t.Run("ErrDrippingBody", func(t *testing.T) {
		c, at := local(t, func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(5 * time.Millisecond):
				}
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := c.Get(ctx, at, 1<<20); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	t.Run("ErrHugeHeader", func(t *testing.T) {
		c, at := local(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) })
		if _, err := c.Get(t.Context(), at, 5); err == nil {
			t.Error("read a megabyte of headers")
		}
	})
}

// TestClient_Post: what has been sent is never sent again, neither on a fresh
// connection nor on one that was kept.
func TestClient_Post(t *testing.T) {
	var posts atomic.Int32
	c, at := local(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("X-Test") != "1" || string(body) != "hello" || r.ContentLength != 5 {
			t.Errorf("%v %q", r.Header, body)
		}
		if posts.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
	})
	send := func() error {
		_, err := c.Post(t.Context(), at, map[string]string{"X-Test": "1"}, []byte("hello"), 100)
		return err
	}
	if err := send(); err != nil {
		t.Fatal(err)
	}
	for n := int32(2); n < 5; n++ {
		if err := send(); err == nil || posts.Load() != n {
			t.Errorf("%v, sent %d times, want %d", err, posts.Load(), n)
		}
	}
}

func TestClient_KeepAlive(t *testing.T) {
	ports := map[string]bool{}
	c, at := local(t, func(w http.ResponseWriter, r *http.Request) { ports[r.RemoteAddr] = true })
	for range 5 {
		if _, err := c.Get(t.Context(), at, 5); err != nil {
			t.Fatal(err)
		}
	}
	if len(ports) != 1 {
		t.Errorf("%d connections for 5 calls", len(ports))
	}
}

func TestClient_Guard(t *testing.T) {
	production := outbound.Options{}
	for name, c := range map[string]struct {
		options outbound.Options
		url     string
	}{
		"ErrLoopback":                {production, "https://127.0.0.1/"},
		"ErrLocalhost":               {production, "https://localhost/"},
		"ErrBelowLocalhost":          {production, "https://lagos.localhost:8081/"},
		"ErrBelowLocalhostDot":       {production, "https://lagos.localhost.:8081/"},
		"ErrIPv6Loopback":            {production, "https://[::1]/"},
		"ErrMapped":                  {production, "https://[::ffff:127.0.0.1]/"},
		"ErrNAT64":                   {production, "https://[64:ff9b::7f00:1]/"},
		"ErrMetadata":                {production, "https://169.254.169.254/"},
		"ErrPrivate":                 {production, "https://10.0.0.1/"},
		"ErrPlainHTTP":               {production, "http://lagos.example/"},
		"ErrPlainHTTPInLocalMode":    {outbound.Options{Mode: sgip.Mode{Local: true, PlainHTTP: true}}, "http://lagos.example/"},
		"ErrLoopbackInLocalMode":     {outbound.Options{Mode: sgip.Mode{Local: true, PlainHTTP: true}}, "https://127.0.0.1/"},
		"ErrOtherNameThanResolved":   {outbound.Options{Resolve: map[string]string{"lagos.test": "127.0.0.1:1"}}, "https://127.0.0.1/"},
		"ErrUserInfo":                {production, "https://tunde@lagos.example/"},
		"ErrScheme":                  {production, "file:///etc/passwd"},
		"ErrNoHost":                  {production, "https:///x"},
		"ErrUnreadable":              {production, "https://lagos.example:port/"},
		"ErrNumberForAnAddress":      {production, "https://2130706433/"},
		"ErrHexadecimalForAnAddress": {production, "https://0x7f.1/"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if got, err := newClient(t, c.options).Get(ctx, c.url, 100); err == nil {
				t.Errorf("reached %s: %+v", c.url, got)
			}
		})
	}
	t.Run("ErrNothingIsSent", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		_, err = newClient(t, production).Get(t.Context(), "https://"+listener.Addr().String(), 100)
		if !errors.Is(err, outbound.ErrAddress) {
			t.Errorf("%v", err)
		}
	})
	t.Run("ErrProxyOfTheEnvironment", func(t *testing.T) {
		proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
		defer proxy.Close()
		t.Setenv("HTTPS_PROXY", proxy.URL)
		t.Setenv("HTTP_PROXY", proxy.URL)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := newClient(t, production).Get(ctx, "https://10.255.255.1/", 100); !errors.Is(err, outbound.ErrAddress) {
			t.Error(err)
		}
	})
}

func TestClient_TLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) }))
	defer server.Close()
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	resolve, err := outbound.ParseResolve([]string{"Example.com=" + server.Listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("OK", func(t *testing.T) { // httptest's certificate is for example.com
		got, err := newClient(t, outbound.Options{TrustCA: authority, Resolve: resolve}).Get(t.Context(), "https://example.com/", 100)
		if err != nil || string(got.Body) != "example.com" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("ErrUnknownAuthority", func(t *testing.T) {
		if _, err := newClient(t, outbound.Options{Resolve: resolve}).Get(t.Context(), "https://example.com/", 100); err == nil {
			t.Error("trusts anyone")
		}
	})
	t.Run("ErrOtherName", func(t *testing.T) {
		other := map[string]string{"lagos.test": server.Listener.Addr().String()}
		if _, err := newClient(t, outbound.Options{TrustCA: authority, Resolve: other}).Get(t.Context(), "https://lagos.test/", 100); err == nil {
			t.Error("takes a certificate for another name")
		}
	})
	t.Run("ErrAuthorityFile", func(t *testing.T) {
		if _, err := outbound.New(outbound.Options{TrustCA: []byte("hello")}); err == nil {
			t.Error("took junk for an authority")
		}
	})
}

func TestParseResolve_Act(t *testing.T) {
	for _, bad := range []string{"", "lagos.test", "=127.0.0.1:1", "lagos.test=127.0.0.1", "lagos.test=localhost:1", "lagos.test=127.0.0.1:99999"} {
		if got, err := outbound.ParseResolve([]string{bad}); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
	got, err := outbound.ParseResolve([]string{"lagos.test=127.0.0.1:8443", "berlin.test=[::1]:8444"})
	if err != nil || got["lagos.test"] != "127.0.0.1:8443" || got["berlin.test"] != "[::1]:8444" {
		t.Errorf("%v, %v", got, err)
	}
}
