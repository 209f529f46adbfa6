package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/storage"
)

type rotateFlags struct {
	Data string `default:"data/game" env:"SGIP_DATA" type:"path" help:"The town's folder."`
}

type backupFlags struct {
	Data string `default:"data/game" env:"SGIP_DATA" type:"path" help:"The town's folder."`
	File string `arg:"" type:"path" help:"Where the copy goes; it must not exist yet."`
}

// rotateKey makes the key that is to follow. A running town, or one that starts
// later, lists both, says hello, drops the old one and says hello again.
func rotateKey(f rotateFlags, out io.Writer) error {
	id, err := exchange.PrepareKey(filepath.Join(f.Data, "key"), rand.Reader)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "the key %s follows as soon as the hub knows it; a running town sees to that by itself\n", id)
	return err
}

// backup copies the database. To restore it, stop the town, put the copy in
// place of game.db, take game.db-wal and game.db-shm away, and start.
func backup(ctx context.Context, f backupFlags, out io.Writer) (err error) {
	db, err := storage.OpenBeside(ctx, filepath.Join(f.Data, "game.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Backup(ctx, f.File); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "copied to %s; the key is a file of its own: %s\n", f.File, filepath.Join(f.Data, "key"))
	return err
}
