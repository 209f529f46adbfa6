package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkDemoReady tells how long the demo takes from its start to 'ready',
// with a warm build, each time on fresh data.
func BenchmarkDemoReady(b *testing.B) {
	b.Chdir("../..")
	var took []float64
	once := func() time.Duration {
		f := flags{PortBase: freePorts(b), Data: b.TempDir()}
		reader, writer := io.Pipe()
		ctx, stop := context.WithCancel(b.Context())
		defer stop()
		ended := make(chan error, 1)
		began := time.Now()
		go func() {
			ended <- run(ctx, f, writer)
			_ = writer.Close()
		}()
		ready := readUntil(reader, "ready\n")
		elapsed := time.Since(began)
		stop()
		_, _ = io.Copy(io.Discard, reader)
		if err := <-ended; err != nil || !ready {
			b.Fatalf("ready %v, %v", ready, err)
		}
		return elapsed
	}
	once() // warms the build
	for range b.N {
		took = append(took, once().Seconds())
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "s-to-ready")
}

// readUntil reads until a line ends in text.
func readUntil(from io.Reader, text string) bool {
	var seen strings.Builder
	chunk := make([]byte, 4<<10)
	for {
		n, err := from.Read(chunk)
		seen.Write(chunk[:n])
		if strings.Contains(seen.String(), "  "+text) {
			return true
		}
		if err != nil {
			return false
		}
	}
}
