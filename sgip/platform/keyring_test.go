package platform

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sgip.example/starter/sgip"
)

func testKey(t *testing.T, seed byte) sgip.PublicKey {
	t.Helper()
	s, err := sgip.NewSigner([]byte{seed, 31: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s.Public
}

// keySource is a hub's key file, as fetched.
type keySource struct {
	mu      sync.Mutex
	key     hubKey
	err     error
	fetches int
}

func (s *keySource) fetch(context.Context) (hubKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetches++
	return s.key, s.err
}

func (s *keySource) set(key hubKey, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.err = key, err
}

func (s *keySource) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetches
}

func TestKeyring(t *testing.T) {
	old, fresh := testKey(t, 1), testKey(t, 2)
	lasting := func(k sgip.PublicKey) hubKey {
		return hubKey{PublicKey: k, expires: time.Now().Add(time.Hour), ops: "https://hub.example/ops"}
	}
	want := func(t *testing.T, k *keyring, keyID string, code sgip.Code) {
		t.Helper()
		if _, err := k.Key(t.Context(), keyID); sgip.CodeOf(err) != code {
			t.Fatalf("%v, want code %q", err, code)
		}
	}
	wantFetches := func(t *testing.T, s *keySource, n int) {
		t.Helper()
		if got := s.count(); got != n {
			t.Fatalf("%d fetches, want %d", got, n)
		}
	}
	t.Run("OKCachedUntilItExpires", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &keySource{key: lasting(old)}
			k := newKeyring(time.Now, s.fetch)
			want(t, k, old.ID, "")
			time.Sleep(time.Hour - time.Second)
			want(t, k, old.ID, "")
			wantFetches(t, s, 1)
			time.Sleep(time.Second)
			s.set(hubKey{}, errors.New("away"))
			want(t, k, old.ID, sgip.PlatformOffline)
			if k.Trusts(old.ID) {
				t.Fatal("an expired key is trusted")
			}
			time.Sleep(time.Second)
			s.set(lasting(old), nil)
			want(t, k, old.ID, "")
		})
	})
	t.Run("OKReplacedEarly", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &keySource{key: lasting(old)}
			k := newKeyring(time.Now, s.fetch)
			want(t, k, old.ID, "")
			s.set(lasting(fresh), nil)
			want(t, k, fresh.ID, "")
			want(t, k, old.ID, sgip.BadSignature)
			wantFetches(t, s, 2)
		})
	})
	t.Run("ErrStrangeKeyOnceAMinute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &keySource{key: lasting(old)}
			k := newKeyring(time.Now, s.fetch)
			want(t, k, old.ID, "")
			s.set(hubKey{}, errors.New("away")) // a failed look counts too
			for range 10 {
				want(t, k, fresh.ID, sgip.BadSignature)
			}
			wantFetches(t, s, 2)
			want(t, k, old.ID, "")
			time.Sleep(time.Minute)
			want(t, k, fresh.ID, sgip.BadSignature)
			wantFetches(t, s, 3)
		})
	})
	t.Run("ErrNoKeyWaitsGrow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &keySource{err: errors.New("away")}
			k := newKeyring(time.Now, s.fetch)
			began := time.Now()
			var at []time.Duration
			for time.Since(began) < 10*time.Minute {
				before := s.count()
				want(t, k, old.ID, sgip.PlatformOffline)
				if s.count() > before {
					at = append(at, time.Since(began))
				}
				time.Sleep(500 * time.Millisecond)
			}
			for i, seconds := range []int{0, 1, 3, 7, 15, 31, 63, 123, 183} {
				if at[i] != time.Duration(seconds)*time.Second {
					t.Fatalf("tried at %v, want the %dth after %d s", at, i+1, seconds)
				}
			}
		})
	})
	t.Run("ErrFileExpired", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			expired := lasting(old)
			expired.expires = time.Now()
			k := newKeyring(time.Now, (&keySource{key: expired}).fetch)
			want(t, k, old.ID, sgip.PlatformOffline)
		})
	})
	t.Run("OKOneFetchForAll", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var fetches atomic.Int32
			k := newKeyring(time.Now, func(context.Context) (hubKey, error) {
				fetches.Add(1)
				time.Sleep(2 * time.Second)
				return lasting(old), nil
			})
			for range 20 {
				go func() {
					if _, err := k.Key(t.Context(), old.ID); err != nil {
						t.Error(err)
					}
				}()
			}
			synctest.Wait()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if fetches.Load() != 1 {
				t.Fatalf("%d fetches", fetches.Load())
			}
		})
	})
	t.Run("OKEndpoint", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &keySource{key: lasting(old)}
			k := newKeyring(time.Now, s.fetch)
			for range 2 {
				if at, err := k.Endpoint(t.Context(), sgip.HubID); at != "https://hub.example/ops" || err != nil {
					t.Fatal(at, err)
				}
			}
			time.Sleep(2 * time.Hour)
			s.set(hubKey{}, errors.New("away"))
			if at, err := k.Endpoint(t.Context(), sgip.HubID); at == "" || err != nil {
				t.Fatal("the address is lost with the key", err)
			}
		})
	})
}
