package platform_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/platform"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// toy is a whole game: people, and what they have been told.
type toy map[string]chan string

func (g toy) Discoverable(_ context.Context, handle, _ string) (platform.Player, error) {
	if g[handle] == nil {
		return platform.Player{}, sgip.Errorf(sgip.NotFound, "nobody")
	}
	return platform.Player{Handle: handle, Name: strings.ToUpper(handle)}, nil
}

func (g toy) Receive(ctx context.Context, m platform.Message) error {
	handle, _, _ := strings.Cut(m.To, "@")
	if _, err := g.Discoverable(ctx, handle, m.From); err != nil {
		return err
	}
	storage.AfterCommit(ctx, func() { g[handle] <- m.From + ": " + m.Text })
	return nil
}

// join puts the game on the network and serves the three things that every
// platform serves: descriptor, inbox and visit page.
func (g toy) join(ctx context.Context, listener net.Listener, id, hub, folder string) error {
	db, err := storage.Open(ctx, folder+"/toy.db")
	if err != nil {
		return err
	}
	if err := store.Migrate(ctx, db); err != nil {
		return err
	}
	key, err := exchange.LoadKey(folder+"/toy.key", rand.Reader)
	if err != nil {
		return err
	}
	mode := sgip.Mode{Local: true, PlainHTTP: true}
	client, err := outbound.New(outbound.Options{Mode: mode, Clock: time.Now})
	if err != nil {
		return err
	}
	seat, err := platform.New(platform.Config{
		ID: id, HubURL: hub, Mode: mode, Client: client,
		Template: sgip.Descriptor{Name: "Toy", Inbox: mode.Origin(id) + "/inbox", Visit: mode.Origin(id) + "/visit"},
		Signers:  func() []sgip.Signer { return []sgip.Signer{key} },
		Store:    store.NewPlatform(db), Exchange: store.NewExchange(db), InTx: db.InTx,
		Clock: time.Now, NewID: func() string { return ulid.Make().String() }, Log: slog.New(slog.DiscardHandler),
	}, g)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/sgip.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(seat.Descriptor())
	})
	mux.Handle("POST /inbox", inboxHandler(seat.Inbox()))
	mux.HandleFunc("GET /visit", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><p>Nothing to see yet.") })
	go func() { _ = http.Serve(listener, mux) }()
	go func() { _ = seat.Run(ctx) }()
	return nil
}

// inboxHandler mounts an inbox on net/http.
func inboxHandler(in *exchange.Inbox) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, sgip.MaxBody+1))
		if err != nil {
			return // whoever asked is gone
		}
		answer := in.Serve(r.Context(), exchange.Request{
			Method: r.Method, Target: r.RequestURI, Signatures: r.Header.Values(sgip.SignatureHeader),
			ContentTypes: r.Header.Values("Content-Type"), ContentEncodings: r.Header.Values("Content-Encoding"),
			TransferEncoding: len(r.TransferEncoding) > 0, Body: body, TooLarge: len(body) > sgip.MaxBody,
			Source: r.RemoteAddr,
		})
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Status)
		_, _ = w.Write(answer.Body)
	})
}

// A game of two functions joins the network and gets a message from another.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	hub, err := startToyHub()
	if err != nil {
		log.Fatal(err)
	}
	defer hub.stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	id := "toy.localhost:" + port

	game := toy{"ada": make(chan string, 1)}
	if err := game.join(ctx, listener, id, hub.url, hub.folder); err != nil {
		log.Fatal(err)
	}
	fmt.Println("The hub knows", strings.Split(<-hub.registered, ":")[0])
	fmt.Println("To Ada:", hub.message("lena@berlin.localhost:8082", "ada@"+id, "Hallo Ada"))
	fmt.Println(<-game["ada"])
	fmt.Println("To nobody:", hub.message("lena@berlin.localhost:8082", "nobody@"+id, "Hallo?"))

	// Output:
	// The hub knows toy.localhost
	// To Ada: delivered
	// lena@berlin.localhost:8082: Hallo Ada
	// To nobody: not_found
}
