package hub

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/sgip"
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
	mode   sgip.Mode
	client *outbound.Client
	now    func() time.Time
	turns  chan struct{}

	mu      sync.Mutex
	fetches map[string]*fetch
}

// fetch is one fetch, under way or done; its fields are set before done closes.
type fetch struct {
	done       chan struct{}
	at         time.Time
	descriptor sgip.Descriptor
	keys       []sgip.PublicKey
	err        error
	before     *fetch // the good one that this one replaces
}

var _ exchange.Introductions = (*fetcher)(nil)

func newFetcher(mode sgip.Mode, client *outbound.Client, now func() time.Time) *fetcher {
	return &fetcher{mode: mode, client: client, now: now, turns: make(chan struct{}, maxFetches), fetches: map[string]*fetch{}}
}

// Introduces reports whether the key of op's sender is found by descriptor.
func (f *fetcher) Introduces(op sgip.Op) bool { return op == sgip.HubHello }

// Keys fetches the sender's descriptor, once for all who wait for it, and gives
// the keys it lists. The codes are those of contract 5: PlatformOffline when it
// can't be had, InvalidPayload when it can't be used.
func (f *fetcher) Keys(ctx context.Context, env sgip.Envelope) ([]sgip.PublicKey, error) {
	platform := env.From.Platform
	if !f.mode.ValidPlatform(platform) {
		return nil, sgip.Errorf(sgip.InvalidPayload, "from.platform: not a platform id")
	}
	got := f.start(ctx, platform)
	if got == nil {
		return nil, sgip.Errorf(sgip.PlatformOffline, "the hub is fetching too many descriptors")
	}
	select {
	case <-got.done:
		return got.keys, got.err
	case <-ctx.Done():
		return nil, sgip.Wrap(sgip.PlatformOffline, ctx.Err(), "the descriptor wasn't there in time")
	}
}

// latest is the descriptor that a hello just admitted was checked against, or a
// newer one.
func (f *fetcher) latest(platform string) (*fetch, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.fetches[platform]
	if got != nil && !got.good() {
		got = got.before
	}
	return got, got != nil
}

func (f *fetch) good() bool { return f.finished() && f.err == nil }

func (f *fetch) finished() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// lists finds the key among those of the descriptor.
func (f *fetch) lists(keyID string) bool {
	for _, key := range f.keys {
		if key.ID == keyID {
			return true
		}
	}
	return false
}

// start joins the fetch under way, takes the recent one, or begins another; nil
// when there is no room for one.
func (f *fetcher) start(ctx context.Context, platform string) *fetch {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweep()
	got, ok := f.fetches[platform]
	if ok && (!got.finished() || f.age(got) < fetchReuse) {
		return got
	}
	if len(f.fetches) >= maxFetched {
		return nil
	}
	before := got
	if before != nil && !before.good() {
		before = before.before
	}
	if before != nil {
		before.before = nil // one is enough
	}
	got = &fetch{done: make(chan struct{}), before: before}
	f.fetches[platform] = got
	// Those who wait share it, so it doesn't end with the first who asked.
	go f.fetch(context.WithoutCancel(ctx), platform, got)
	return got
}

// sweep drops what nobody needs any more: failures once they aren't reused. f.mu
// is held.
func (f *fetcher) sweep() {
	for platform, got := range f.fetches {
		if !got.finished() {
			continue
		}
		if f.age(got) > fetchKept || f.age(got) >= fetchReuse && !got.good() {
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
	got.descriptor, got.err = f.get(ctx, platform)
	if got.err == nil {
		got.keys, got.err = parseKeys(got.descriptor.PublicKeys)
	}
	got.at = f.now()
	close(got.done)
}

func (f *fetcher) get(ctx context.Context, platform string) (sgip.Descriptor, error) {
	select {
	case f.turns <- struct{}{}:
		defer func() { <-f.turns }()
	case <-ctx.Done():
		return sgip.Descriptor{}, sgip.Wrap(sgip.PlatformOffline, ctx.Err(), "the hub is fetching too many descriptors")
	}
	res, err := f.client.Get(ctx, f.mode.DescriptorURL(platform), sgip.MaxBody)
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		return sgip.Descriptor{}, sgip.Wrap(sgip.InvalidPayload, err, "descriptor: over 64 KiB")
	case errors.Is(err, outbound.ErrEncoded):
		return sgip.Descriptor{}, sgip.Wrap(sgip.InvalidPayload, err, "descriptor: must have no Content-Encoding")
	case err != nil:
		return sgip.Descriptor{}, sgip.Wrap(sgip.PlatformOffline, err, "the descriptor can't be reached")
	case res.Status >= http.StatusInternalServerError:
		return sgip.Descriptor{}, sgip.Errorf(sgip.PlatformOffline, "the descriptor was answered with status %d", res.Status)
	case res.Status != http.StatusOK:
		return sgip.Descriptor{}, sgip.Errorf(sgip.InvalidPayload, "descriptor: answered with status %d, wanted 200 without a redirect", res.Status)
	case !isJSON(res.Header.Get("Content-Type")):
		return sgip.Descriptor{}, sgip.Errorf(sgip.InvalidPayload, "descriptor: its Content-Type must be application/json")
	}
	return sgip.ParseDescriptor(f.mode, platform, res.Body, true)
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
