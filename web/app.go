// Package web is the shell that every page of a town and of the hub stands in:
// the Fiber app with its guards and headers, templates in their layout, hashed
// assets, event streams and money in words. It knows no game and no protocol.
//
// Call New first, then Mount templates and assets, then add routes on Fiber()
// and answer them with Render. A page is a template named for it ("travel"); it
// holds what stands inside <body> below the bar. Beside it there may be
// "travel-title" (the document's title) and "travel-<id>" for each part of the
// page that can be asked for alone with the header X-Fragment: <id>. Whole
// documents (the visit page) go through RenderBare.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/recover"
)

// Options are what the shell must know of its site.
type Options struct {
	Origin string   // the site's own origin, from configuration, never from a request
	Hosts  []string // Host headers that are this site; empty: the origin's own host
	Name   string   // of the town or the hub
	Log    *slog.Logger

	// Fiber is the server's configuration where the caller has limits of its own.
	// Its ErrorHandler answers machine paths.
	Fiber fiber.Config
	// Machine tells the paths that are no pages: the signed protocol, descriptors,
	// health. They get no page headers, no Origin check and no error page, since
	// their callers are programs that prove themselves otherwise. May be nil.
	Machine func(path string) bool
}

// App is one site.
type App struct {
	options Options
	fiber   *fiber.App
	assets  *assets
	pages   *pages
	done    chan struct{}
	once    sync.Once
}

// New builds the site's Fiber app with everything that guards its pages. It
// fails where the origin in the options isn't one.
func New(o Options) (*App, error) {
	u, err := url.Parse(o.Origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" {
		return nil, fmt.Errorf("site origin %q: want scheme://host[:port]", o.Origin)
	}
	if len(o.Hosts) == 0 {
		o.Hosts = []string{u.Host}
	}
	if o.Machine == nil {
		o.Machine = func(string) bool { return false }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{options: o, done: make(chan struct{})}
	if a.assets, err = newAssets(); err != nil {
		return nil, fmt.Errorf("shell assets: %w", err)
	}
	if a.pages, err = newPages(a); err != nil {
		return nil, fmt.Errorf("shell templates: %w", err)
	}
	a.fiber = fiber.New(a.config())
	a.guard()
	return a, nil
}

// Fiber is where routes are added.
func (a *App) Fiber() *fiber.App { return a.fiber }

// Shutdown closes open event streams, then lets requests under way finish.
func (a *App) Shutdown(ctx context.Context) error {
	a.once.Do(func() { close(a.done) })
	return a.fiber.ShutdownWithContext(ctx)
}

// config lays what pages rest on over the caller's own server limits. Immutable
// matters: Fiber hands out views of memory that the next request overwrites.
func (a *App) config() fiber.Config {
	c := a.options.Fiber
	c.CaseSensitive, c.StrictRouting, c.Immutable = true, true, true
	c.DisableStartupMessage = true
	if c.ReadBufferSize == 0 {
		c.ReadBufferSize = headerLimit
	}
	if c.BodyLimit == 0 {
		c.BodyLimit = formLimit
	}
	machine := c.ErrorHandler
	c.ErrorHandler = func(ctx *fiber.Ctx, err error) error {
		if machine != nil && a.options.Machine(ctx.Path()) {
			return machine(ctx, err)
		}
		return a.Fail(ctx, err)
	}
	return c
}

// headerLimit lets a browser's cookies and a guest's token through; Fiber's own
// 4 KiB answers 431 before any handler runs.
const headerLimit = 16 << 10

// formLimit bounds what a page may post; the longest form is a letter of 1,000
// characters.
const formLimit = 64 << 10

func (a *App) guard() {
	origin := CheckOrigin(a.options.Origin)
	a.fiber.Use(recover.New(recover.Config{EnableStackTrace: true, StackTraceHandler: a.logPanic}))
	a.fiber.Use(func(c *fiber.Ctx) error {
		if a.options.Machine(c.Path()) {
			return c.Next()
		}
		pageHeaders(c)
		if !slices.Contains(a.options.Hosts, c.Get(fiber.HeaderHost)) {
			return fiber.NewError(fiber.StatusMisdirectedRequest, "unknown host")
		}
		return origin(c)
	})
	a.fiber.Use(a.compress)
	a.fiber.Get("/assets/+", a.assets.serve)
}

func (a *App) logPanic(c *fiber.Ctx, cause any) {
	a.options.Log.Error("page panicked", "path", strings.Clone(c.Path()), "cause", fmt.Sprint(cause))
}

// CheckOrigin refuses a POST (and any other method that changes something)
// whose Origin isn't the site's own. Browsers send Origin with each of these, so
// a request without one comes from no page of ours.
func CheckOrigin(origin string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		switch c.Method() {
		case fiber.MethodGet, fiber.MethodHead, fiber.MethodOptions:
			return c.Next()
		}
		if c.Get(fiber.HeaderOrigin) != origin {
			return fiber.NewError(fiber.StatusForbidden, "foreign origin")
		}
		return c.Next()
	}
}

// Fail answers an error with a page in plain words. What the words say comes
// from the status alone, so no inner detail leaves the house.
func (a *App) Fail(c *fiber.Ctx, err error) error {
	status := fiber.StatusInternalServerError
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		status = e.Code
	}
	if status >= fiber.StatusInternalServerError {
		a.options.Log.Error("page failed", "method", c.Method(), "path", c.Path(), "error", err)
	}
	pageHeaders(c)
	return a.Render(c, status, "error", failure(status))
}
