// Package hubsite is the hub's pages for people: the counter where papers are
// stamped, with its board of games. Call Mount; the hub's own protocol lives in
// sgip/hub and asks nothing of this package.
package hubsite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/web"
)

//go:embed templates assets
var files embed.FS

// Board is what the counter shows.
type Board interface {
	Games(ctx context.Context) ([]hub.BoardRow, error)
}

var _ Board = (*hub.Hub)(nil)

type pages struct {
	app   *web.App
	games Board
}

// Mount adds the hub's pages, templates and assets to the app.
func Mount(a *web.App, b Board) error {
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		return fmt.Errorf("hub assets: %w", err)
	}
	if err := a.MountAssets(assets); err != nil {
		return fmt.Errorf("hub assets: %w", err)
	}
	templates, err := fs.Sub(files, "templates")
	if err != nil {
		return fmt.Errorf("hub templates: %w", err)
	}
	if err := a.MountTemplates(templates, nil); err != nil {
		return err
	}
	p := &pages{app: a, games: b}
	a.Fiber().Get("/", p.board)
	return nil
}

// boardView is the board of games.
type boardView struct {
	Rows           []row
	Online, Guests int
}

// row is one game on the board.
type row struct {
	hub.BoardRow
	Since, SinceISO string
	Seen, SeenISO   string
}

func (p *pages) board(c *fiber.Ctx) error {
	games, err := p.games.Games(c.UserContext())
	if err != nil {
		return err
	}
	var v boardView
	for _, g := range games {
		if g.Online {
			v.Online++
		}
		v.Guests += g.Visits
		v.Rows = append(v.Rows, newRow(g))
	}
	return p.app.Render(c, fiber.StatusOK, "board", v)
}

func newRow(g hub.BoardRow) row {
	if g.Icon == "" {
		g.Icon = "🎟️"
	}
	since, seen := g.RegisteredAt.UTC(), g.LastSeen.UTC()
	return row{BoardRow: g, Since: since.Format("2 Jan 2006"), SinceISO: since.Format(time.RFC3339),
		Seen: seen.Format("2 Jan 15:04"), SeenISO: seen.Format(time.RFC3339)}
}
