package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	starter "sgip.example/starter"
	"sgip.example/starter/game/bridge"
	gamestore "sgip.example/starter/game/store"
	"sgip.example/starter/game/worlds"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/fiberhttp"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
	"sgip.example/starter/sgip/visit"
	"sgip.example/starter/web"
	"sgip.example/starter/web/town"
)

const (
	descriptorPath = "/.well-known/sgip.json" // section 2
	inboxPath      = "/sgip/inbox"            // as in the descriptor's template
	healthPath     = "/healthz"
	readyPath      = "/readyz"
	// drainWithin is how long open requests may take to end at shutdown: a
	// purchase waits 15 s for the hub.
	drainWithin = 16 * time.Second
)

// run wires one town and serves it until ctx is done.
func run(ctx context.Context, f flags, log *slog.Logger) error {
	at, err := f.place()
	if err != nil {
		return err
	}
	folder, err := worlds.Load(f.World)
	if err != nil {
		return err
	}
	template, unknown, err := bridge.Template(starter.DescriptorTemplate(), folder.World, folder.Network, at)
	if err != nil {
		return err
	}
	for _, name := range unknown {
		log.Warn("money from an unknown peer is not accepted; name it with --peer", "peer", name)
	}
	client, err := f.client(at.Mode)
	if err != nil {
		return err
	}
	defer client.Close()

	db, err := openDatabase(ctx, f.Data, log)
	if err != nil {
		return err
	}
	defer db.Close()
	key, err := exchange.OpenKeyFile(filepath.Join(f.Data, "key"), rand.Reader, log)
	if err != nil {
		return err
	}

	newID := func() string { return ulid.Make().String() }
	folder.World.Words = town.Words(folder.World)
	simulation, err := openTown(ctx, at, folder.World, db, newID)
	if err != nil {
		return err
	}
	link := bridge.New(bridge.Config{Town: simulation, InTx: db.InTx, NewID: newID, Descriptor: template})
	seat, err := platform.New(platform.Config{
		ID: at.ID, HubURL: f.Hub, Mode: at.Mode, Template: template, Software: "sgip starter",
		Signers: key.Signers, Registered: func(keyIDs []string) {
			if err := key.Promote(keyIDs); err != nil {
				log.Error("key file", "err", err)
			}
		},
		Client: client, Store: store.NewPlatform(db), Exchange: store.NewExchange(db), InTx: db.InTx,
		Clock: time.Now, NewID: newID, Log: log,
	}, link)
	if err != nil {
		return err
	}
	visits := visit.New(visit.Config{
		Host: at.ID, Mode: at.Mode, Seat: seat, Stage: link, Store: store.NewVisit(db), InTx: db.InTx,
		Clock: time.Now, NewToken: rand.Text, Log: log,
	})
	link.Connect(seat, visits)

	site, err := web.New(web.Options{Origin: at.Origin, Name: folder.World.Name, Log: log, Fiber: fiberhttp.Config(log),
		Machine: fiberhttp.Machine(inboxPath, descriptorPath, healthPath, readyPath)})
	if err != nil {
		return err
	}
	fiberhttp.Guard(site.Fiber())
	mountProtocol(site.Fiber(), at, seat, db)
	if err := town.Mount(site, town.Config{Town: simulation, Bridge: link, Visits: visits, Seat: seat,
		Origin: at.Origin, Local: at.Mode.Local, Clock: time.Now, Log: log}); err != nil {
		return err
	}
	return serve(ctx, f, site, log, seat.Run, visits.Run, key.Follow)
}

// place settles who this town is and where it stands.
func (f *flags) place() (bridge.Place, error) {
	if f.Hub == "" {
		if !f.Local {
			return bridge.Place{}, errors.New("--hub is needed outside local mode")
		}
		f.Hub = "http://hub.localhost:8080"
	}
	mode := sgip.Mode{Local: f.Local, PlainHTTP: f.Local && strings.HasPrefix(f.Hub, "http://")}
	host, port, err := net.SplitHostPort(f.Listen)
	if err != nil {
		return bridge.Place{}, fmt.Errorf("--listen %s: want address:port", f.Listen)
	}
	if f.Local && !loopback(host) {
		return bridge.Place{}, fmt.Errorf("--local with --listen %s: local mode listens on loopback only", f.Listen)
	}
	if !f.Local && !strings.HasPrefix(f.Hub, "https://") {
		return bridge.Place{}, fmt.Errorf("--hub %s: outside local mode the hub is https", f.Hub)
	}
	if f.ID == "" {
		if !f.Local {
			return bridge.Place{}, errors.New("--id is needed outside local mode: the domain this game is known by")
		}
		f.ID = filepath.Base(f.World) + ".localhost:" + port
	}
	if !mode.ValidPlatform(f.ID) {
		return bridge.Place{}, fmt.Errorf("--id %s is no platform id: want a lower-case domain name (in local mode under .localhost)", f.ID)
	}
	for name, id := range f.Peer {
		if !mode.ValidPlatform(id) {
			return bridge.Place{}, fmt.Errorf("--peer %s=%s: %s is no platform id", name, id, id)
		}
	}
	origin := strings.TrimSuffix(f.PublicURL, "/")
	if origin == "" {
		origin = mode.Origin(f.ID)
	}
	if err := mode.CheckURL(f.ID, origin+"/visit", false); err != nil {
		return bridge.Place{}, fmt.Errorf("--public-url %s: %w", f.PublicURL, err)
	}
	return bridge.Place{ID: f.ID, Origin: origin, Mode: mode, Peers: f.Peer}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (f *flags) client(mode sgip.Mode) (*outbound.Client, error) {
	resolve, err := outbound.ParseResolve(f.Resolve)
	if err != nil {
		return nil, fmt.Errorf("--resolve: %w", err)
	}
	var authority []byte
	if f.TrustCA != "" {
		if authority, err = os.ReadFile(f.TrustCA); err != nil {
			return nil, fmt.Errorf("--trust-ca: %w", err)
		}
	}
	return outbound.New(outbound.Options{Mode: mode, TrustCA: authority, Resolve: resolve, Clock: time.Now})
}

// openDatabase opens the database in the town's folder and brings it up to date.
func openDatabase(ctx context.Context, folder string, log *slog.Logger) (*storage.DB, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	db, err := storage.Open(ctx, filepath.Join(folder, "game.db"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(store.Migrate(ctx, db), gamestore.Migrate(ctx, db)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if warning := db.Warning(); warning != "" {
		log.Warn(warning)
	}
	return db, nil
}

// mountProtocol puts the descriptor and the inbox of section 2 on the app, and health.
func mountProtocol(app *fiber.App, at bridge.Place, seat *platform.Seat, db *storage.DB) {
	app.All(inboxPath, fiberhttp.Inbox(seat.Inbox()))
	app.Get(descriptorPath, fiberhttp.JSON(func(context.Context) ([]byte, error) { return seat.Descriptor(), nil }))
	app.Get(healthPath, func(c *fiber.Ctx) error {
		return c.JSON(fiber.Map{"id": at.ID, "registered": seat.Registered(), "time": sgip.FormatTime(time.Now())})
	})
	app.Get(readyPath, func(c *fiber.Ctx) error {
		if err := db.Conn(c.UserContext()).Exec("SELECT 1").Error; err != nil {
			return fmt.Errorf("read the database: %w", err)
		}
		return c.JSON(fiber.Map{"ready": true})
	})
}

// serve listens until ctx is done. Then it takes no more requests, lets those
// under way end while the workers still work for them, and only then stops these.
func serve(ctx context.Context, f flags, site *web.App, log *slog.Logger, workers ...func(context.Context) error) error {
	listener, err := listen(f)
	if err != nil {
		return err
	}
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	all, ctx := errgroup.WithContext(ctx)
	for _, work := range workers {
		all.Go(func() error { return work(working) })
	}
	all.Go(func() error { return site.Fiber().Listener(listener) })
	all.Go(func() error {
		defer stop()
		<-ctx.Done()
		log.Info("draining")
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
		defer cancel()
		return site.Shutdown(wait)
	})
	log.Info("ready", "address", listener.Addr().String())
	return all.Wait()
}

func listen(f flags) (net.Listener, error) {
	l, err := net.Listen("tcp", f.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: something else uses it, or it isn't this machine's (%w)", f.Listen, err)
	}
	if f.TLSCert == "" && f.TLSKey == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--tls-cert and --tls-key: %w", err), l.Close())
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}
