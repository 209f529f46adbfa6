package hub

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/conformance"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
)

const (
	// fetchWithin is how long a descriptor may take, to its last byte (section 2).
	fetchWithin = 5 * time.Second
	// fetchReuse is how long what a fetch brought is used again (contract 5).
	fetchReuse = 5 * time.Second
	// fetchKept is how long a descriptor waits for the hello that caused it.
	fetchKept = time.Minute
	// maxFetches bounds the fetches that strangers can cause at one time; the
	// wait for a turn counts into fetchWithin.
	maxFetches = 64
	// maxFetched bounds how many platforms are fetched, waited for or
	// remembered, so that made-up names can't fill the memory.
	maxFetched = 4096
)

// fetcher gets descriptors for operations whose key is found through them.
type fetcher struct {
	mode     sgip.Mode
	suite    conformance.Suite // fetches
	now      func() time.Time
	throttle *throttle
	turns    chan struct{}

	mu      sync.Mutex
	fetches map[string]*fetch
}

// fetch is one fetch, under way or done; its fields are set before done closes.
type fetch struct {
	done   chan struct{}
	at     time.Time
	served outbound.Response
	hello  reading // as hub.hello@1 wants it, strictly
	check  reading // as hub.check@1 does, which reports what else is wrong
	before *fetch  // the good one that this one replaces

	descriptor sgip.Descriptor // where hello can read it
}

// reading is what one operation finds in a descriptor.
type reading struct {
	keys []sgip.PublicKey
	err  error
}

func (f *fetch) reading(op sgip.Op) reading {
	if op == sgip.HubCheck {
		return f.check
	}
	return f.hello
}

var _ exchange.Introductions = (*fetcher)(nil)

func newFetcher(mode sgip.Mode, client *outbound.Client, now func() time.Time, t *throttle) *fetcher {
	return &fetcher{
		mode: mode, suite: conformance.Suite{Mode: mode, Client: client}, now: now, throttle: t,
		turns: make(chan struct{}, maxFetches), fetches: map[string]*fetch{},
	}
}

// Introduces reports whether the key of op's sender is found by descriptor.
func (f *fetcher) Introduces(op sgip.Op) bool { return op == sgip.HubHello || op == sgip.HubCheck }

// Keys fetches the sender's descriptor, once for all who wait for it, and gives
// the keys it lists. The codes are those of contract 5: RateLimited for a source
// address that asks too often, PlatformOffline when the descriptor can't be had,
// InvalidPayload when it can't be used.
func (f *fetcher) Keys(ctx context.Context, env sgip.Envelope, source string) ([]sgip.PublicKey, error) {
	platform := env.From.Platform
	if !f.mode.ValidPlatform(platform) {
		return nil, sgip.Errorf(sgip.InvalidPayload, "from.platform: not a platform id")
	}
	if err := f.throttle.ask(source); err != nil {
		return nil, err
	}
	got, err := f.start(ctx, platform, source)
	if err != nil {
		return nil, err
	}
	select {
	case <-got.done:
		read := got.reading(env.Op)
		return read.keys, read.err
	case <-ctx.Done():
		return nil, sgip.Wrap(sgip.PlatformOffline, ctx.Err(), "the descriptor wasn't there in time")
	}
}

// latest is the descriptor that an operation just admitted was checked against,
// or a newer one that it could be checked against as well.
func (f *fetcher) latest(platform string, op sgip.Op) (*fetch, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.fetches[platform]
	if got != nil && !got.good(op) {
		got = got.before
	}
	return got, got != nil && got.good(op)
}

func (f *fetch) good(op sgip.Op) bool { return f.finished() && f.reading(op).err == nil }

// used reports whether some operation could be checked against it.
func (f *fetch) used() bool { return f.good(sgip.HubHello) || f.good(sgip.HubCheck) }

func (f *fetch) finished() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// lists finds the key among those that the operation found.
func (r reading) lists(keyID string) bool {
	return slices.ContainsFunc(r.keys, func(key sgip.PublicKey) bool { return key.ID == keyID })
}

// start joins the fetch under way, takes the recent one, or begins another;
// RateLimited for a source address that has caused too many, PlatformOffline
// when there is no room for one.
func (f *fetcher) start(ctx context.Context, platform, source string) (*fetch, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweep()
	got, ok := f.fetches[platform]
	if ok && (!got.finished() || f.age(got) < fetchReuse) {
		return got, nil
	}
	if err := f.throttle.fetch(source); err != nil {
		return nil, err
	}
	if len(f.fetches) >= maxFetched {
		return nil, sgip.Errorf(sgip.PlatformOffline, "the hub is fetching too many descriptors")
	}
	before := got
	if before != nil && !before.used() {
		before = before.before
	}
	if before != nil {
		before.before = nil // one is enough
	}
	got = &fetch{done: make(chan struct{}), before: before}
	f.fetches[platform] = got
	// Those who wait share it, so it doesn't end with the first who asked.
	go f.fetch(context.WithoutCancel(ctx), platform, got)
	return got, nil
}

// sweep drops what nobody needs any more: failures once they aren't reused. f.mu
// is held.
func (f *fetcher) sweep() {
	for platform, got := range f.fetches {
		if !got.finished() {
			continue
		}
		if f.age(got) > fetchKept || f.age(got) >= fetchReuse && !got.used() {
			delete(f.fetches, platform)
		}
	}
}

// age takes a clock set back for a long time gone by.
func (f *fetcher) age(got *fetch) time.Duration {
	age := f.now().Sub(got.at)
	if age < 0 {
		return 2 * fetchKept
	}
	return age
}

func (f *fetcher) fetch(ctx context.Context, platform string, got *fetch) {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	var err error
	if got.served, err = f.get(ctx, platform); err != nil {
		got.hello.err, got.check.err = err, err
	} else {
		got.descriptor, got.hello = f.strictly(platform, got.served)
		doors, err := conformance.ReadDoors(f.mode, platform, got.served.Body)
		got.check = reading{keys: doors.Keys, err: err}
	}
	got.at = f.now()
	close(got.done)
}

// get is the descriptor as it is served, whatever it holds.
func (f *fetcher) get(ctx context.Context, platform string) (outbound.Response, error) {
	select {
	case f.turns <- struct{}{}:
		defer func() { <-f.turns }()
	case <-ctx.Done():
		return outbound.Response{}, sgip.Wrap(sgip.PlatformOffline, ctx.Err(), "the hub is fetching too many descriptors")
	}
	served, err := f.suite.Fetch(ctx, platform)
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		return outbound.Response{}, sgip.Wrap(sgip.InvalidPayload, err, "descriptor: over 64 KiB")
	case errors.Is(err, outbound.ErrEncoded):
		return outbound.Response{}, sgip.Wrap(sgip.InvalidPayload, err, "descriptor: must have no Content-Encoding")
	case err != nil:
		return outbound.Response{}, err
	case served.Status >= http.StatusInternalServerError:
		return outbound.Response{}, sgip.Errorf(sgip.PlatformOffline, "the descriptor was answered with status %d", served.Status)
	}
	return served, nil
}

// strictly reads a descriptor as a registration needs it.
func (f *fetcher) strictly(platform string, served outbound.Response) (d sgip.Descriptor, r reading) {
	switch {
	case served.Status != http.StatusOK:
		r.err = sgip.Errorf(sgip.InvalidPayload, "descriptor: answered with status %d, wanted 200 without a redirect", served.Status)
	case !isJSON(served.Header.Get("Content-Type")):
		r.err = sgip.Errorf(sgip.InvalidPayload, "descriptor: its Content-Type must be application/json")
	default:
		if d, r.err = sgip.ParseDescriptor(f.mode, platform, served.Body, true); r.err == nil {
			r.keys, r.err = parseKeys(d.PublicKeys)
		}
	}
	return d, r
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func parseKeys(texts []string) ([]sgip.PublicKey, error) {
	var keys []sgip.PublicKey
	for _, text := range texts {
		key, err := sgip.ParsePublicKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
