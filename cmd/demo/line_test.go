package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fate is what a bad line does to one request.
type fate string

const (
	pass            fate = "pass"
	dropRequest     fate = "drop request"     // it never arrives
	dropReply       fate = "drop reply"       // it arrives, the answer doesn't
	delay           fate = "delay"            // it arrives later
	late            fate = "late"             // the sender is cut off first, then it arrives
	duplicate       fate = "duplicate"        // it arrives twice, byte for byte
	truncateRequest fate = "truncate request" // half of it arrives
	truncateReply   fate = "truncate reply"   // half of the answer arrives
	reset           fate = "reset"            // the connection is reset
)

// line is a bad line in front of one process: all that the network sends to it
// goes through here, and the fate of each request is drawn from a seed.
type line struct {
	name string
	to   string // where the process listens
	draw func(op string) fate
	http *http.Client

	mu     sync.Mutex
	counts map[fate]int
	late   sync.WaitGroup
}

// longestDelay keeps well under the time that senders wait.
const longestDelay = 400 * time.Millisecond

// newLine listens at addr for the process at to.
func newLine(t *testing.T, name, addr, to string) *line {
	t.Helper()
	l := &line{name: name, to: to, draw: func(string) fate { return pass }, counts: map[fate]int{},
		http: &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: l}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		l.late.Wait()
	})
	return l
}

// meet sets what becomes of the requests from now on.
func (l *line) meet(draw func(op string) fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draw = draw
}

// drawn draws fates from a seed: the same for the nth request on this line,
// whatever the other lines do.
func (l *line) drawn(seed uint64) func(string) fate {
	name := fnv.New64()
	_, _ = name.Write([]byte(l.name))
	random := rand.New(rand.NewPCG(seed, name.Sum64()))
	bad := []fate{dropRequest, dropReply, delay, delay, late, duplicate, truncateRequest, truncateReply, reset}
	return func(string) fate {
		if random.IntN(100) >= 20 {
			return pass
		}
		return bad[random.IntN(len(bad))]
	}
}

// once gives one request of an op a fate, and lets all others pass.
func once(op string, f fate) func(string) fate {
	return func(of string) fate {
		if of == op && f != pass {
			met := f
			f = pass
			return met
		}
		return pass
	}
}

func (l *line) fateOf(r *http.Request, body []byte) fate {
	var env struct{ Op string }
	if r.Method != http.MethodPost && !strings.HasPrefix(r.URL.Path, "/.well-known/") {
		return pass // pages are no part of the network
	}
	if r.Method == http.MethodPost && (json.Unmarshal(body, &env) != nil || env.Op == "") {
		return pass
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.draw(env.Op)
	l.counts[f]++
	return f
}

func (l *line) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var words []string
	for _, f := range slices.Sorted(maps.Keys(l.counts)) {
		words = append(words, fmt.Sprintf("%s %d", f, l.counts[f]))
	}
	return l.name + ": " + strings.Join(words, ", ")
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	forward := func(ctx context.Context, part []byte) (*http.Response, []byte, error) { return l.forward(ctx, r, part) }
	// A request that has left its sender arrives, whatever becomes of the sender.
	ctx := context.WithoutCancel(r.Context())
	switch l.fateOf(r, body) {
	case dropRequest:
		panic(http.ErrAbortHandler)
	case reset:
		cut(w, true, nil)
	case truncateRequest:
		_, _, _ = forward(ctx, body[:len(body)/2])
		panic(http.ErrAbortHandler)
	case dropReply:
		_, _, _ = forward(ctx, body)
		panic(http.ErrAbortHandler)
	case truncateReply:
		res, answer, err := forward(ctx, body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		cut(w, false, half(res, answer))
	case late:
		l.late.Go(func() {
			<-time.After(longestDelay)
			_, _, _ = forward(ctx, body)
		})
		panic(http.ErrAbortHandler)
	case delay:
		<-time.After(longestDelay)
		reply(w)(forward(ctx, body))
	case duplicate:
		res, answer, err := forward(ctx, body)
		_, _, _ = forward(ctx, body)
		reply(w)(res, answer, err)
	default:
		reply(w)(forward(ctx, body))
	}
}

// forward sends what has come, with its headers, on a connection of its own, so
// that nothing is sent twice by the library. A part of a body is sent under the
// length of the whole.
func (l *line) forward(ctx context.Context, r *http.Request, body []byte) (*http.Response, []byte, error) {
	out, err := http.NewRequestWithContext(ctx, r.Method, "http://"+l.to+r.URL.RequestURI(), io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, nil, err
	}
	out.Header, out.Host, out.ContentLength = r.Header.Clone(), r.Host, max(0, r.ContentLength)
	if out.ContentLength == 0 {
		out.Body = nil
	}
	res, err := l.http.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return res, answer, err
}

func reply(w http.ResponseWriter) func(*http.Response, []byte, error) {
	return func(res *http.Response, answer []byte, err error) {
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), res.Header)
		w.Header().Del("Content-Length")
		w.WriteHeader(res.StatusCode)
		_, _ = w.Write(answer)
	}
}

// half is an answer that breaks off within its body.
func half(res *http.Response, answer []byte) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", res.Status, res.Header.Get("Content-Type"), len(answer))
	text.Write(answer[:len(answer)/2])
	return text.Bytes()
}

// cut ends the connection under the request, with a reset or after some bytes.
func cut(w http.ResponseWriter, hard bool, text []byte) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && hard {
		_ = tcp.SetLinger(0)
	}
	_, err = conn.Write(text)
	_ = errors.Join(err, conn.Close())
}
