// Command game runs one town: its simulation, its pages, and its seat on the
// network.
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
	Listen    string            `default:"127.0.0.1:8081" env:"SGIP_LISTEN" help:"Address to listen on."`
	Local     bool              `env:"SGIP_LOCAL" help:"Local mode: names under .localhost, 'Play as' for demo players."`
	Hub       string            `env:"SGIP_HUB" help:"The hub's address. In local mode http://hub.localhost:8080 unless given."`
	World     string            `default:"lagos" env:"SGIP_WORLD" help:"A built-in town (lagos, berlin) or a folder with world.json and network.json."`
	ID        string            `name:"id" env:"SGIP_ID" help:"The platform id. In local mode <world>.localhost:<port> unless given."`
	Peer      map[string]string `env:"SGIP_PEER" mapsep:"," placeholder:"NAME=PLATFORM_ID" help:"What a short name in network.json stands for."`
	Log       string            `default:"info" enum:"debug,info,warn" env:"SGIP_LOG" placeholder:"LEVEL" help:"What to log: debug, info or warn (${default}). Debug shows each envelope."`
	Data      string            `default:"data/game" env:"SGIP_DATA" type:"path" help:"Folder for the database and the key."`
	PublicURL string            `name:"public-url" env:"SGIP_PUBLIC_URL" help:"Origin of the town's own pages, if it isn't that of its id."`
	TLSCert   string            `name:"tls-cert" env:"SGIP_TLS_CERT" type:"path" help:"Certificate file."`
	TLSKey    string            `name:"tls-key" env:"SGIP_TLS_KEY" type:"path" help:"Its private key."`
	TrustCA   string            `name:"trust-ca" env:"SGIP_TRUST_CA" type:"path" help:"One more authority to trust, for tests with names of one's own."`
	Resolve   []string          `env:"SGIP_RESOLVE" placeholder:"HOST=ADDR:PORT" help:"Where a name is to be dialled, for tests; those names alone pass the guard."`
}

type commands struct {
	Serve     flags       `cmd:"" default:"withargs" help:"Run the town; this is what it does without a command."`
	RotateKey rotateFlags `cmd:"" name:"rotate-key" help:"Replace the town's key, without a missed beat."`
	Backup    backupFlags `cmd:"" help:"Copy the town's database while it runs."`
}

func main() {
	var c commands
	command := kong.Parse(&c, kong.Name("game"), kong.Description("A town on the network of games that visit each other.")).Command()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch word, _, _ := strings.Cut(command, " "); word {
	case "rotate-key":
		err = rotateKey(c.RotateKey, os.Stdout)
	case "backup":
		err = backup(ctx, c.Backup, os.Stdout)
	default:
		err = run(ctx, c.Serve, logger(c.Serve.Log))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "game: "+err.Error())
		os.Exit(1)
	}
}

// logger writes lines of a level and above.
func logger(level string) *slog.Logger {
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // one of the flag's words
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: least}))
}
