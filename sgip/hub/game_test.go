package hub_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
)

// game is a platform made of a small HTTP server. Its inbox answers by op.
type game struct {
	n      *network
	id     string
	signer sgip.Signer
	server *httptest.Server

	mu         sync.Mutex
	descriptor sgip.Descriptor
	raw        http.HandlerFunc // serves the descriptor instead, if set
	fetches    int
	checked    bool // by hub.check@1, which sends what isn't an envelope
	answers    map[sgip.Op]answer
	inbox      []received
	takes      func(w http.ResponseWriter, r *http.Request, env sgip.Envelope, body []byte) // instead of answers, if set
}

// answer decides what a game's inbox replies.
type answer func(env sgip.Envelope) (result any, err error)

// received is an envelope that a game's inbox took, with its exact bytes.
type received struct {
	sgip.Envelope
	body   []byte
	header http.Header
}

func (n *network) game(name string) *game {
	n.t.Helper()
	g := &game{n: n, signer: newSigner(name), answers: map[sgip.Op]answer{}}
	g.server = httptest.NewServer(http.HandlerFunc(g.serve))
	n.t.Cleanup(g.server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(g.server.URL, "http://"), ":")
	g.id = name + ".localhost:" + port
	g.descriptor = sgip.Descriptor{
		SGIP: "0.1", PlatformID: g.id, Name: name, Inbox: g.url("/sgip/inbox"), Visit: g.url("/visit"),
		PublicKeys: []string{g.signer.Public.Text}, Capabilities: append(sgip.RequiredOps(), sgip.VisitEnd), Currencies: []string{},
	}
	return g
}

func (g *game) url(path string) string { return "http://" + g.id + path }

// lagos lets its players spend naira abroad.
func (n *network) lagos() *game {
	g := n.game("lagos")
	g.descriptor.Currencies = []string{"NGN"}
	g.descriptor.Capabilities = append(g.descriptor.Capabilities, sgip.WalletRead, sgip.WalletDebit, sgip.WalletCredit)
	g.descriptor.Money = &sgip.MoneyOps{SpendingAbroad: &sgip.SpendingAbroad{DailyLimits: []sgip.Money{ngn(20_000_000)}}}
	has := func(sgip.Envelope) (any, error) { return sgip.WalletResult{Balance: ngn(50_000_000)}, nil }
	g.answers[sgip.WalletRead], g.answers[sgip.WalletDebit], g.answers[sgip.WalletCredit] = has, has, has
	return g
}

// berlin takes the money of Lagos: 500,000 kobo buy 1,000 cents.
func (n *network) berlin(home *game) *game {
	g := n.game("berlin")
	g.descriptor.Currencies = []string{"EUR", "USD"}
	g.descriptor.Money = &sgip.MoneyOps{Accepts: []sgip.Accepts{accepts(home, 500_000, 1_000, 200_000)}}
	return g
}

func accepts(home *game, give, get, inflow int64) sgip.Accepts {
	return sgip.Accepts{From: home.id, Give: ngn(give), Get: eur(get), DailyInflowLimit: eur(inflow)}
}

func ngn(amount int64) sgip.Money { return sgip.Money{Amount: amount, Currency: "NGN"} }
func eur(amount int64) sgip.Money { return sgip.Money{Amount: amount, Currency: "EUR"} }

func (g *game) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/sgip.json" {
		g.mu.Lock()
		g.fetches++
		raw, d := g.raw, g.descriptor
		g.mu.Unlock()
		if raw != nil {
			raw(w, r)
			return
		}
		body, _ := d.Encode()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
		return
	}
	body, _ := io.ReadAll(r.Body)
	env, err := sgip.ParseEnvelope(local, body)
	if err != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.checked {
			g.n.t.Errorf("%s got what isn't an envelope: %v", g.id, err)
		}
		return
	}
	g.mu.Lock()
	g.inbox = append(g.inbox, received{Envelope: env, body: body, header: r.Header.Clone()})
	reply, takes := g.answers[env.Op], g.takes
	g.mu.Unlock()
	if takes != nil {
		takes(w, r, env, body)
		return
	}
	if reply == nil {
		reply = func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(sgip.OpUnsupported, "no %s here", env.Op) }
	}
	result, err := reply(env)
	if raw, ok := result.(rawAnswer); ok {
		raw(w, r)
		return
	}
	out := sgip.ErrorReply(env.ID, err)
	if err == nil {
		out, err = sgip.OKReply(env.ID, result)
		must(g.n.t, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(out.Status())
	_, _ = w.Write(out.Encode())
}

// rawAnswer answers by hand, with no reply of section 5.
type rawAnswer func(w http.ResponseWriter, r *http.Request)

// hangUp closes the connection without an answer.
func hangUp(sgip.Envelope) (any, error) {
	return rawAnswer(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), nil
}

func refuses(code sgip.Code) answer {
	return func(sgip.Envelope) (any, error) { return nil, sgip.Errorf(code, "says %s", code) }
}

func (g *game) on(op sgip.Op, a answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers[op] = a
}

// change edits the descriptor and says hello again, after the last fetch is too
// old to be used once more.
func (g *game) change(edit func(d *sgip.Descriptor)) {
	g.n.t.Helper()
	g.mu.Lock()
	edit(&g.descriptor)
	g.mu.Unlock()
	g.n.clock.advance(6 * time.Second)
	wantCode(g.n.t, g.send(sgip.HubHello, hubAddress, struct{}{}), "")
}

// got lists the envelopes of an op that the game's inbox took.
func (g *game) got(op sgip.Op) []received {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []received
	for _, in := range g.inbox {
		if in.Op == op {
			list = append(list, in)
		}
	}
	return list
}

func (g *game) fetched() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fetches
}

var hubAddress = sgip.Address{Platform: sgip.HubID}

func (g *game) player(handle string) sgip.Address {
	return sgip.Address{Platform: g.id, Player: sgip.PlayerID(handle, g.id)}
}

// envelope builds one from the game itself.
func (g *game) envelope(op sgip.Op, to sgip.Address, payload any) sgip.Envelope {
	env, err := sgip.NewEnvelope(newID(), op, sgip.Address{Platform: g.id}, to, payload)
	must(g.n.t, err)
	return env
}

// send sends a fresh envelope from the game itself.
func (g *game) send(op sgip.Op, to sgip.Address, payload any) sgip.Reply {
	g.n.t.Helper()
	return g.post(g.envelope(op, to, payload))
}

func (g *game) hello() sgip.Reply {
	g.n.t.Helper()
	return g.send(sgip.HubHello, hubAddress, struct{}{})
}

// post signs an envelope with the game's key and sends it to the hub.
func (g *game) post(env sgip.Envelope) sgip.Reply {
	g.n.t.Helper()
	return g.postAs(g.signer, env)
}

func (g *game) postAs(signer sgip.Signer, env sgip.Envelope) sgip.Reply {
	g.n.t.Helper()
	body, err := env.Encode()
	must(g.n.t, err)
	return g.postBytes(signer, env.ID, body)
}

func (g *game) postBytes(signer sgip.Signer, id string, body []byte) sgip.Reply {
	g.n.t.Helper()
	req, err := http.NewRequest(http.MethodPost, g.n.server.URL+hub.OpsPath, bytes.NewReader(body))
	must(g.n.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sgip.SignatureHeader, signer.Sign(http.MethodPost, hub.OpsPath, g.n.clock.now(), newID(), body))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return sgip.ErrorReply(id, sgip.Wrap(sgip.PlatformOffline, err, "no hub"))
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	must(g.n.t, err)
	reply, err := sgip.ParseReply(answer, id, sgip.MaxHubReply)
	if err != nil {
		return sgip.ErrorReply(id, sgip.Wrap(sgip.PlatformOffline, err, "no answer: "+strconv.Itoa(res.StatusCode)))
	}
	return reply
}

// visit asks for a visit of a player of g to host, with an optional budget.
func (g *game) visit(handle string, host *game, budget *sgip.Money) sgip.VisitRequestResult {
	g.n.t.Helper()
	p := sgip.VisitRequestPayload{Host: host.id, Budget: budget}
	if budget != nil {
		p.Scope = []string{sgip.ScopePay}
	}
	return result[sgip.VisitRequestResult](g.n.t, sgip.VisitRequest, g.post(g.visitEnvelope(handle, p)))
}

func (g *game) visitEnvelope(handle string, p sgip.VisitRequestPayload) sgip.Envelope {
	env := g.envelope(sgip.VisitRequest, hubAddress, p)
	env.From = g.player(handle)
	return env
}

func (g *game) charge(visitID string, amount sgip.Money) sgip.Reply {
	g.n.t.Helper()
	return g.post(g.chargeEnvelope(visitID, amount))
}

func (g *game) chargeEnvelope(visitID string, amount sgip.Money) sgip.Envelope {
	return g.envelope(sgip.WalletCharge, hubAddress, sgip.ChargePayload{VisitID: visitID, Amount: amount, Description: "Currywurst"})
}

// pair registers Lagos and Berlin.
func (n *network) pair() (lagos, berlin *game) {
	n.t.Helper()
	lagos = n.lagos()
	berlin = n.berlin(lagos)
	for _, g := range []*game{lagos, berlin} {
		wantCode(n.t, g.hello(), "")
	}
	return lagos, berlin
}
