package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

const (
	// stopWithin is how long a part may take to drain before it is killed.
	stopWithin = 15 * time.Second
	// pollEvery is how often a part is asked whether it is ready.
	pollEvery = 25 * time.Millisecond
	// maxLine bounds one log line of a part.
	maxLine = 1 << 20
)

// troupe is the running processes.
type troupe struct {
	out    io.Writer
	write  sync.Mutex
	procs  []*exec.Cmd
	gone   []chan struct{}
	ended  chan string
	prints sync.WaitGroup
}

func newTroupe(out io.Writer) *troupe {
	return &troupe{out: out, ended: make(chan string, 3)}
}

// start runs one part with its log prefixed by its name.
func (t *troupe) start(p part, bin string) error {
	cmd := exec.Command(filepath.Join(bin, p.bin), p.args...)
	dieWithParent(cmd)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	gone := make(chan struct{})
	t.procs, t.gone = append(t.procs, cmd), append(t.gone, gone)
	t.prints.Go(func() { t.prefix(p.name, reader) })
	go func() {
		// How it ended shows in its own log; here it only matters that it did.
		_ = cmd.Wait()
		_ = writer.Close()
		close(gone)
		t.ended <- p.name
	}()
	return nil
}

func (t *troupe) prefix(name string, from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		t.write.Lock()
		fmt.Fprintf(t.out, "%-6s │ %s\n", name, lines.Text())
		t.write.Unlock()
	}
	// A line over maxLine ends the scan; the part must not block on its pipe.
	_, _ = io.Copy(io.Discard, from)
}

// waitReady returns once every part answers and both towns are registered.
func (t *troupe) waitReady(ctx context.Context, parts []part) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for _, p := range parts {
		for !healthy(ctx, p) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s isn't ready after %s; its last lines above say why", p.name, readyWithin)
			case name := <-t.ended:
				return errors.New(name + " ended before it was ready; its last lines above say why")
			case <-tick.C:
			}
		}
	}
	return nil
}

// healthy asks the part by its port, not by its name, which not every system
// resolves, and makes sure that it is our server that answers.
func healthy(ctx context.Context, p part) bool {
	url := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)) + "/healthz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	req.Host = p.host
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var health struct {
		ID         string `json:"id"`
		Registered *bool  `json:"registered"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 4<<10)).Decode(&health) != nil {
		return false
	}
	if p.bin == "hub" {
		return health.ID == "sgip-hub"
	}
	return health.ID == p.host && health.Registered != nil && *health.Registered
}

// stop asks every part to drain, and kills what doesn't.
func (t *troupe) stop() {
	for _, cmd := range t.procs {
		if cmd.Process.Signal(os.Interrupt) != nil {
			_ = cmd.Process.Kill() // already gone, or a system without interrupts
		}
	}
	deadline := time.NewTimer(stopWithin)
	defer deadline.Stop()
	for i, gone := range t.gone {
		select {
		case <-gone:
		case <-deadline.C:
			_ = t.procs[i].Process.Kill()
			<-gone
			deadline.Reset(0)
		}
	}
	t.prints.Wait()
}
