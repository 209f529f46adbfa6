package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/web"
)

// drainWithin is how long open requests may take to end at shutdown: a charge
// waits 10 s for the home game and is written down after that.
const drainWithin = 13 * time.Second

// place settles at which origin, and by which rules of naming, this hub works.
func (f flags) place() (origin string, mode sgip.Mode, err error) {
	host, port, err := net.SplitHostPort(f.Listen)
	if err != nil {
		return "", sgip.Mode{}, fmt.Errorf("--listen %s: want ADDR:PORT", f.Listen)
	}
	if f.RateLimit < 1 {
		return "", sgip.Mode{}, errors.New("--rate-limit must be at least 1")
	}
	if (f.TLSCert == "") != (f.TLSKey == "") {
		return "", sgip.Mode{}, errors.New("--tls-cert and --tls-key go together")
	}
	scheme := "https"
	if f.Local {
		if !loopback(host) {
			return "", sgip.Mode{}, fmt.Errorf("--local with --listen %s: local mode listens on loopback only, like 127.0.0.1:%s", f.Listen, port)
		}
		if f.TLSCert == "" {
			scheme = "http"
		}
	}
	mode = sgip.Mode{Local: f.Local, PlainHTTP: scheme == "http"}
	origin = strings.TrimSuffix(f.PublicURL, "/")
	if origin == "" {
		if !f.Local {
			return "", sgip.Mode{}, errors.New("--public-url is needed outside local mode: the https origin that games reach this hub at")
		}
		origin = scheme + "://" + net.JoinHostPort("hub.localhost", port)
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != scheme || origin != u.Scheme+"://"+u.Host {
		return "", sgip.Mode{}, fmt.Errorf("--public-url %s: want an origin like %s://hub.example", f.PublicURL, scheme)
	}
	return origin, mode, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (f flags) client(mode sgip.Mode) (*outbound.Client, error) {
	resolve, err := outbound.ParseResolve(f.Resolve)
	if err != nil {
		return nil, fmt.Errorf("--resolve: %w", err)
	}
	var authority []byte
	if f.TrustCA != "" {
		if authority, err = os.ReadFile(f.TrustCA); err != nil {
			return nil, fmt.Errorf("--trust-ca: %w", err)
		}
	}
	return outbound.New(outbound.Options{Mode: mode, TrustCA: authority, Resolve: resolve, Clock: time.Now})
}

// serve listens until ctx is done. Then it takes no more requests, lets those
// under way end while the hub still works for them, and only then stops the hub.
func serve(ctx context.Context, f flags, site *web.App, log *slog.Logger, workers ...func(context.Context) error) error {
	listener, err := f.listen()
	if err != nil {
		return err
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	all, ctx := errgroup.WithContext(ctx)
	for _, work := range workers {
		all.Go(func() error { return work(working) })
	}
	all.Go(func() error { return site.Fiber().Listener(listener) })
	all.Go(func() error {
		defer stop()
		<-ctx.Done()
		log.Info("draining")
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
		defer cancel()
		if err := site.Shutdown(wait); err != nil {
			return fmt.Errorf("drain: %w", err)
		}
		return nil
	})
	log.Info("ready", "address", listener.Addr().String())
	return all.Wait()
}

func (f flags) listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; another program may use that port, --listen takes another", f.Listen, err)
	}
	if f.TLSCert == "" {
		return listener, nil
	}
	pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--tls-cert and --tls-key: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}
