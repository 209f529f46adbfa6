package platform

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sgip.example/starter/sgip"
)

func TestLookups(t *testing.T) {
	type source struct {
		mu   sync.Mutex
		at   []time.Duration
		took time.Duration
		err  error
	}
	fetcher := func(s *source) fetchEntry {
		began := time.Now()
		return func(ctx context.Context, platform string) (sgip.DirectoryEntry, error) {
			s.mu.Lock()
			s.at = append(s.at, time.Since(began))
			s.mu.Unlock()
			if !sleep(ctx, s.took) {
				return sgip.DirectoryEntry{}, sgip.Wrap(sgip.PlatformOffline, ctx.Err(), "no answer")
			}
			return sgip.DirectoryEntry{PlatformID: platform}, s.err
		}
	}
	t.Run("OKEveryTenSecondsPerGame", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &source{err: errors.New("away")}
			l, fetch := newLookups(time.Now), fetcher(s)
			for range 41 {
				if _, err := l.do(t.Context(), "lagos.example", fetch); err == nil {
					t.Fatal("no error")
				}
				time.Sleep(500 * time.Millisecond)
			}
			want := []time.Duration{0, 10 * time.Second, 20 * time.Second}
			if fmt.Sprint(s.at) != fmt.Sprint(want) {
				t.Fatalf("fetched at %v, want %v", s.at, want)
			}
		})
	})
	t.Run("OKOncePerSecondOverAll", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &source{}
			l, fetch := newLookups(time.Now), fetcher(s)
			var refused int
			var mu sync.Mutex
			for i := range 20 {
				go func() {
					if _, err := l.do(t.Context(), fmt.Sprintf("g%d.example", i), fetch); err != nil {
						mu.Lock()
						refused++
						mu.Unlock()
					}
				}()
			}
			time.Sleep(20 * time.Second)
			synctest.Wait()
			want := []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second}
			if fmt.Sprint(s.at) != fmt.Sprint(want) || refused != 15 {
				t.Fatalf("fetched at %v, want %v; %d refused", s.at, want, refused)
			}
			if len(l.tried) > 15 {
				t.Fatalf("%d games remembered", len(l.tried))
			}
		})
	})
	t.Run("ErrWaitsFiveSeconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, fetch := newLookups(time.Now), fetcher(&source{took: time.Minute})
			began := time.Now()
			_, err := l.do(t.Context(), "lagos.example", fetch)
			if sgip.CodeOf(err) != sgip.PlatformOffline || time.Since(began) != 5*time.Second {
				t.Fatalf("%v after %v", err, time.Since(began))
			}
		})
	})
	t.Run("OKSharedByThoseWhoWait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &source{took: time.Second}
			l, fetch := newLookups(time.Now), fetcher(s)
			for range 20 {
				go func() {
					if e, err := l.do(t.Context(), "lagos.example", fetch); err != nil || e.PlatformID != "lagos.example" {
						t.Errorf("%v, %v", e, err)
					}
				}()
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if len(s.at) != 1 {
				t.Fatalf("%d fetches", len(s.at))
			}
		})
	})
}
