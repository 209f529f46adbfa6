package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/outbound"
)

// names are those of contract 9, all required, and then ours.
var names = []string{"descriptor", "ping", "unsigned", "wrong_key", "stale", "replayed_nonce", "malformed_envelope", "undeclared_op",
	"lookup_unknown", "message_unknown", "visit_page", "visit_query_passport", "visit_headers"}

func TestSuite_Run(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		report := newGame(t).check(t)
		for i, c := range report.Checks {
			if c.Name != names[i] || !c.Passed || c.Detail == "" || c.Required != (c.Name != "visit_headers") {
				t.Errorf("%+v, want %s", c, names[i])
			}
		}
		if !report.Conforms || len(report.Checks) != len(names) {
			t.Errorf("conforms %v with %d checks", report.Conforms, len(report.Checks))
		}
		raw, err := sgip.Marshal(report)
		must(t, err)
		if err := sgip.CheckResult(local, sgip.HubCheck, raw); err != nil {
			t.Errorf("the report is no result of hub.check@1: %v", err)
		}
	})
	t.Run("OKGameThatRefusesTheQuery", func(t *testing.T) {
		g := newGame(t)
		g.flaw = func(_ *game, w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if !r.URL.Query().Has("passport") {
				return false
			}
			http.Error(w, "not by query", http.StatusBadRequest)
			return true
		}
		if report := g.check(t); !report.Conforms {
			t.Errorf("%+v", report.Checks)
		}
	})
	t.Run("ErrNoPassport", func(t *testing.T) {
		s := newGame(t).suite(t)
		fault := errors.New("no passport today")
		s.Passport = func(string) (string, string, error) { return "", "", fault }
		if _, err := s.Run(t.Context(), "lagos.localhost", outbound.Response{}); !errors.Is(err, fault) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ErrPassportOfAnotherHub", func(t *testing.T) {
		g := newGame(t)
		s := g.suite(t)
		s.Hub = newSigner("another hub")
		if _, err := s.Run(t.Context(), g.platform, outbound.Response{}); sgip.CodeOf(err) != sgip.BadSignature {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ErrCancelled", func(t *testing.T) {
		g := newGame(t)
		ctx, cancel := context.WithCancel(t.Context())
		g.flaw = func(*game, http.ResponseWriter, *http.Request, []byte) bool { cancel(); return false }
		_, err := g.suite(t).Run(ctx, g.platform, served(g.descriptor()))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// served is a descriptor as it should be served.
func served(body []byte) outbound.Response {
	return outbound.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
}

// breakage is a game that gets one thing wrong.
type breakage struct {
	check   string // the one that must fail, and no other
	what    string
	detail  string // a word that helps
	flaw    flaw
	descend func(*sgip.Descriptor)
}

// seen is a request to the inbox with what the right game has answered.
type seen struct {
	header bool // there was a signature header
	body   []byte
	env    sgip.Envelope  // as far as it could be read
	sig    sgip.Signature // the zero one where there is none
	code   string         // "ok", or the code of the refusal
}

// inbox is a flaw of the inbox alone: after the right game has decided, it may
// answer otherwise.
func inbox(f func(g *game, w http.ResponseWriter, s seen) bool) flaw {
	return func(g *game, w http.ResponseWriter, r *http.Request, body []byte) bool {
		if r.URL.Path != "/sgip/inbox" {
			return false
		}
		right := httptest.NewRecorder()
		g.serve(right, r, body)
		var reply struct {
			OK    bool `json:"ok"`
			Error struct {
				Code string `json:"code"`
			} `json:"error"`
		}
		if err := json.Unmarshal(right.Body.Bytes(), &reply); err != nil {
			g.t.Errorf("the right game answered %s", right.Body)
		}
		s := seen{header: len(r.Header.Values(sgip.SignatureHeader)) > 0, body: body, code: reply.Error.Code}
		if reply.OK {
			s.code = "ok"
		}
		s.env, _ = sgip.ParseEnvelope(local, body)
		s.sig, _ = sgip.ParseSignature(r.Header.Values(sgip.SignatureHeader))
		if !f(g, w, s) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(right.Code)
			w.Write(right.Body.Bytes())
		}
		return true
	}
}

// instead answers in its own way what the right game would have answered with code.
func instead(code sgip.Code, pick func(s seen) bool, write func(g *game, w http.ResponseWriter, body []byte)) flaw {
	return inbox(func(g *game, w http.ResponseWriter, s seen) bool {
		if s.code != string(code) || !pick(s) {
			return false
		}
		write(g, w, s.body)
		return true
	})
}

func says(result string) func(*game, http.ResponseWriter, []byte) {
	return func(_ *game, w http.ResponseWriter, body []byte) { ok(w, body, result) }
}

func refuses(code sgip.Code) func(*game, http.ResponseWriter, []byte) {
	return func(_ *game, w http.ResponseWriter, body []byte) {
		var id string
		if hasObject(body) {
			id = string(idOf(body))
		}
		reply := sgip.ErrorReply(id, sgip.Errorf(code, "no"))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status())
		w.Write(reply.Encode())
	}
}

func of(op sgip.Op) func(seen) bool { return func(s seen) bool { return s.env.Op == op } }

// visit is a flaw of the visit page alone.
func visit(f func(g *game, w http.ResponseWriter, r *http.Request, token string) bool) flaw {
	return func(g *game, w http.ResponseWriter, r *http.Request, _ []byte) bool {
		return r.URL.Path == "/visit" && f(g, w, r, r.URL.Query().Get("passport"))
	}
}

func breakages() []breakage {
	return slices.Concat(descriptorBreakages(), signatureBreakages(), envelopeBreakages(), visitBreakages())
}

func descriptorBreakages() []breakage {
	return []breakage{
		{check: "descriptor", what: "lacks a required op", detail: "message.send@1", descend: func(d *sgip.Descriptor) {
			d.Capabilities = []sgip.Op{sgip.HubPing, sgip.PlayerLookup}
		}},
		{check: "descriptor", what: "claims another's id", detail: "platform_id", descend: func(d *sgip.Descriptor) { d.PlatformID = "berlin.localhost" }},
		{check: "descriptor", what: "lists a key of small order", detail: "public_keys[0]", descend: func(d *sgip.Descriptor) {
			d.PublicKeys = []string{"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}
		}},
		{check: "descriptor", what: "is served as text", detail: "application/json", flaw: func(g *game, w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.URL.Path != "/.well-known/sgip.json" {
				return false
			}
			w.Header().Set("Content-Type", "text/plain")
			w.Write(g.descriptor())
			return true
		}},
		{check: "descriptor", what: "is served with another status", detail: "201", flaw: func(g *game, w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.URL.Path != "/.well-known/sgip.json" {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			w.Write(g.descriptor())
			return true
		}},
	}
}

func signatureBreakages() []breakage {
	unsigned := func(s seen) bool { return !s.header }
	return []breakage{
		{check: "unsigned", what: "takes them", detail: "answered ok", flaw: instead(sgip.BadSignature, unsigned, pong)},
		{check: "unsigned", what: "calls them forbidden", detail: "answered forbidden", flaw: instead(sgip.BadSignature, unsigned, refuses(sgip.Forbidden))},
		{check: "unsigned", what: "refuses them with words alone", detail: "section 5",
			flaw: instead(sgip.BadSignature, unsigned, func(_ *game, w http.ResponseWriter, _ []byte) { http.Error(w, "who are you", http.StatusUnauthorized) })},
		{check: "wrong_key", what: "takes any key", detail: "isn't the hub's", flaw: inbox(func(g *game, w http.ResponseWriter, s seen) bool {
			if !s.header || s.sig.KeyID == g.hub.Public.ID {
				return false
			}
			pong(g, w, s.body)
			return true
		})},
		{check: "wrong_key", what: "looks at the key id alone", detail: "under the hub's keyId", flaw: inbox(func(g *game, w http.ResponseWriter, s seen) bool {
			if s.sig.KeyID != g.hub.Public.ID || s.sig.Verify(g.hub.Public, http.MethodPost, "/sgip/inbox", s.body) == nil {
				return false
			}
			pong(g, w, s.body)
			return true
		})},
		{check: "stale", what: "takes old ones", detail: "330 s old", flaw: instead(sgip.Expired, func(s seen) bool { return s.sig.TS < time.Now().Unix() }, pong)},
		{check: "stale", what: "takes those of the future", detail: "330 s ahead", flaw: instead(sgip.Expired, func(s seen) bool { return s.sig.TS > time.Now().Unix() }, pong)},
		{check: "replayed_nonce", what: "takes a request twice", detail: "the same request again", flaw: replayed(true)},
		{check: "replayed_nonce", what: "remembers requests and not their nonces", detail: "another request with a nonce", flaw: replayed(false)},
	}
}

// replayed lets a nonce be used again, by the same envelope or by others.
func replayed(same bool) flaw {
	var mu sync.Mutex
	first := map[string]string{} // envelope id by nonce
	return inbox(func(g *game, w http.ResponseWriter, s seen) bool {
		mu.Lock()
		defer mu.Unlock()
		id, used := first[s.sig.Nonce]
		if s.code == "ok" {
			first[s.sig.Nonce] = s.env.ID
		}
		if !used || (id == s.env.ID) != same {
			return false
		}
		pong(g, w, s.body)
		return true
	})
}

func envelopeBreakages() []breakage {
	strange := func(s seen) bool { return strings.HasPrefix(string(s.env.Op), "x-conformance.") }
	all := []breakage{
		{check: "ping", what: "answers without time", detail: "result.time", flaw: instead("ok", of(sgip.HubPing), says(`{}`))},
		{check: "ping", what: "answers a time that isn't UTC", detail: "result.time", flaw: instead("ok", of(sgip.HubPing), says(`{"time":"2026-11-30T10:00:00+01:00"}`))},
		{check: "undeclared_op", what: "takes them for unknown places", detail: "answered not_found", flaw: instead(sgip.OpUnsupported, strange, refuses(sgip.NotFound))},
		{check: "undeclared_op", what: "ignores the version", detail: "message.send@2", flaw: instead(sgip.OpUnsupported, of("message.send@2"), refuses(sgip.NotFound))},
		{check: "lookup_unknown", what: "makes players up", detail: "answered ok", flaw: instead(sgip.NotFound, of(sgip.PlayerLookup),
			func(g *game, w http.ResponseWriter, body []byte) {
				ok(w, body, `{"player":"nobody@`+g.platform+`","name":"Nobody"}`)
			})},
		{check: "message_unknown", what: "takes messages for nobody", detail: "answered ok", flaw: instead(sgip.NotFound, of(sgip.MessageSend), says(`{"delivered":true}`))},
		{check: "message_unknown", what: "wants a sender first", detail: "answered invalid_payload", flaw: instead(sgip.NotFound, of(sgip.MessageSend), refuses(sgip.InvalidPayload))},
		{check: "message_unknown", what: "answers another envelope", detail: "another envelope", flaw: instead(sgip.NotFound, of(sgip.MessageSend),
			func(_ *game, w http.ResponseWriter, _ []byte) {
				w.Header().Set("Content-Type", "application/json")
				w.Write(sgip.ErrorReply(newID(), sgip.Errorf(sgip.NotFound, "no")).Encode())
			})},
	}
	for detail, pick := range map[string]func(body []byte) bool{
		"isn't JSON":         func(b []byte) bool { return bytes.HasPrefix(b, []byte("hello")) },
		"is a list":          func(b []byte) bool { return bytes.HasPrefix(b, []byte("[")) },
		"is null":            func(b []byte) bool { return bytes.HasPrefix(b, []byte("null")) },
		"without id":         func(b []byte) bool { return hasObject(b) && !bytes.Contains(b, []byte(`"id"`)) },
		"isn't a ULID":       func(b []byte) bool { return hasObject(b) && len(idOf(b)) > 0 && !sgip.ValidULID(string(idOf(b))) },
		"without a version":  func(b []byte) bool { return bytes.Contains(b, []byte(`"hub.ping"`)) },
		"a field twice":      func(b []byte) bool { return bytes.Count(b, []byte(`"op"`)) == 2 },
		"without payload":    func(b []byte) bool { return hasObject(b) && !bytes.Contains(b, []byte(`"payload"`)) },
		"payload of null":    func(b []byte) bool { return bytes.Contains(b, []byte(`"payload":null`)) },
		"after the envelope": func(b []byte) bool { return bytes.HasSuffix(b, []byte(`}{}`)) },
		"nests too deep":     func(b []byte) bool { return bytes.Contains(b, []byte(`[[[[`)) },
	} {
		all = append(all, breakage{check: "malformed_envelope", what: "takes what " + detail, detail: detail,
			flaw: instead(sgip.InvalidPayload, func(s seen) bool { return pick(s.body) }, pong)})
	}
	return all
}

func hasObject(body []byte) bool { return bytes.HasPrefix(body, []byte("{")) }

func idOf(body []byte) []byte {
	_, rest, _ := bytes.Cut(body, []byte(`"id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return id
}

func visitBreakages() []breakage {
	claims := func(g *game, token string) sgip.Passport {
		p, err := sgip.VerifyPassport(local, g.hub.Public, token, g.platform, time.Now())
		if err != nil {
			g.t.Errorf("the passport in the query isn't good: %v", err)
		}
		return p
	}
	bare := func(w http.ResponseWriter, status int) bool {
		pageHeaders(w)
		w.WriteHeader(status)
		return true
	}
	html := func(w http.ResponseWriter, text string) bool {
		pageHeaders(w)
		fmt.Fprint(w, text)
		return true
	}
	return []breakage{
		{check: "visit_page", what: "isn't there", detail: "404", flaw: visit(func(_ *game, w http.ResponseWriter, _ *http.Request, _ string) bool {
			return bare(w, http.StatusNotFound)
		})},
		{check: "visit_page", what: "leads elsewhere", detail: "redirect", flaw: visit(func(g *game, w http.ResponseWriter, r *http.Request, token string) bool {
			if token != "" {
				return false
			}
			w.Header().Set("Location", "/")
			return bare(w, http.StatusFound)
		})},
		{check: "visit_page", what: "is empty", detail: "empty", flaw: visit(func(_ *game, w http.ResponseWriter, _ *http.Request, _ string) bool { return html(w, " \n") })},
		{check: "visit_query_passport", what: "sets a cookie", detail: "cookie", flaw: visit(func(g *game, w http.ResponseWriter, _ *http.Request, token string) bool {
			if token == "" {
				return false
			}
			http.SetCookie(w, &http.Cookie{Name: "guest", Value: claims(g, token).Subject})
			return html(w, "<title>Lagos</title>")
		})},
		{check: "visit_query_passport", what: "greets by name", detail: "by the name", flaw: visit(func(g *game, w http.ResponseWriter, _ *http.Request, token string) bool {
			return token != "" && html(w, "<h1>Welcome "+claims(g, token).Name+"</h1>")
		})},
		{check: "visit_query_passport", what: "repeats the passport", detail: "repeats", flaw: visit(func(_ *game, w http.ResponseWriter, _ *http.Request, token string) bool {
			return token != "" && html(w, `<body data-passport="`+token+`">`)
		})},
		{check: "visit_query_passport", what: "leads to a page of the guest's", detail: "303", flaw: visit(func(_ *game, w http.ResponseWriter, r *http.Request, token string) bool {
			if token == "" {
				return false
			}
			http.Redirect(w, r, "/guest?session=1", http.StatusSeeOther)
			return true
		})},
		{check: "visit_headers", what: "can't be framed", detail: "X-Frame-Options", flaw: visit(func(_ *game, w http.ResponseWriter, _ *http.Request, token string) bool {
			w.Header().Set("X-Frame-Options", "DENY")
			return false
		})},
	}
}

func TestSuite_FindsEachBreakage(t *testing.T) {
	found := map[string]bool{}
	db := openDatabase(t)
	for _, b := range breakages() {
		found[b.check] = true
		t.Run(b.check+"/"+b.what, func(t *testing.T) {
			g := newGameOn(t, db)
			g.flaw, g.descend = b.flaw, b.descend
			report := g.check(t)
			for _, c := range report.Checks {
				if c.Passed != (c.Name != b.check) {
					t.Errorf("%s: passed is %v: %s", c.Name, c.Passed, c.Detail)
				}
				if !c.Passed && !strings.Contains(c.Detail, b.detail) {
					t.Errorf("%s says %q, want something on %q", c.Name, c.Detail, b.detail)
				}
			}
			if report.Conforms != (b.check == "visit_headers") {
				t.Errorf("conforms is %v", report.Conforms)
			}
			noSecret(t, report)
		})
	}
	for _, name := range names {
		if !found[name] {
			t.Errorf("no game is broken in the way of %s", name)
		}
	}
}

// noSecret wants no passport or signature in a report, whatever went wrong.
func noSecret(t *testing.T, report sgip.CheckReport) {
	t.Helper()
	raw, err := json.Marshal(report)
	must(t, err)
	for _, secret := range []string{"eyJ", "sig=", travellerName} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("the report has %q in it: %s", secret, raw)
		}
	}
}
