package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// part is one process of the demo.
type part struct {
	name string // hub, lagos, berlin
	host string // lagos.localhost:8081
	port int
	bin  string // hub or game
	args []string
}

func (p part) url() string { return "http://" + p.host }

// cast lists the three parts in the order in which they start.
func cast(base int, folder string) []part {
	host := func(name string, offset int) string {
		return name + ".localhost:" + strconv.Itoa(base+offset)
	}
	listen := func(offset int) string { return "127.0.0.1:" + strconv.Itoa(base+offset) }
	hub, lagos, berlin := host("hub", 0), host("lagos", 1), host("berlin", 2)
	town := func(name, id string, offset int, peer string) part {
		return part{name: name, host: id, port: base + offset, bin: "game", args: []string{
			"--local", "--world", name, "--id", id, "--listen", listen(offset),
			"--hub", "http://" + hub, "--peer", peer, "--data", filepath.Join(folder, name)}}
	}
	return []part{
		{name: "hub", host: hub, port: base, bin: "hub", args: []string{
			"--local", "--listen", listen(0), "--public-url", "http://" + hub, "--data", filepath.Join(folder, "hub")}},
		town("lagos", lagos, 1, "berlin="+berlin),
		town("berlin", berlin, 2, "lagos="+lagos),
	}
}

// checkPorts names the first port that something else holds.
func checkPorts(parts []part, base int) error {
	for _, p := range parts {
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(p.port))
		if err != nil {
			return fmt.Errorf("port %d is busy, and %s needs it. Stop what uses it, or move the whole demo: make demo PORT_BASE=%d (without make: go run ./cmd/demo --port-base %d)",
				p.port, p.name, base+1000, base+1000)
		}
		if err := l.Close(); err != nil {
			return fmt.Errorf("free port %d: %w", p.port, err)
		}
	}
	return nil
}

// build compiles hub and game from the module that the demo stands in.
func build(ctx context.Context, bin string) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("the go command isn't on the PATH: install Go from https://go.dev/dl and try again")
	}
	if _, err := os.Stat("go.mod"); errors.Is(err, fs.ErrNotExist) {
		return errors.New("run it from the project's folder, where go.mod is")
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", bin+string(filepath.Separator), "./cmd/hub", "./cmd/game")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build hub and game: %w", err)
	}
	return nil
}

// greeting is what the audience reads once the curtain is up.
func greeting(parts []part) string {
	hub, lagos, berlin := parts[0], parts[1], parts[2]
	return fmt.Sprintf(`
  ready

    Lagos   %s
    Berlin  %s
    Hub     %s

  Three things to try
    1. Open Lagos and walk in as Tunde: go to the buka and chop, or earn at the motor park.
    2. Open Berlin in a second window as Lena, make her write to tunde@%s, and answer.
    3. As Tunde, go to the travel desk, choose a budget and visit Berlin: walk to the
       Imbiss, buy a Currywurst, and watch the money leave your wallet in Lagos.

  If your browser doesn't find these names (Safari doesn't know *.localhost), use
  Chrome, Firefox or Edge. Ctrl-C stops everything; --fresh (make demo FRESH=1) starts over.

`, lagos.url(), berlin.url(), hub.url(), lagos.host)
}
