//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// ends waits until a process that can't work has ended by itself, and gives what
// it said: one plain line.
func (p *process) ends() string {
	p.t.Helper()
	<-p.gone
	text := strings.TrimSpace(p.log.String())
	if p.cmd.ProcessState.ExitCode() != 1 || strings.Contains(text, "\n") || strings.Contains(text, "panic") {
		p.t.Errorf("%s ended with %d, want 1, and said:\n%s", p.part.name, p.cmd.ProcessState.ExitCode(), text)
	}
	return text
}

// TestTrouble_Files takes away from hub and home, while a purchase is void and
// its money owed, what they can't work without. Each says so and touches nothing;
// once it is back, so is the money.
func TestTrouble_Files(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, p *process) (mend func())
		says  []string
	}{
		"ErrKeyFileCorrupt": {corrupt("key", "not a key"), []string{"key", "isn't an Ed25519 key"}},
		"ErrKeyFileEmpty":   {corrupt("key", ""), []string{"key", "isn't an Ed25519 key"}},
		"ErrFolderReadOnly": {readOnly, []string{"can't be written"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, toLagos, tunde := newTreat(t)
			before := s.lagos.balance("tunde")
			for _, p := range []*process{s.hub, s.lagos} {
				toLagos.meet(func(op string) fate { // the home game takes the money, and then nothing gets through
					if op == "wallet.debit@1" {
						return dropReply
					}
					return dropRequest
				})
				if _, err := tunde.buy(imbissTreat); err != nil {
					t.Fatal(err)
				}
				p.kill()
				p.log.Reset()
				mend := c.spoil(t, p)
				p.start()
				said := p.ends()
				for _, want := range c.says {
					if !strings.Contains(said, want) {
						t.Errorf("%s said %q, which lacks %q", p.part.name, said, want)
					}
				}
				mend()
				toLagos.meet(func(string) fate { return pass })
				p.start()
				s.waitReady()
				waitUntil(t, "the money is back", func() bool { return s.quiet() && s.lagos.balance("tunde") == before })
			}
			s.wantClean(t)
		})
	}
}

// TestTrouble_FilesCantGrow lets hub and home come to the end of what they may
// write, in the midst of purchases. They say so and stay; guests are told plainly;
// and after a restart with room all is settled or given back.
func TestTrouble_FilesCantGrow(t *testing.T) {
	s, _, tunde := newTreat(t)
	for _, p := range []*process{s.hub, s.lagos} {
		p.kill()
		p.log.Reset()
		p.limit = 500 // a quarter of a megabyte, which the write-ahead log soon fills
		p.start()
		s.waitReady()
		stop, shopping := make(chan struct{}), sync.WaitGroup{}
		shopping.Go(func() {
			for !waitOr(stop) {
				if a, err := tunde.buy(imbissTreat); err != nil || a.status != http.StatusOK {
					t.Errorf("the host's page must always answer: %v, status %d, %s", err, a.status, a.body)
				}
			}
		})
		waitUntil(t, p.part.name+" can't write any more", func() bool { return strings.Contains(p.log.String(), "the disk") })
		close(stop)
		if p.dead() || strings.Contains(p.log.String(), "panic") {
			t.Errorf("%s didn't stay:\n%s", p.part.name, p.log.String())
		}
		p.kill()
		p.limit = 0
		p.start()
		s.waitReady()
		shopping.Wait()
		waitUntil(t, "everything has ended", s.quiet)
		s.wantClean(t)
	}
}

// corrupt overwrites the file with a name that ends so, beside its copy.
func corrupt(suffix, text string) func(t *testing.T, p *process) func() {
	return func(t *testing.T, p *process) func() {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(p.dir, "*"+suffix))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		kept := filepath.Join(p.dir, "kept")
		must(t, os.Rename(files[0], kept))
		must(t, os.WriteFile(files[0], []byte(text), 0o600))
		return func() {
			got, err := os.ReadFile(files[0])
			must(t, err)
			if string(got) != text {
				t.Errorf("%s was changed", files[0])
			}
			must(t, os.Rename(kept, files[0]))
		}
	}
}

// readOnly makes the data folder one that the process may read and not write.
// Root may write everywhere, so that its processes then run as nobody.
func readOnly(t *testing.T, p *process) func() {
	t.Helper()
	if os.Geteuid() == 0 {
		const nobody = 65534
		for dir := p.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			must(t, os.Chmod(dir, 0o755))
		}
		must(t, os.Chmod(binaries, 0o755))
		p.attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		chown(t, p.dir, nobody)
	}
	mode := func(dir, file os.FileMode) {
		entries, err := os.ReadDir(p.dir)
		must(t, err)
		for _, e := range entries {
			must(t, os.Chmod(filepath.Join(p.dir, e.Name()), file))
		}
		must(t, os.Chmod(p.dir, dir))
	}
	mode(0o500, 0o400)
	return func() {
		mode(0o700, 0o600)
		if p.attr != nil {
			p.attr = nil
			chown(t, p.dir, os.Geteuid())
		}
	}
}

func chown(t *testing.T, dir string, who int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		must(t, os.Chown(filepath.Join(dir, e.Name()), who, who))
	}
	must(t, os.Chown(dir, who, who))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
