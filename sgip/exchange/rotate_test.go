package exchange_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"sgip.example/starter/sgip/exchange"
)

func keyFile(t *testing.T) (string, *exchange.KeyFile) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	k, err := exchange.OpenKeyFile(path, rand.Reader, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return path, k
}

func follow(t *testing.T, k *exchange.KeyFile) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- k.Follow(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// listed are the ids of the keys, the one in use first.
func listed(k *exchange.KeyFile) string {
	var ids []string
	for _, signer := range k.Signers() {
		ids = append(ids, signer.Public.ID)
	}
	return strings.Join(ids, " ")
}

func reopened(t *testing.T, path string) string {
	t.Helper()
	k, err := exchange.OpenKeyFile(path, iotest.ErrReader(errors.New("no new key is wanted")), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return listed(k)
}

func TestKeyFile_Replace(t *testing.T) {
	path, k := keyFile(t)
	old := listed(k)
	follow(t, k)
	id, err := exchange.ReplaceKey(path, rand.Reader)
	if err != nil || id == old {
		t.Fatalf("%q, %v", id, err)
	}
	waitFor(t, "the running program has it", func() bool { return listed(k) == id })
	if got := reopened(t, path); got != id {
		t.Errorf("on disk %s, want %s", got, id)
	}
	t.Run("OK one that others may have read", func(t *testing.T) {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := exchange.ReplaceKey(path, rand.Reader); err != nil {
			t.Error(err)
		}
		reopened(t, path)
	})
	t.Run("ErrNone", func(t *testing.T) {
		for _, rotate := range []func(string) (string, error){
			func(path string) (string, error) { return exchange.ReplaceKey(path, rand.Reader) },
			func(path string) (string, error) { return exchange.PrepareKey(path, rand.Reader) },
		} {
			if _, err := rotate(filepath.Join(t.TempDir(), "key")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestKeyFile_Prepare(t *testing.T) {
	path, k := keyFile(t)
	old := listed(k)
	follow(t, k)
	next, err := exchange.PrepareKey(path, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "both are listed", func() bool { return listed(k) == old+" "+next })
	if k.Signer().Public.ID != old {
		t.Error("the new key signs before the hub knows it")
	}
	t.Run("ErrTwice", func(t *testing.T) {
		if _, err := exchange.PrepareKey(path, rand.Reader); err == nil {
			t.Error("a second rotation began")
		}
	})
	t.Run("OK a restart goes on with it", func(t *testing.T) {
		if got := reopened(t, path); got != old+" "+next {
			t.Errorf("lists %s", got)
		}
	})
	t.Run("OK only once the hub knows both", func(t *testing.T) {
		for _, known := range [][]string{nil, {old}, {next}} {
			if err := k.Promote(known); err != nil || listed(k) != old+" "+next {
				t.Errorf("%v: lists %s, %v", known, listed(k), err)
			}
		}
		if err := k.Promote([]string{next, old}); err != nil {
			t.Fatal(err)
		}
		if listed(k) != next || reopened(t, path) != next {
			t.Errorf("lists %s, on disk %s, want %s", listed(k), reopened(t, path), next)
		}
		if err := k.Promote([]string{next, old}); err != nil || listed(k) != next {
			t.Errorf("once more: %v", err)
		}
	})
	t.Run("OK the next rotation", func(t *testing.T) {
		if _, err := exchange.PrepareKey(path, rand.Reader); err != nil {
			t.Error(err)
		}
	})
}

func TestKeyFile_Unreadable(t *testing.T) {
	path, k := keyFile(t)
	old := listed(k)
	follow(t, k)
	if err := os.WriteFile(path, []byte("half a k"), 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := exchange.ReplaceKey(path, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if got := listed(k); got != old && got != id {
		t.Errorf("signs with %s", got)
	}
	waitFor(t, "a good file is taken up again", func() bool { return listed(k) == id })
}
