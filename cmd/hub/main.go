// Command hub runs the bundled hub: the one party that all games on a network
// talk to.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

type flags struct {
	Listen    string   `default:"127.0.0.1:8080" env:"SGIP_LISTEN" placeholder:"ADDR:PORT" help:"Address to listen on (${default})."`
	Local     bool     `env:"SGIP_LOCAL" help:"Local mode: games under .localhost on this machine, no certificates."`
	RateLimit int      `name:"rate-limit" default:"600" env:"SGIP_RATE_LIMIT" placeholder:"N" help:"How many of one operation a game may send in a minute (${default}); of messages and invites a tenth."`
	Log       string   `default:"info" enum:"debug,info,warn" env:"SGIP_LOG" placeholder:"LEVEL" help:"What to log: debug, info or warn (${default}). Debug shows each envelope."`
	Data      string   `default:"data/hub" env:"SGIP_DATA" type:"path" placeholder:"DIR" help:"Folder for the database and the key (${default})."`
	PublicURL string   `name:"public-url" env:"SGIP_PUBLIC_URL" placeholder:"URL" help:"Origin that games reach this hub at. In local mode http://hub.localhost:<port> unless given."`
	TLSCert   string   `name:"tls-cert" env:"SGIP_TLS_CERT" type:"path" placeholder:"FILE" help:"Certificate, with its chain."`
	TLSKey    string   `name:"tls-key" env:"SGIP_TLS_KEY" type:"path" placeholder:"FILE" help:"Its private key."`
	TrustCA   string   `name:"trust-ca" env:"SGIP_TRUST_CA" type:"path" placeholder:"FILE" help:"One more authority to trust, for tests with names of one's own."`
	Resolve   []string `env:"SGIP_RESOLVE" placeholder:"HOST=ADDR:PORT" help:"Where a name is to be dialled, for tests; those names alone pass the guard."`
}

type commands struct {
	Serve     flags        `cmd:"" default:"withargs" help:"Run the hub; this is what it does without a command."`
	Suspend   suspendFlags `cmd:"" help:"Shut a game out, until it is resumed."`
	Resume    suspendFlags `cmd:"" help:"Let a suspended game in again."`
	RotateKey rotateFlags  `cmd:"" name:"rotate-key" help:"Replace the hub's key at once."`
	Audit     auditFlags   `cmd:"" help:"Prove from the books that no coin is missing. Works beside a running hub."`
}

func main() {
	var c commands
	command := kong.Parse(&c, kong.Name("hub"), kong.Description("The hub of a network of games that visit each other.")).Command()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status, err := 1, error(nil)
	switch word, _, _ := strings.Cut(command, " "); word {
	case "audit":
		status, err = audit(ctx, c.Audit, os.Stdout)
	case "suspend":
		err = suspend(ctx, c.Suspend, os.Stdout)
	case "resume":
		err = resume(ctx, c.Resume, os.Stdout)
	case "rotate-key":
		err = rotateKey(c.RotateKey, os.Stdout)
	default:
		err = run(ctx, c.Serve, logger(c.Serve.Log))
	}
	if err == nil && !strings.HasPrefix(command, "audit") {
		status = 0
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hub: "+err.Error())
	}
	os.Exit(status)
}

// logger writes lines of a level and above.
func logger(level string) *slog.Logger {
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // one of the flag's words
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: least}))
}
