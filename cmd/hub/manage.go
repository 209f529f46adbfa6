package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// What these commands change, a running hub follows within a second.

type suspendFlags struct {
	Data     string `default:"data/hub" env:"SGIP_DATA" type:"path" placeholder:"DIR" help:"The hub's folder (${default})."`
	Platform string `arg:"" placeholder:"ID" help:"The game's platform id."`
}

type rotateFlags struct {
	Data string `default:"data/hub" env:"SGIP_DATA" type:"path" placeholder:"DIR" help:"The hub's folder (${default})."`
}

// suspend shuts a game out: its requests are forbidden, its hello too, and the
// directory leaves it out. It needn't be registered.
func suspend(ctx context.Context, f suspendFlags, out io.Writer) error {
	done := "%s is suspended now\n"
	err := f.change(ctx, func(ctx context.Context, s *store.Hub) error {
		first, err := s.Suspend(ctx, f.Platform, time.Now())
		if !first {
			done = "%s was suspended already\n"
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, done, f.Platform)
	return err
}

// resume lets it in again.
func resume(ctx context.Context, f suspendFlags, out io.Writer) error {
	err := f.change(ctx, func(ctx context.Context, s *store.Hub) error {
		was, err := s.Resume(ctx, f.Platform)
		if err == nil && !was {
			return fmt.Errorf("%s isn't suspended", f.Platform)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is let in again\n", f.Platform)
	return err
}

// change works on the hub's database, beside a hub that may be running.
func (f suspendFlags) change(ctx context.Context, do func(ctx context.Context, s *store.Hub) error) (err error) {
	if !(sgip.Mode{Local: true}).ValidPlatform(f.Platform) {
		return fmt.Errorf("%s isn't a platform id", f.Platform)
	}
	db, err := storage.OpenBeside(ctx, filepath.Join(f.Data, "hub.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := store.Migrate(ctx, db); err != nil {
		return err
	}
	return db.InTx(ctx, func(ctx context.Context) error { return do(ctx, store.NewHub(db)) })
}

// rotateKey replaces the hub's key. Games learn the new one by themselves (6.1);
// passports signed with the old one are worth nothing from then on.
func rotateKey(f rotateFlags, out io.Writer) error {
	id, err := exchange.ReplaceKey(filepath.Join(f.Data, "key"), rand.Reader)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "the hub's key is %s now\n", id)
	return err
}
