package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	gamestore "sgip.example/starter/game/store"
	"sgip.example/starter/sgip/storage"
)

// openTown makes the simulation ready to serve: in local mode with its demo
// players, with the gates as its keeper left them.
func openTown(ctx context.Context, at bridge.Place, w *game.World, db *storage.DB, newID func() string) (*game.Town, error) {
	town := game.New(w, gamestore.New(db), db.InTx, time.Now, newID, rand.Reader)
	if at.Mode.Local {
		if err := town.Seed(ctx); err != nil {
			return nil, fmt.Errorf("make the demo players: %w", err)
		}
	}
	if err := town.LoadGates(ctx); err != nil {
		return nil, fmt.Errorf("read the gates: %w", err)
	}
	if err := inviteKeeper(ctx, town, at.Origin, os.Stdout); err != nil {
		// A town without a keeper is still a town: a full disk, say, must not shut it.
		fmt.Fprintf(os.Stderr, "game: no keeper's link this time: %v\n", err)
	}
	return town, nil
}

// inviteKeeper prints a one-time link that makes an account the town's keeper,
// until someone has used one. It is for whoever starts the town, so it goes to
// their terminal and not to the log. Its key stands in the fragment, which
// browsers send to nobody.
func inviteKeeper(ctx context.Context, town *game.Town, origin string, out io.Writer) error {
	key, err := town.KeeperKey(ctx)
	if err != nil || key == "" {
		return err
	}
	_, err = fmt.Fprintf(out, "No one keeps %s yet. Sign in there, then open this link once to become its keeper:\n  %s/keeper#key=%s\n",
		town.World().Name, origin, key)
	return err
}
