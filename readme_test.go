package starter_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startWithin bounds the wait for a first build on a slow machine.
const startWithin = 5 * time.Minute

// TestREADME_Commands runs the two commands of the README on a copy of the
// repository, as a newcomer would: `make demo` until it is ready and Ctrl-C
// ends it, and `make test` on one small room.
func TestREADME_Commands(t *testing.T) {
	commands := fencedCommands(t)
	if !slices.Equal(commands, []string{"make demo", "make test"}) {
		t.Fatalf("README's commands are %q, want make demo and make test", commands)
	}
	dir := copyRepository(t)
	t.Run("demo", func(t *testing.T) { runDemo(t, dir) })
	t.Run("test", func(t *testing.T) {
		// One room stands for all of them: the others are being tested right now.
		cmd := exec.Command("make", "test", "PACKAGES=./vocabulary")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "ok") {
			t.Fatalf("make test: %v\n%s", err, out)
		}
	})
}

// TestREADME_Size keeps the README readable in one sitting, and its links alive.
func TestREADME_Size(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 200 {
		t.Errorf("README has %d lines, want 200 at most", lines)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(link[1]); err != nil {
			t.Errorf("README links to %s: %v", link[1], err)
		}
	}
	for _, room := range regexp.MustCompile("(?m)^\\| `[^|]+\\|").FindAllString(string(text), -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(room, -1) {
			if _, err := os.Stat(name[1]); err != nil {
				t.Errorf("README's map names %s: %v", name[1], err)
			}
		}
	}
}

// fencedCommands are the lines of README's shell blocks.
func fencedCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, strings.Split(strings.TrimSpace(block[1]), "\n")...)
	}
	return commands
}

// copyRepository copies what is committed or about to be, and nothing else.
func copyRepository(t *testing.T) string {
	t.Helper()
	list, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatalf("list the repository's files: %v", err)
	}
	dir := t.TempDir()
	for _, name := range strings.Fields(string(list)) {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed so
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func runDemo(t *testing.T, dir string) {
	base := freeBase(t)
	cmd := exec.Command("make", "demo", fmt.Sprintf("PORT_BASE=%d", base))
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := -cmd.Process.Pid
	done := make(chan error, 1)
	go func() {
		done <- cmd.Wait()
		_ = writer.Close()
	}()
	defer func() { _ = syscall.Kill(group, syscall.SIGKILL) }()

	watchdog := time.AfterFunc(startWithin, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	defer watchdog.Stop()
	var seen strings.Builder
	ready := false
	lines := bufio.NewScanner(reader)
	for !ready && lines.Scan() {
		seen.WriteString(lines.Text() + "\n")
		ready = strings.TrimSpace(lines.Text()) == "ready"
	}
	if !ready {
		t.Fatalf("make demo never said ready:\n%s", seen.String())
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	if err := syscall.Kill(group, syscall.SIGINT); err != nil { // as Ctrl-C does: everyone in the group
		t.Fatal(err)
	}
	<-done
	for port := base; port < base+3; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Errorf("port %d is still held after Ctrl-C: %v", port, err)
			continue
		}
		_ = l.Close()
	}
}

// freeBase finds three free ports in a row.
func freeBase(t *testing.T) int {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		base := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if base > 65000 {
			continue
		}
		free := true
		for port := base; port < base+3; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if free = free && err == nil; err == nil {
				_ = l.Close()
			}
		}
		if free {
			return base
		}
	}
	t.Fatal("no three free ports in a row")
	return 0
}
