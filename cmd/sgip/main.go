// Command sgip is a toolbox for those who implement the protocol, in whatever
// language: keys, signatures, passports, conversions, schemas, and the checks
// that a game must pass. It ends with 0 when all is well, 1 when what it looked
// at isn't right, and 2 when it couldn't look.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t := &tool{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		now: time.Now, random: rand.Reader, newID: func() string { return ulid.Make().String() },
	}
	os.Exit(t.run(ctx, os.Args[1:]))
}
