package main

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"sgip.example/starter/sgip"
)

func TestCommands_Parse(t *testing.T) {
	for line, want := range map[string]string{
		"":                                     "serve",
		"--local --rate-limit 60":              "serve",
		"suspend noisy.example --data x":       "suspend <platform>",
		"resume --data x noisy.localhost:8083": "resume <platform>",
		"rotate-key":                           "rotate-key",
	} {
		parser, err := kong.New(&commands{})
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.Parse(strings.Fields(line))
		if err != nil || parsed.Command() != want {
			t.Errorf("hub %s: %v, want %s", line, err, want)
		}
	}
}

func TestSuspend_Command(t *testing.T) {
	data := t.TempDir()
	f := suspendFlags{Data: data, Platform: "noisy.localhost:8083"}
	t.Run("ErrNoHubYet", func(t *testing.T) {
		if err := suspend(t.Context(), f, io.Discard); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	})
	start(t, parse(t, "--local", "--listen", freeAddress(t), "--data", data))
	t.Run("ErrNoPlatformID", func(t *testing.T) {
		bad := f
		bad.Platform = "Noisy"
		if err := suspend(t.Context(), bad, io.Discard); err == nil {
			t.Error("taken")
		}
	})
	t.Run("ErrResumeFirst", func(t *testing.T) {
		if err := resume(t.Context(), f, io.Discard); err == nil {
			t.Error("what isn't suspended was let in")
		}
	})
	t.Run("OK beside the running hub", func(t *testing.T) {
		for _, want := range []string{"is suspended now", "was suspended already"} {
			var out bytes.Buffer
			if err := suspend(t.Context(), f, &out); err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%s, %v; want %s", &out, err, want)
			}
		}
		if err := resume(t.Context(), f, io.Discard); err != nil {
			t.Error(err)
		}
	})
}

func TestRotateKey_Command(t *testing.T) {
	f := parse(t, "--local", "--listen", freeAddress(t), "--data", t.TempDir())
	t.Run("ErrNoKeyYet", func(t *testing.T) {
		if err := rotateKey(rotateFlags{Data: filepath.Join(f.Data, "none")}, io.Discard); err == nil {
			t.Error("rotated")
		}
	})
	start(t, f)
	published := func() string {
		status, body := get(t, f, keyFilePath)
		key, _, err := sgip.ParseHubKey(body)
		if err != nil || status != http.StatusOK {
			t.Fatalf("%s: %v", body, err)
		}
		return key.KeyID
	}
	old := published()
	var out bytes.Buffer
	if err := rotateKey(rotateFlags{Data: f.Data}, &out); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the new key is published", func() bool { return published() != old })
	if !strings.Contains(out.String(), published()) {
		t.Errorf("said %s, published %s", &out, published())
	}
}
