package platform

import (
	"context"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

// maxSeenPassports bounds the cache: at 4 KiB each at most 8 MiB.
const maxSeenPassports = 2048

// passportCache remembers tokens that have been verified, so that a page that
// posts the same passport again costs no signature check.
type passportCache struct {
	mu   sync.RWMutex
	seen map[string]seenPassport
}

type seenPassport struct {
	keyID    string
	passport sgip.Passport
}

func newPassportCache() *passportCache {
	return &passportCache{seen: map[string]seenPassport{}}
}

// CheckPassport verifies a visitor's passport offline by the hub's key (7.1,
// codes of contract 7.2). Of a token seen before, exp and the key are still
// checked: a key the hub has replaced or let expire is trusted no more.
// PlatformOffline if the hub's key can't be had.
func (s *Seat) CheckPassport(ctx context.Context, token string) (sgip.Passport, error) {
	now := s.c.Clock()
	if p, ok := s.passports.find(token, now, s.keys.Trusts); ok {
		return p, nil
	}
	keyID, err := sgip.PassportKeyID(token)
	if err != nil {
		return sgip.Passport{}, err
	}
	key, err := s.keys.Key(ctx, keyID)
	if err != nil {
		return sgip.Passport{}, err
	}
	p, err := sgip.VerifyPassport(s.c.Mode, key, token, s.c.ID, now)
	if err != nil {
		return sgip.Passport{}, err
	}
	s.passports.add(token, seenPassport{keyID: keyID, passport: p}, now)
	return p, nil
}

func (c *passportCache) find(token string, now time.Time, trusts func(keyID string) bool) (sgip.Passport, bool) {
	c.mu.RLock()
	seen, ok := c.seen[token]
	c.mu.RUnlock()
	if !ok || seen.passport.Expires <= now.Unix() || !trusts(seen.keyID) {
		return sgip.Passport{}, false
	}
	return seen.passport, true
}

func (c *passportCache) add(token string, seen seenPassport, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.seen) >= maxSeenPassports {
		for t, s := range c.seen {
			if s.passport.Expires <= now.Unix() {
				delete(c.seen, t)
			}
		}
	}
	if len(c.seen) >= maxSeenPassports {
		clear(c.seen) // all still good: they will be verified again
	}
	c.seen[token] = seen
}
