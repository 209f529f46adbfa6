package platform

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"sgip.example/starter/sgip"
)

// Limits of the directory.
const (
	directoryPage     = 200 // the largest page that may be asked for
	maxDirectoryPages = 500 // so a hub that never ends its pages ends here
	directoryTimeout  = 10 * time.Second
	directoryFresh    = 10 * time.Second // a travel desk that is looked at again
	entryFresh        = time.Minute      // origins that a visit page trusts
	copyLife          = 24 * time.Hour   // while the hub is away (contract 7.2)
)

// listing is the whole directory as it was fetched last.
type listing struct {
	flight  singleflight.Group
	mu      sync.Mutex
	entries []sgip.DirectoryEntry
	at      time.Time
}

// Directory lists the games on the network (platform.directory@1), all pages,
// this one included. While the hub is away the stored copy of up to 24 hours
// serves; PlatformOffline without one.
func (s *Seat) Directory(ctx context.Context) ([]sgip.DirectoryEntry, error) {
	s.listing.mu.Lock()
	entries, at := s.listing.entries, s.listing.at
	s.listing.mu.Unlock()
	if entries != nil && s.c.Clock().Sub(at) < directoryFresh {
		return slices.Clone(entries), nil
	}
	got, err, _ := s.listing.flight.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), directoryTimeout)
		defer cancel()
		return s.fetchDirectory(ctx)
	})
	if err == nil {
		return slices.Clone(got.([]sgip.DirectoryEntry)), nil
	}
	return s.storedDirectory(ctx, err)
}

func (s *Seat) fetchDirectory(ctx context.Context) ([]sgip.DirectoryEntry, error) {
	entries := []sgip.DirectoryEntry{}
	query := sgip.DirectoryQuery{Limit: directoryPage}
	for range maxDirectoryPages {
		var page sgip.DirectoryPage
		if err := s.ask(ctx, sgip.PlatformDirectory, "", query, &page); err != nil {
			return nil, err
		}
		entries = append(entries, page.Platforms...)
		if page.NextCursor == "" {
			break
		}
		query.Cursor = page.NextCursor
	}
	now := s.c.Clock()
	listed := make([]Listed, 0, len(entries))
	for _, e := range entries {
		listed = append(listed, Listed{DirectoryEntry: e, At: now})
	}
	err := s.c.InTx(ctx, func(ctx context.Context) error { return s.c.Store.Replace(ctx, listed) })
	if err != nil {
		return nil, err
	}
	s.listing.mu.Lock()
	defer s.listing.mu.Unlock()
	s.listing.entries, s.listing.at = entries, now
	return entries, nil
}

func (s *Seat) storedDirectory(ctx context.Context, cause error) ([]sgip.DirectoryEntry, error) {
	listed, err := s.c.Store.AllListed(ctx)
	if err != nil {
		return nil, err
	}
	var entries []sgip.DirectoryEntry
	for _, l := range listed {
		if s.c.Clock().Sub(l.At) < copyLife {
			entries = append(entries, l.DirectoryEntry)
		}
	}
	if len(entries) == 0 {
		return nil, cause
	}
	return entries, nil
}

// Entry is one game's directory entry, by the rules of contract 7.2, "Directory
// at the host": one that isn't known well enough is fetched anew, at most every
// 10 s per game and once a second over all, waiting 5 s; a stored copy of up to
// 24 h serves while the hub is away. NotFound for a game that isn't on the
// network, PlatformOffline when nobody can say.
func (s *Seat) Entry(ctx context.Context, platform string) (sgip.DirectoryEntry, error) {
	if !s.c.Mode.ValidPlatform(platform) {
		return sgip.DirectoryEntry{}, notListed(platform)
	}
	stored, err := s.c.Store.Listed(ctx, platform)
	if err != nil {
		return sgip.DirectoryEntry{}, err
	}
	now := s.c.Clock()
	if stored != nil && now.Sub(stored.At) < entryFresh {
		return stored.DirectoryEntry, nil
	}
	entry, err := s.lookups.do(ctx, platform, s.fetchEntry)
	switch {
	case err == nil:
		return entry, nil
	case sgip.CodeOf(err) == sgip.NotFound:
		return entry, err
	case stored != nil && now.Sub(stored.At) < copyLife:
		return stored.DirectoryEntry, nil
	default:
		return entry, sgip.Wrap(sgip.PlatformOffline, err, "the directory can't be had just now")
	}
}

// fetchEntry asks the hub for one game and keeps what it says.
func (s *Seat) fetchEntry(ctx context.Context, platform string) (sgip.DirectoryEntry, error) {
	var page sgip.DirectoryPage
	err := s.ask(ctx, sgip.PlatformDirectory, "", sgip.DirectoryQuery{Platform: platform}, &page)
	if err != nil && sgip.CodeOf(err) != sgip.NotFound {
		return sgip.DirectoryEntry{}, err
	}
	for _, e := range page.Platforms {
		if e.PlatformID == platform {
			return e, s.c.InTx(ctx, func(ctx context.Context) error {
				return s.c.Store.List(ctx, Listed{DirectoryEntry: e, At: s.c.Clock()})
			})
		}
	}
	err = s.c.InTx(ctx, func(ctx context.Context) error { return s.c.Store.Unlist(ctx, platform) })
	if err != nil {
		return sgip.DirectoryEntry{}, err
	}
	return sgip.DirectoryEntry{}, notListed(platform)
}

func notListed(platform string) error {
	return sgip.Errorf(sgip.NotFound, "no game %s on the network", platform)
}
