// Command demo builds and starts a hub and two towns, Lagos and Berlin, on this
// machine, waits until both are registered, and prints where to go and what to
// try. Ctrl-C stops all three.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// readyWithin bounds the wait for three processes on a slow laptop.
const readyWithin = 60 * time.Second

type flags struct {
	PortBase int    `default:"8080" env:"SGIP_PORT_BASE" help:"First of three ports: hub, Lagos, Berlin. Another base is another demo, with data of its own."`
	Fresh    bool   `env:"SGIP_FRESH" help:"Forget what an earlier demo left behind."`
	Data     string `default:"data" env:"SGIP_DATA" help:"Folder for the demo's data." type:"path"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("demo"), kong.Description("Two towns and a hub on this machine."))
	// Children die with the thread that started them (see child_linux.go).
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "demo: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags, out io.Writer) error {
	if f.PortBase < 1024 || f.PortBase > 65533 {
		return fmt.Errorf("--port-base %d: choose a port from 1024 to 65533", f.PortBase)
	}
	folder, err := prepareFolder(f)
	if err != nil {
		return err
	}
	parts := cast(f.PortBase, folder)
	if err := checkPorts(parts, f.PortBase); err != nil {
		return err
	}
	bin := filepath.Join(folder, "bin")
	fmt.Fprintln(out, "building hub and game; the first time takes a minute …")
	if err := build(ctx, bin); err != nil {
		return err
	}
	return perform(ctx, parts, bin, out)
}

// prepareFolder gives each port base a folder of its own, since ids carry the port.
func prepareFolder(f flags) (string, error) {
	folder := filepath.Join(f.Data, "demo-"+strconv.Itoa(f.PortBase))
	if f.Fresh {
		if err := os.RemoveAll(folder); err != nil {
			return "", fmt.Errorf("forget the earlier demo: %w", err)
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the data folder: %w", err)
	}
	return folder, nil
}

// perform starts the parts, waits until all are ready, and stays until Ctrl-C
// or until one of them ends by itself.
func perform(ctx context.Context, parts []part, bin string, out io.Writer) error {
	show := newTroupe(out)
	defer show.stop()
	for _, p := range parts {
		if err := show.start(p, bin); err != nil {
			return err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	if err := show.waitReady(waiting, parts); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	fmt.Fprint(out, greeting(parts))
	select {
	case <-ctx.Done():
		return nil
	case name := <-show.ended:
		if ctx.Err() != nil {
			return nil
		}
		return errors.New(name + " ended by itself; its last lines above say why. The others are being stopped")
	}
}
