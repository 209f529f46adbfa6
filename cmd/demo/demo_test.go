package main

import (
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestDemo_ErrPortBusy: a busy port is named in one line, with the flag that
// moves the whole demo.
func TestDemo_ErrPortBusy(t *testing.T) {
	base := freePorts(t)
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(base+1))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = run(t.Context(), flags{PortBase: base, Data: t.TempDir()}, t.Output())
	if err == nil {
		t.Fatal("the demo started on a busy port")
	}
	for _, want := range []string{strconv.Itoa(base + 1), "lagos", "--port-base"} {
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q should say %q, in one line", err, want)
		}
	}
}

// TestDemo_OKFresh: --fresh forgets an earlier demo's data, another port base
// has data of its own.
func TestDemo_OKFresh(t *testing.T) {
	data := t.TempDir()
	first, err := prepareFolder(flags{PortBase: 8080, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	other, err := prepareFolder(flags{PortBase: 9080, Data: data})
	if err != nil || other == first {
		t.Fatalf("two demos share %s (%v)", first, err)
	}
	if err := exec.Command("touch", filepath.Join(first, "old"), filepath.Join(other, "old")).Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := prepareFolder(flags{PortBase: 8080, Data: data, Fresh: true}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(data, "*", "old"))
	if err != nil || len(left) != 1 || filepath.Dir(left[0]) != other {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// TestProcess_ErrSecond: two servers on one database are one too many, and the
// second says so plainly.
func TestProcess_ErrSecond(t *testing.T) {
	s := newStage(t)
	for _, p := range []*process{s.hub, s.lagos} {
		args := append([]string{}, p.part.args...)
		args = append(args, "--listen", "127.0.0.1:0")
		out, err := exec.Command(filepath.Join(binaries, p.part.bin), args...).CombinedOutput()
		if err == nil || strings.Count(strings.TrimSpace(string(out)), "\n") > 0 || !strings.Contains(string(out), p.part.bin+".db") {
			t.Errorf("a second %s on the same data: %v, want one line that names the file:\n%s", p.part.bin, err, out)
		}
	}
}
