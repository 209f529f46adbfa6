package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/fiberhttp"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
	"sgip.example/starter/vocabulary"
	"sgip.example/starter/web"
	"sgip.example/starter/web/hubsite"
)

const (
	keyFilePath = "/.well-known/sgip-hub.json" // section 3
	healthPath  = "/healthz"
	readyPath   = "/readyz"
)

// run wires the hub and serves it until ctx is done.
func run(ctx context.Context, f flags, log *slog.Logger) error {
	origin, mode, err := f.place()
	if err != nil {
		return err
	}
	client, err := f.client(mode)
	if err != nil {
		return err
	}
	defer client.Close()
	words, err := vocabulary.Load()
	if err != nil {
		return err
	}

	db, err := openDatabase(ctx, filepath.Join(f.Data, "hub.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	if warning := db.Warning(); warning != "" {
		log.Warn(warning)
	}
	key, err := exchange.OpenKeyFile(filepath.Join(f.Data, "key"), rand.Reader, log)
	if err != nil {
		return err
	}

	h, err := hub.New(hub.Config{
		PublicURL: origin, Mode: mode, Signer: key.Signer, Client: client,
		Store: store.NewHub(db), Exchange: store.NewExchange(db), InTx: db.InTx,
		Clock: time.Now, NewID: func() string { return ulid.Make().String() },
		Stat: func(id string) bool { return words.Has(vocabulary.Stats, id) }, Rate: f.RateLimit, Log: log,
	})
	if err != nil {
		return err
	}
	site, err := web.New(web.Options{Origin: origin, Name: "Hub", Log: log, Fiber: fiberhttp.Config(log),
		Machine: fiberhttp.Machine(hub.OpsPath, keyFilePath, healthPath, readyPath)})
	if err != nil {
		return err
	}
	mountProtocol(site.Fiber(), h, db)
	if err := hubsite.Mount(site, h); err != nil {
		return err
	}
	fiberhttp.Guard(site.Fiber())
	return serve(ctx, f, site, log, h.Run, key.Follow)
}

func openDatabase(ctx context.Context, path string) (*storage.DB, error) {
	db, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := store.Migrate(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// mountProtocol puts what section 3 serves on the app, and health.
func mountProtocol(app *fiber.App, h *hub.Hub, db *storage.DB) {
	app.All(hub.OpsPath, fiberhttp.Inbox(h.Inbox()))
	app.Get(keyFilePath, fiberhttp.JSON(h.KeyFile))
	// The time is there so that a game whose clock drifts can see by how much.
	app.Get(healthPath, func(c *fiber.Ctx) error {
		return c.JSON(fiber.Map{"id": sgip.HubID, "time": sgip.FormatTime(time.Now())})
	})
	app.Get(readyPath, func(c *fiber.Ctx) error {
		if err := db.Conn(c.UserContext()).Exec("SELECT 1").Error; err != nil {
			return fmt.Errorf("read the database: %w", err)
		}
		return c.JSON(fiber.Map{"ready": true})
	})
}
