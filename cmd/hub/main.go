// Command hub runs the bundled hub: the one party that all games on a network
// talk to.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type flags struct {
	Listen    string   `default:"127.0.0.1:8080" env:"SGIP_LISTEN" placeholder:"ADDR:PORT" help:"Address to listen on (${default})."`
	Local     bool     `env:"SGIP_LOCAL" help:"Local mode: games under .localhost on this machine, no certificates."`
	Data      string   `default:"data/hub" env:"SGIP_DATA" type:"path" placeholder:"DIR" help:"Folder for the database and the key (${default})."`
	PublicURL string   `name:"public-url" env:"SGIP_PUBLIC_URL" placeholder:"URL" help:"Origin that games reach this hub at. In local mode http://hub.localhost:<port> unless given."`
	TLSCert   string   `name:"tls-cert" env:"SGIP_TLS_CERT" type:"path" placeholder:"FILE" help:"Certificate, with its chain."`
	TLSKey    string   `name:"tls-key" env:"SGIP_TLS_KEY" type:"path" placeholder:"FILE" help:"Its private key."`
	TrustCA   string   `name:"trust-ca" env:"SGIP_TRUST_CA" type:"path" placeholder:"FILE" help:"One more authority to trust, for tests with names of one's own."`
	Resolve   []string `env:"SGIP_RESOLVE" placeholder:"HOST=ADDR:PORT" help:"Where a name is to be dialled, for tests; those names alone pass the guard."`
}

type commands struct {
	Serve flags      `cmd:"" default:"withargs" help:"Run the hub; this is what it does without a command."`
	Audit auditFlags `cmd:"" help:"Prove from the books that no coin is missing. Works beside a running hub."`
}

func main() {
	var c commands
	command := kong.Parse(&c, kong.Name("hub"), kong.Description("The hub of a network of games that visit each other.")).Command()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	status, err := 1, error(nil)
	switch command {
	case "audit":
		status, err = audit(ctx, c.Audit, os.Stdout)
	default:
		if err = run(ctx, c.Serve, log); err == nil {
			status = 0
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hub: "+err.Error())
	}
	os.Exit(status)
}
