package exchange_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

const (
	lagos  = "lagos.example"
	berlin = "berlin.example"
	tunde  = "tunde@" + lagos
	lena   = "lena@" + berlin
	path   = "/sgip/inbox"
)

func signer(t testing.TB, seed byte) sgip.Signer {
	t.Helper()
	s, err := sgip.NewSigner(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// holders says which key speaks for which platforms.
type holders map[string]struct {
	key  sgip.PublicKey
	from []string // nil: for all
}

func (h holders) Key(_ context.Context, keyID string) (sgip.PublicKey, error) {
	if held, ok := h[keyID]; ok {
		return held.key, nil
	}
	return sgip.PublicKey{}, sgip.Errorf(sgip.BadSignature, "nobody has this key")
}

func (h holders) Admit(_ context.Context, keyID string, env sgip.Envelope) error {
	for _, platform := range h[keyID].from {
		if platform == env.From.Platform {
			return nil
		}
	}
	if h[keyID].from == nil {
		return nil
	}
	return sgip.Errorf(sgip.Forbidden, "not yours")
}

func (h holders) add(s sgip.Signer, from ...string) holders {
	h[s.Public.ID] = struct {
		key  sgip.PublicKey
		from []string
	}{s.Public, from}
	return h
}

// desk is an inbox over a database of its own.
type desk struct {
	*exchange.Inbox
	t     testing.TB
	db    *storage.DB
	store *store.Exchange
	sign  sgip.Signer
	log   *lockedBuffer

	mu  sync.Mutex
	now time.Time
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

func openStore(t testing.TB, path string) (*storage.DB, *store.Exchange) {
	t.Helper()
	db, err := storage.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	marks := storage.Migration{Number: 1, Name: "marks", SQL: "CREATE TABLE marks (text TEXT NOT NULL)"}
	if err := db.Migrate(t.Context(), "test", []storage.Migration{marks}); err != nil {
		t.Fatal(err)
	}
	return db, store.NewExchange(db)
}

// newDesk is a game's inbox, which takes what the hub signs.
func newDesk(t testing.TB, change ...func(*exchange.InboxConfig)) *desk {
	t.Helper()
	return deskAt(t, filepath.Join(t.TempDir(), "desk.db"), change...)
}

func deskAt(t testing.TB, file string, change ...func(*exchange.InboxConfig)) *desk {
	t.Helper()
	d := &desk{t: t, sign: signer(t, 1), log: &lockedBuffer{}, now: time.Unix(1_790_000_000, 0)}
	d.db, d.store = openStore(t, file)
	c := exchange.InboxConfig{
		Self: berlin, Store: d.store, Keys: holders{}.add(d.sign), Path: path, Clock: d.clock,
		Log: slog.New(slog.NewTextHandler(d.log, nil)),
	}
	for _, f := range change {
		f(&c)
	}
	d.Inbox = exchange.NewInbox(c)
	return d
}

// mark is what handlers of tests write.
func (d *desk) mark(ctx context.Context, text string) {
	d.t.Helper()
	if err := d.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", text).Error; err != nil {
		d.t.Error(err)
	}
}

func (d *desk) marks() (texts []string) {
	d.t.Helper()
	if err := d.db.Conn(context.Background()).Raw("SELECT text FROM marks ORDER BY rowid").Scan(&texts).Error; err != nil {
		d.t.Fatal(err)
	}
	return texts
}

func (d *desk) count(table string) (n int) {
	d.t.Helper()
	if err := d.db.Conn(context.Background()).Raw("SELECT count(*) FROM " + table).Scan(&n).Error; err != nil {
		d.t.Fatal(err)
	}
	return n
}

func newID() string { return ulid.Make().String() }

// message is an envelope from Tunde to Lena.
func message(id string, change ...func(*sgip.Envelope)) []byte {
	env, err := sgip.NewEnvelope(id, sgip.MessageSend, sgip.Address{Platform: lagos, Player: tunde},
		sgip.Address{Platform: berlin, Player: lena}, sgip.MessagePayload{Text: "How far?"})
	if err != nil {
		panic(err)
	}
	for _, f := range change {
		f(&env)
	}
	body, err := env.Encode()
	if err != nil {
		panic(err)
	}
	return body
}

// request signs body as the hub does.
func (d *desk) request(body []byte, change ...func(*exchange.Request)) exchange.Request {
	return signed(d.sign, d.clock(), newID(), body, change...)
}

func signed(s sgip.Signer, at time.Time, nonce string, body []byte, change ...func(*exchange.Request)) exchange.Request {
	r := exchange.Request{
		Method: "POST", Target: path, Signatures: []string{s.Sign("POST", path, at, nonce, body)},
		ContentTypes: []string{"application/json"}, ContentLengths: []string{strconv.Itoa(len(body))}, Body: body,
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

type reply struct {
	OK     bool            `json:"ok"`
	ID     *string         `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  struct {
		Code      sgip.Code `json:"code"`
		Retryable bool      `json:"retryable"`
	} `json:"error"`
	status int
	raw    string
}

func (d *desk) ask(r exchange.Request) reply {
	d.t.Helper()
	response := d.Serve(context.Background(), r)
	got := reply{status: response.Status, raw: string(response.Body)}
	if err := json.Unmarshal(response.Body, &got); err != nil {
		d.t.Errorf("%q: %v", response.Body, err)
	}
	return got
}

// want asks and compares the code, "" for ok.
func (d *desk) want(code sgip.Code, r exchange.Request) reply {
	d.t.Helper()
	got := d.ask(r)
	if got.OK != (code == "") || got.Error.Code != code {
		d.t.Errorf("got %s, want code %q", got.raw, code)
	}
	return got
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("it never came to hold: " + what)
		}
	}
}
