// Package outbound is the one HTTP client for calls to other platforms: it
// connects to public addresses only, follows no redirect, unpacks nothing, reads
// no more than it is told to and sends nothing twice. Build a Client with New and
// give every call a context that ends: it bounds the call to the last byte.
//
// It is not for calls within one's own house: it refuses their addresses.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sgip.example/starter/sgip"
)

const (
	// maxCall bounds a call whose context has no end of its own: twice the
	// longest time-out of the protocol.
	maxCall = 30 * time.Second
	// idleTimeout is how long an unused connection is kept. It is shorter than
	// what servers usually allow, ours among them, so that a request seldom
	// meets a connection that is just being closed.
	idleTimeout = 30 * time.Second
	// idlePerHost is how many connections are kept to one game: as many as an
	// Outbox makes attempts at one time.
	idlePerHost = 64
	// maxHeader bounds a response's headers, in bytes.
	maxHeader = 16 << 10
)

// Why a call brought nothing that can be used.
var (
	// ErrTooLarge: the body was larger than the limit.
	ErrTooLarge = errors.New("the answer is too large")
	// ErrEncoded: the body came compressed although nobody asked for it.
	ErrEncoded = errors.New("the answer has a Content-Encoding")
	// ErrAddress: the name stands for an address that isn't public.
	ErrAddress = errors.New("not a public address")
)

// Options are what a Client is built from.
type Options struct {
	Mode sgip.Mode
	// TrustCA is one more certificate authority, in PEM; nil for none.
	TrustCA []byte
	// Resolve gives the address and port for some host names. These names alone
	// pass the guard.
	Resolve map[string]string
	Clock   func() time.Time // for certificates
}

// Client calls other platforms.
type Client struct {
	mode      sgip.Mode
	transport *http.Transport
}

// Response is what came back, whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// New builds a client. The error is about TrustCA.
func New(o Options) (*Client, error) {
	roots, err := authorities(o.TrustCA)
	if err != nil {
		return nil, err
	}
	only1 := new(http.Protocols)
	only1.SetHTTP1(true) // HTTP/2 has rules of its own for sending a request again
	return &Client{mode: o.Mode, transport: &http.Transport{
		Proxy:                  nil, // a proxy of the environment would bypass the guard
		DialContext:            newDialer(o).dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Time: o.Clock},
		Protocols:              only1,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}}, nil
}

func authorities(extra []byte) (*x509.CertPool, error) {
	if extra == nil {
		return nil, nil // the system's own
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(extra) {
		return nil, errors.New("the authority's file holds no certificate in PEM")
	}
	return roots, nil
}

// Get fetches url, at most limit bytes. A redirect comes back as it is.
func (c *Client) Get(ctx context.Context, url string, limit int) (Response, error) {
	return c.call(ctx, http.MethodGet, url, nil, nil, limit)
}

// Post sends body once, and reads at most limit bytes of the answer.
func (c *Client) Post(ctx context.Context, url string, header map[string]string, body []byte, limit int) (Response, error) {
	return c.call(ctx, http.MethodPost, url, header, body, limit)
}

// Close drops the connections that are kept.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

func (c *Client) call(ctx context.Context, method, target string, header map[string]string, body []byte, limit int) (Response, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, maxCall)
		defer cancel()
	}
	request, err := http.NewRequestWithContext(ctx, method, target, nil)
	if err != nil {
		return Response{}, fmt.Errorf("call: %w", err)
	}
	if err := c.checkURL(request.URL); err != nil {
		return Response{}, err
	}
	request.Header.Set("User-Agent", "sgip-starter/"+sgip.Version)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	if body != nil {
		// Without GetBody the library can't send the body a second time.
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	// The transport itself: a Client on top would follow redirects.
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return Response{}, fmt.Errorf("call: %w", err)
	}
	defer response.Body.Close()
	return read(response, limit)
}

// checkURL refuses what no descriptor may name: other schemes, plain http but
// for the names of local mode, user info.
func (c *Client) checkURL(u *url.URL) error {
	local := c.mode.Local && isLocal(strings.ToLower(u.Hostname()))
	switch {
	case u.User != nil, u.Hostname() == "":
		return fmt.Errorf("call: %q has no plain host", u.Redacted())
	case u.Scheme == "https", u.Scheme == "http" && local:
		return nil
	}
	return fmt.Errorf("call: scheme %q isn't allowed for %s", u.Scheme, u.Host)
}

func read(response *http.Response, limit int) (Response, error) {
	if response.Header.Get("Content-Encoding") != "" {
		return Response{}, ErrEncoded
	}
	if response.ContentLength > int64(limit) {
		return Response{}, ErrTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(limit)+1))
	if err != nil {
		return Response{}, fmt.Errorf("read answer: %w", err)
	}
	if len(body) > limit {
		return Response{}, ErrTooLarge
	}
	return Response{Status: response.StatusCode, Header: response.Header, Body: body}, nil
}
