package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// parseAudit reads an audit's command line as main does.
func parseAudit(t *testing.T, args ...string) auditFlags {
	t.Helper()
	var c commands
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(append([]string{"audit"}, args...))
	if err != nil || parsed.Command() != "audit" {
		t.Fatalf("%v, %v", parsed, err)
	}
	return c.Audit
}

func TestAudit_Run(t *testing.T) {
	data := t.TempDir()
	stop := start(t, parse(t, "--local", "--listen", freeAddress(t), "--data", data))
	look := func(t *testing.T, args ...string) (int, string, error) {
		t.Helper()
		var out bytes.Buffer
		status, err := audit(t.Context(), parseAudit(t, args...), &out)
		return status, out.String(), err
	}
	t.Run("OKBesideARunningHub", func(t *testing.T) {
		status, report, err := look(t, "--data", data)
		if err != nil || status != auditClean || !strings.Contains(report, "All is well") {
			t.Errorf("status %d, %v:\n%s", status, err, report)
		}
	})
	stop()
	t.Run("OKOfAStoppedHub", func(t *testing.T) {
		before := listing(t, data)
		if status, report, err := look(t, "--data", data); err != nil || status != auditClean {
			t.Errorf("status %d, %v:\n%s", status, err, report)
		}
		if after := listing(t, data); after != before {
			t.Errorf("the folder held\n%s, and holds\n%s", before, after)
		}
	})
	for name, args := range map[string][]string{
		"ErrNoDatabase":   {"--data", t.TempDir()},
		"ErrNotADatabase": {"--data", data, "--with", "lagos.example=" + filepath.Join(data, "key")},
		"ErrNoGame":       {"--data", data, "--with", "lagos.example=" + filepath.Join(data, "hub.db")},
		"ErrFolder":       {"--data", data, "--with", "lagos.example=" + data},
	} {
		t.Run(name, func(t *testing.T) {
			status, report, err := look(t, args...)
			if status != auditFailed || err == nil || strings.Contains(err.Error(), "\n") || report != "" {
				t.Errorf("status %d, %v:\n%s", status, err, report)
			}
		})
	}
}

// listing names the files that a look may not add to; SQLite's own companions
// come and go.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "-shm") && !strings.HasSuffix(e.Name(), "-wal") {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, "\n")
}
