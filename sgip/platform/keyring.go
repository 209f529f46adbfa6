package platform

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// Limits of looking up the hub's key (section 6.1, contract 6).
const (
	keyTimeout   = 5 * time.Second
	maxKeyFile   = 64 << 10
	strangeEvery = time.Minute // fetches that a strange key id causes, failed ones too
	firstKeyWait = time.Second // without a valid key, doubling
	maxKeyWait   = time.Minute
)

// keyring holds the hub's one key by the rules of section 6.1. It is both who
// signs the inbox's requests and where letters go.
type keyring struct {
	clock func() time.Time
	fetch func(ctx context.Context) (hubKey, error)

	mu        sync.Mutex
	held      *hubKey
	flight    *keyFlight // the fetch under way, shared by all who wait
	strangeAt time.Time  // of the last fetch that a strange id caused
	nextTry   time.Time  // without a valid key: not before
	wait      time.Duration
}

var (
	_ exchange.Keys = (*keyring)(nil)
	_ exchange.Peer = (*keyring)(nil)
)

type hubKey struct {
	sgip.PublicKey
	expires time.Time
	ops     string
}

type keyFlight struct {
	done chan struct{}
	err  error
}

func newKeyring(clock func() time.Time, fetch func(context.Context) (hubKey, error)) *keyring {
	return &keyring{clock: clock, fetch: fetch}
}

// Key is the hub's key if keyID names it. BadSignature if it doesn't, even after
// a fresh look; PlatformOffline if there is no valid key to be had just now.
func (k *keyring) Key(ctx context.Context, keyID string) (sgip.PublicKey, error) {
	held, valid := k.current()
	if valid && held.ID == keyID {
		return held.PublicKey, nil
	}
	err := k.refresh(ctx, valid)
	held, valid = k.current()
	switch {
	case valid && held.ID == keyID:
		return held.PublicKey, nil
	case valid:
		return sgip.PublicKey{}, sgip.Errorf(sgip.BadSignature, "the hub does not sign with key %q", keyID)
	default:
		return sgip.PublicKey{}, sgip.Wrap(sgip.PlatformOffline, err, "the hub's key can't be had just now")
	}
}

// Admit lets the hub's key speak for everyone: it has checked the sender.
func (k *keyring) Admit(context.Context, string, sgip.Envelope) error { return nil }

// Trusts reports whether keyID is the hub's key now, without fetching anything.
func (k *keyring) Trusts(keyID string) bool {
	held, valid := k.current()
	return valid && held.ID == keyID
}

// Endpoint is the hub's ops URL, for every platform: games never call each other.
func (k *keyring) Endpoint(ctx context.Context, _ string) (string, error) {
	held, valid := k.current()
	if valid {
		return held.ops, nil
	}
	if err := k.refresh(ctx, false); err != nil && held.ops == "" {
		return "", sgip.Wrap(sgip.PlatformOffline, err, "the hub can't be reached just now")
	}
	held, _ = k.current()
	return held.ops, nil
}

// current is the key held, and whether it is still good.
func (k *keyring) current() (hubKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held == nil {
		return hubKey{}, false
	}
	return *k.held, k.clock().Before(k.held.expires)
}

// refresh fetches the key file, or joins the fetch under way, unless it is too
// soon. strange says that a valid key is held and another one was asked for.
func (k *keyring) refresh(ctx context.Context, strange bool) error {
	k.mu.Lock()
	flight := k.flight
	if flight == nil {
		if !k.mayFetch(strange) {
			k.mu.Unlock()
			return sgip.Errorf(sgip.PlatformOffline, "the hub's key was asked for a moment ago")
		}
		flight = &keyFlight{done: make(chan struct{})}
		k.flight = flight
		go k.run(context.WithoutCancel(ctx), flight)
	}
	k.mu.Unlock()
	select {
	case <-flight.done:
		return flight.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *keyring) mayFetch(strange bool) bool {
	now := k.clock()
	if !strange {
		return !now.Before(k.nextTry)
	}
	if !k.strangeAt.IsZero() && now.Sub(k.strangeAt) < strangeEvery {
		return false
	}
	k.strangeAt = now
	return true
}

func (k *keyring) run(ctx context.Context, flight *keyFlight) {
	ctx, cancel := context.WithTimeout(ctx, keyTimeout)
	defer cancel()
	key, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock()
	if err == nil && !now.Before(key.expires) {
		err = fmt.Errorf("the hub's key expired at %s", key.expires.Format(time.RFC3339))
	}
	if err == nil {
		k.held, k.wait, k.nextTry = &key, 0, time.Time{}
	} else {
		k.wait = min(max(2*k.wait, firstKeyWait), maxKeyWait)
		k.nextTry = now.Add(k.wait)
	}
	flight.err = err
	k.flight = nil
	close(flight.done)
}

// fetchKey reads the hub's key file, and wants its ops URL on the hub's domain.
func (s *Seat) fetchKey(ctx context.Context) (hubKey, error) {
	at := strings.TrimSuffix(s.c.HubURL, "/") + "/.well-known/sgip-hub.json"
	response, err := s.c.Client.Get(ctx, at, maxKeyFile)
	if err != nil {
		return hubKey{}, fmt.Errorf("fetch hub key: %w", err)
	}
	if response.Status != http.StatusOK {
		return hubKey{}, fmt.Errorf("fetch hub key: status %d", response.Status)
	}
	file, key, err := sgip.ParseHubKey(response.Body)
	if err != nil {
		return hubKey{}, fmt.Errorf("read hub key: %w", err)
	}
	expires, err := time.Parse(time.RFC3339, file.ExpiresAt)
	if err != nil {
		return hubKey{}, fmt.Errorf("read hub key: %w", err)
	}
	if err := s.c.Mode.CheckURL(s.hubDomain(), file.Ops, false); err != nil {
		return hubKey{}, fmt.Errorf("read hub key: ops: %w", err)
	}
	return hubKey{PublicKey: key, expires: expires, ops: file.Ops}, nil
}

// hubDomain is the hub's host as ids are written: a port belongs to names under
// .localhost alone.
func (s *Seat) hubDomain() string {
	name, _, _ := strings.Cut(s.hubHost, ":")
	if s.c.Mode.Local && strings.HasSuffix(name, ".localhost") {
		return s.hubHost
	}
	return name
}
