package visit_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
	"sgip.example/starter/sgip/visit"
)

const (
	lagos  = "lagos.example"
	berlin = "berlin.example"
)

var (
	hubSeed   = []byte("hub hub hub hub hub hub hub hub!")
	otherSeed = []byte("another key, that nobody trusts.")
)

// host is Berlin with everything real but the network.
type host struct {
	*visit.Visits
	t     *testing.T
	db    *storage.DB
	store visit.Store
	seat  *seat
	stage *stage
	hub   sgip.Signer
	mu    sync.Mutex
	now   time.Time
}

func newHost(t *testing.T) *host {
	t.Helper()
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "berlin.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := store.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	hub, err := sgip.NewSigner(hubSeed)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, db: db, store: store.NewVisit(db), stage: &stage{}, hub: hub,
		now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	h.seat = &seat{key: hub.Public, clock: h.clock, embed: true, entries: map[string]sgip.DirectoryEntry{
		lagos: {PlatformID: lagos, Name: "Lagos", ReturnURL: "https://lagos.example/back",
			Origins: []string{"https://lagos.example", "https://play.lagos.example:8443"}},
	}}
	h.Visits = visit.New(visit.Config{
		Host: berlin, Seat: h.seat, Stage: h.stage, Store: h.store, InTx: db.InTx,
		Clock: h.clock, NewToken: rand.Text, Log: slog.New(slog.DiscardHandler),
	})
	return h
}

func (h *host) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *host) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// passport is Tunde's, for a new visit to Berlin, unless changed.
func (h *host) passport(change ...func(*sgip.Passport)) sgip.Passport {
	p := sgip.Passport{
		Issuer: sgip.HubID, Subject: "tunde", Home: lagos, Host: berlin,
		Issued: h.clock().Unix(), Expires: h.clock().Unix() + 900,
		ID: ulid.Make().String(), VisitID: ulid.Make().String(), Scope: []string{sgip.ScopeVisit},
		Name: "Tunde", Avatar: "🧢", Stats: map[string]int{"hunger": 40},
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

func (h *host) sign(p sgip.Passport) string {
	h.t.Helper()
	token, err := sgip.SignPassport(h.hub, p)
	if err != nil {
		h.t.Fatal(err)
	}
	return token
}

// enter posts p as the visit page of p's own launch URL does.
func (h *host) enter(p sgip.Passport, guestToken string) (visit.Session, error) {
	h.t.Helper()
	return h.Enter(h.t.Context(), visit.Enter{
		Passport: h.sign(p), Home: p.Home, VisitID: p.VisitID, Token: guestToken,
	})
}

func (h *host) mustEnter(p sgip.Passport, guestToken string) visit.Session {
	h.t.Helper()
	session, err := h.enter(p, guestToken)
	if err != nil {
		h.t.Fatalf("enter: %v", err)
	}
	return session
}

// wantCode fails unless err is a refusal with code ("" for none).
func wantCode(t *testing.T, err error, code sgip.Code) {
	t.Helper()
	if got := sgip.CodeOf(err); got != code {
		t.Fatalf("code %q (%v), want %q", got, err, code)
	}
}

// raw signs any header and claims with the hub's key, or another.
func raw(seed []byte, header, claims any) string {
	part := func(v any) string {
		text, ok := v.(string)
		if !ok {
			b, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			text = string(b)
		}
		return base64.RawURLEncoding.EncodeToString([]byte(text))
	}
	signed := part(header) + "." + part(claims)
	sig := ed25519.Sign(ed25519.NewKeyFromSeed(seed), []byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(sig)
}

// seat verifies as sgip/platform does, and keeps letters in memory.
type seat struct {
	key     sgip.PublicKey
	clock   func() time.Time
	embed   bool
	away    bool
	entries map[string]sgip.DirectoryEntry
	mu      sync.Mutex
	letters []sgip.VisitEndPayload
	fail    error
}

func (s *seat) CheckPassport(_ context.Context, token string) (sgip.Passport, error) {
	keyID, err := sgip.PassportKeyID(token)
	if err != nil {
		return sgip.Passport{}, err
	}
	if keyID != s.key.ID {
		return sgip.Passport{}, sgip.Errorf(sgip.BadSignature, "not the hub's key")
	}
	return sgip.VerifyPassport(sgip.Mode{}, s.key, token, berlin, s.clock())
}

func (s *seat) Entry(_ context.Context, platform string) (sgip.DirectoryEntry, error) {
	if s.away {
		return sgip.DirectoryEntry{}, sgip.Errorf(sgip.PlatformOffline, "the hub is away")
	}
	if e, ok := s.entries[platform]; ok {
		return e, nil
	}
	return sgip.DirectoryEntry{}, sgip.Errorf(sgip.NotFound, "no game %s", platform)
}

func (s *seat) EndVisit(_ context.Context, home, player string, p sgip.VisitEndPayload) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := sgip.CheckPayload(sgip.Mode{}, sgip.VisitEnd, body); err != nil {
		return err
	}
	if home != lagos || player != "tunde@lagos.example" {
		return errors.New("addressed to " + home + " " + player)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.letters = append(s.letters, p)
	return nil
}

func (s *seat) EmbedAllowed() bool { return s.embed }

// stage notes who comes and goes.
type stage struct {
	mu        sync.Mutex
	arrived   []visit.Guest
	departed  []string
	souvenirs sgip.Souvenirs
	refuse    error // of who arrives
}

func (s *stage) Arrive(_ context.Context, g visit.Guest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return s.refuse
	}
	s.arrived = append(s.arrived, g)
	return nil
}

func (s *stage) Depart(_ context.Context, g visit.Guest, reason string) (sgip.Souvenirs, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.departed = append(s.departed, g.VisitID+" "+reason)
	return s.souvenirs, nil
}
