// Command game runs one town: its simulation, its pages, and its seat on the
// network.
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
	Listen    string            `default:"127.0.0.1:8081" env:"SGIP_LISTEN" help:"Address to listen on."`
	Local     bool              `env:"SGIP_LOCAL" help:"Local mode: names under .localhost, 'Play as' for demo players."`
	Hub       string            `env:"SGIP_HUB" help:"The hub's address. In local mode http://hub.localhost:8080 unless given."`
	World     string            `default:"lagos" env:"SGIP_WORLD" help:"A built-in town (lagos, berlin) or a folder with world.json and network.json."`
	ID        string            `name:"id" env:"SGIP_ID" help:"The platform id. In local mode <world>.localhost:<port> unless given."`
	Peer      map[string]string `env:"SGIP_PEER" mapsep:"," placeholder:"NAME=PLATFORM_ID" help:"What a short name in network.json stands for."`
	Data      string            `default:"data/game" env:"SGIP_DATA" type:"path" help:"Folder for the database and the key."`
	PublicURL string            `name:"public-url" env:"SGIP_PUBLIC_URL" help:"Origin of the town's own pages, if it isn't that of its id."`
	TLSCert   string            `name:"tls-cert" env:"SGIP_TLS_CERT" type:"path" help:"Certificate file."`
	TLSKey    string            `name:"tls-key" env:"SGIP_TLS_KEY" type:"path" help:"Its private key."`
	TrustCA   string            `name:"trust-ca" env:"SGIP_TRUST_CA" type:"path" help:"One more authority to trust, for tests with names of one's own."`
	Resolve   []string          `env:"SGIP_RESOLVE" placeholder:"HOST=ADDR:PORT" help:"Where a name is to be dialled, for tests; those names alone pass the guard."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("game"), kong.Description("A town on the network of games that visit each other."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(ctx, f, log); err != nil {
		fmt.Fprintln(os.Stderr, "game: "+err.Error())
		os.Exit(1)
	}
}
