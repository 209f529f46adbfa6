package exchange_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"sgip.example/starter/sgip/exchange"
)

func TestLoadKey_Act(t *testing.T) {
	t.Run("OK made once, then kept", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "data", "key")
		first, err := exchange.LoadKey(path, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		again, err := exchange.LoadKey(path, iotest.ErrReader(errors.New("no new key is wanted")))
		if err != nil || again.Public.ID != first.Public.ID {
			t.Errorf("%v, %v", again, err)
		}
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("left behind: %v", files)
		}
	})
	t.Run("OK made by openssl", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "key")
		// openssl genpkey -algorithm ed25519
		text := "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB\n-----END PRIVATE KEY-----\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		key, err := exchange.LoadKey(path, rand.Reader)
		if err != nil || key.Public.ID != signer(t, 1).Public.ID {
			t.Errorf("%v, %v", key, err)
		}
	})
	for name, text := range map[string]string{
		"empty": "", "junk": "hello", "cut": "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQ", "large": strings.Repeat("x", 5000),
		"another kind": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=\n-----END PUBLIC KEY-----\n",
	} {
		t.Run("Err "+name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := exchange.LoadKey(path, rand.Reader); err == nil || !strings.Contains(err.Error(), path) {
				t.Error(err)
			}
			if left, err := os.ReadFile(path); err != nil || string(left) != text {
				t.Error("the file was changed")
			}
		})
	}
	t.Run("ErrReadableByOthers", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "key")
		if _, err := exchange.LoadKey(path, rand.Reader); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := exchange.LoadKey(path, rand.Reader); (err == nil) != (runtime.GOOS == "windows") {
			t.Error(err)
		}
	})
	t.Run("ErrNoRandomness", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "key")
		if _, err := exchange.LoadKey(path, bytes.NewReader([]byte("short"))); err == nil {
			t.Error("a key without randomness")
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("half a key was left")
		}
	})
}
