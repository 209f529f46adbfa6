package platform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/outbound"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// toyHub is as much of a hub as the example needs: it takes a hello by the
// descriptor it fetches, and brings messages.
type toyHub struct {
	url        string
	folder     string
	registered chan string
	key        sgip.Signer
	client     *outbound.Client
	stop       func()
}

func startToyHub() (*toyHub, error) {
	folder, err := os.MkdirTemp("", "toy")
	if err != nil {
		return nil, err
	}
	h := &toyHub{folder: folder, registered: make(chan string, 1)}
	if h.key, err = sgip.NewSigner([]byte{3, 31: 3}); err != nil {
		return nil, err
	}
	if h.client, err = outbound.New(outbound.Options{Mode: local, Clock: time.Now}); err != nil {
		return nil, err
	}
	db, err := storage.Open(context.Background(), folder+"/hub.db")
	if err != nil {
		return nil, err
	}
	if err := store.Migrate(context.Background(), db); err != nil {
		return nil, err
	}
	inbox := exchange.NewInbox(exchange.InboxConfig{
		Self: sgip.HubID, Mode: local, Store: store.NewExchange(db), Keys: h, Introductions: toyIntroductions{h},
		Clock: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	inbox.Handle(sgip.HubHello, h.hello)
	mux := http.NewServeMux()
	mux.Handle("POST /ops", inboxHandler(inbox))
	mux.HandleFunc("GET /.well-known/sgip-hub.json", h.keyFile)
	server := httptest.NewServer(mux)
	h.url = "http://hub.localhost:" + port(server)
	h.stop = func() {
		server.Close()
		_ = db.Close()
		_ = os.RemoveAll(folder)
	}
	return h, nil
}

func (h *toyHub) keyFile(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(sgip.HubKey{
		SGIP: sgip.Version, PublicKey: h.key.Public.Text, KeyID: h.key.Public.ID,
		ExpiresAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339), Ops: h.url + "/ops",
	})
}

func (h *toyHub) hello(_ context.Context, in exchange.Incoming) (exchange.Answer, error) {
	h.registered <- in.From.Platform
	return exchange.Answer{Result: sgip.HelloResult{
		PlatformID: in.From.Platform, KeyIDs: []string{in.KeyID}, RegisteredAt: time.Now().UTC().Format(time.RFC3339),
	}}, nil
}

func (h *toyHub) Key(context.Context, string) (sgip.PublicKey, error) {
	return sgip.PublicKey{}, sgip.Errorf(sgip.BadSignature, "say hello first")
}

func (h *toyHub) Admit(context.Context, string, sgip.Envelope) error { return nil }

// toyIntroductions finds a newcomer's keys in its descriptor.
type toyIntroductions struct{ h *toyHub }

func (toyIntroductions) Introduces(op sgip.Op) bool { return op == sgip.HubHello }

func (i toyIntroductions) Keys(ctx context.Context, env sgip.Envelope, _ string) ([]sgip.PublicKey, error) {
	response, err := i.h.client.Get(ctx, local.DescriptorURL(env.From.Platform), sgip.MaxBody)
	if err != nil {
		return nil, err
	}
	d, err := sgip.ParseDescriptor(local, env.From.Platform, response.Body, true)
	if err != nil {
		return nil, err
	}
	var keys []sgip.PublicKey
	for _, text := range d.PublicKeys {
		key, err := sgip.ParsePublicKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// message brings a message to a game's inbox and tells how it went.
func (h *toyHub) message(from, to, text string) string {
	_, sender, _ := strings.Cut(from, "@")
	_, game, _ := strings.Cut(to, "@")
	id := ulid.Make().String()
	env, err := sgip.NewEnvelope(id, sgip.MessageSend, sgip.Address{Platform: sender, Player: from},
		sgip.Address{Platform: game, Player: to}, sgip.MessagePayload{Text: text})
	if err != nil {
		return err.Error()
	}
	body, err := env.Encode()
	if err != nil {
		return err.Error()
	}
	_, port, _ := strings.Cut(game, ":")
	request, err := http.NewRequest(http.MethodPost, "http://127.0.0.1:"+port+"/inbox", bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(sgip.SignatureHeader, h.key.Sign("POST", "/inbox", time.Now(), ulid.Make().String(), body))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	reply, err := sgip.ParseReply(answer, id, sgip.MaxBody)
	if err != nil {
		return err.Error()
	}
	if reply.Error != nil {
		return string(reply.Error.Code)
	}
	return "delivered"
}
