package platform_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/store"
)

// TestToy_Conforms: the toy game of the example passes the checks of a real hub,
// which it asks with its own key.
func TestToy_Conforms(t *testing.T) {
	hubAt := realHub(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	id, folder := "toy.localhost:"+port, t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	if err := (toy{"ada": make(chan string, 1)}).join(ctx, listener, id, hubAt, folder); err != nil {
		t.Fatal(err)
	}
	key, err := exchange.LoadKey(folder+"/toy.key", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	env, err := sgip.NewEnvelope(newID(), sgip.HubCheck, sgip.Address{Platform: id}, hubAddress, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	body, err := env.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var report sgip.CheckReport
	door := strings.Replace(hubAt, "hub.localhost", "127.0.0.1", 1) + hub.OpsPath
	reply := post(t, key, door, time.Now(), env.ID, body)
	if err := sgip.DecodeResult(local, sgip.HubCheck, reply, &report); err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Checks {
		if !c.Passed && c.Required {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	if !report.Conforms || report.PlatformID != id || len(report.Checks) < 12 {
		t.Errorf("%+v", report)
	}
}

// realHub is the bundled hub on a database of its own.
func realHub(t *testing.T) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	server := serve(t, mux)
	client, err := outbound.New(outbound.Options{Mode: local, Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	url = "http://hub.localhost:" + port(server)
	db := openDB(t, "hub")
	h, err := hub.New(hub.Config{
		PublicURL: url, Mode: local, Signer: func() sgip.Signer { return signer(t, 1) }, Client: client,
		Store: store.NewHub(db), Exchange: store.NewExchange(db), InTx: db.InTx, Clock: time.Now,
		NewID: func() string { return ulid.Make().String() }, Stat: func(string) bool { return false }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("POST "+hub.OpsPath, inboxHandler(h.Inbox()))
	mux.HandleFunc("GET /.well-known/sgip-hub.json", func(w http.ResponseWriter, r *http.Request) {
		file, err := h.KeyFile(r.Context())
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(file)
	})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return url
}
