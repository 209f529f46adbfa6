package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/store"
)

// soon is how long a check of the suite waits for what a right hub does at once,
// or after a second. A broken one never does it.
const soon = 6 * time.Second

// hubSuite looks at a hub from outside: over HTTP, with the keys of two games
// that are registered there. Each check says what is wrong, or nil.
func hubSuite() map[string]func(s *seen) error {
	return map[string]func(s *seen) error{
		"key_file": (*seen).keyFile, "signature": (*seen).signature, "replayed_nonce": (*seen).replayedNonce,
		"stale": (*seen).stale, "forged_platform": (*seen).forgedPlatform, "once": (*seen).once, "forwarded": (*seen).forwarded,
		"fresh_nonces": (*seen).freshNonces, "passport": (*seen).passport, "visit_over": (*seen).visitOver,
		"conversion": (*seen).conversion, "limits": (*seen).limits, "void": (*seen).void, "ring": (*seen).ring,
		"queue": (*seen).queue, "rate": (*seen).rate, "suspended": (*seen).suspended, "visitors": (*seen).visitors,
	}
}

// seen is a hub as two games see it.
type seen struct {
	n             *network
	lagos, berlin *game
}

func within(limit time.Duration, holds func() bool) bool {
	deadline, tick := time.After(limit), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			return false
		case <-tick.C:
		}
	}
	return true
}

// got is what is wrong with a reply that should have a code, "" for ok.
func got(r sgip.Reply, code sgip.Code) error {
	switch {
	case r.OK && code == "":
		return nil
	case r.OK:
		return fmt.Errorf("answered ok, wanted %s", code)
	case r.Error.Code != code:
		return fmt.Errorf("answered %s, wanted %q", r.Error, code)
	}
	return nil
}

func deliveredNow(sgip.Envelope) (any, error) { return sgip.MessageResult{Delivered: true}, nil }

func (s *seen) key() (sgip.HubKey, sgip.PublicKey, error) {
	res, err := http.Get(s.n.server.URL + "/.well-known/sgip-hub.json")
	if err != nil {
		return sgip.HubKey{}, sgip.PublicKey{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return sgip.HubKey{}, sgip.PublicKey{}, err
	}
	return sgip.ParseHubKey(body)
}

func (s *seen) keyFile() error {
	file, _, err := s.key()
	if err != nil {
		return err
	}
	expires, err := sgip.ParseTime(file.ExpiresAt)
	if err == nil && !expires.After(s.n.clock.now()) {
		err = errors.New("the key has expired")
	}
	return err
}

// signed sends a directory request of Lagos with a header made by hand.
func (s *seen) signed(header string, body []byte, id string) (sgip.Reply, error) {
	req, err := http.NewRequest(http.MethodPost, s.n.server.URL+hub.OpsPath, bytes.NewReader(body))
	if err != nil {
		return sgip.Reply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(sgip.SignatureHeader, header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return sgip.Reply{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return sgip.Reply{}, err
	}
	return sgip.ParseReply(text, id, sgip.MaxHubReply)
}

func (s *seen) directory() (id string, body []byte) {
	env := s.lagos.envelope(sgip.PlatformDirectory, hubAddress, struct{}{})
	body, err := env.Encode()
	must(s.n.t, err)
	return env.ID, body
}

func (s *seen) signature() error {
	id, body := s.directory()
	header := s.lagos.signer.Sign(http.MethodPost, hub.OpsPath, s.n.clock.now(), newID(), body)
	r, err := s.signed(header, append(body, ' '), id)
	return errors.Join(err, got(r, sgip.BadSignature))
}

func (s *seen) replayedNonce() error {
	id, body := s.directory()
	header := s.lagos.signer.Sign(http.MethodPost, hub.OpsPath, s.n.clock.now(), newID(), body)
	if r, err := s.signed(header, body, id); err != nil || !r.OK {
		return errors.Join(err, got(r, ""))
	}
	r, err := s.signed(header, body, id)
	return errors.Join(err, got(r, sgip.BadSignature))
}

func (s *seen) stale() error {
	var faults []error
	for _, off := range []time.Duration{-310 * time.Second, 310 * time.Second} {
		id, body := s.directory()
		r, err := s.signed(s.lagos.signer.Sign(http.MethodPost, hub.OpsPath, time.Now().Add(off), newID(), body), body, id)
		faults = append(faults, err, got(r, sgip.Expired))
	}
	return errors.Join(faults...)
}

func (s *seen) forgedPlatform() error {
	return got(s.lagos.postAs(s.lagos.signer, s.berlin.envelope(sgip.PlatformDirectory, hubAddress, struct{}{})), sgip.Forbidden)
}

func (s *seen) once() error {
	s.berlin.on(sgip.MessageSend, deliveredNow)
	env := s.lagos.message(s.berlin, "How far?")
	first, again := s.lagos.post(env), s.lagos.post(env)
	if err := errors.Join(got(first, ""), got(again, "")); err != nil {
		return err
	}
	if len(s.berlin.got(sgip.MessageSend)) != 1 {
		return errors.New("delivered twice")
	}
	env.Payload = []byte(`{"text":"other"}`)
	return got(s.lagos.post(env), sgip.InvalidPayload)
}

func (s *seen) forwarded() error {
	_, key, err := s.key()
	if err != nil {
		return err
	}
	s.berlin.on(sgip.MessageSend, deliveredNow)
	env := s.lagos.message(s.berlin, "How far?")
	body, err := env.Encode()
	must(s.n.t, err)
	if err := got(s.lagos.post(env), ""); err != nil {
		return err
	}
	in := s.berlin.got(sgip.MessageSend)[0]
	if !bytes.Equal(in.body, body) {
		return errors.New("not forwarded byte for byte")
	}
	sig, err := sgip.ParseSignature(in.header.Values(sgip.SignatureHeader))
	if err != nil {
		return err
	}
	return sig.Verify(key, http.MethodPost, "/sgip/inbox", in.body)
}

func (s *seen) freshNonces() error {
	s.berlin.on(sgip.MessageSend, deliveredNow)
	nonces := map[string]bool{}
	for range 3 {
		s.lagos.post(s.lagos.message(s.berlin, "How far?"))
	}
	for _, in := range s.berlin.got(sgip.MessageSend) {
		sig, err := sgip.ParseSignature(in.header.Values(sgip.SignatureHeader))
		if err != nil {
			return err
		}
		nonces[sig.Nonce] = true
	}
	if len(nonces) != 3 {
		return fmt.Errorf("%d nonces for three requests", len(nonces))
	}
	return nil
}

// visit asks for a passport of Tunde's to Berlin.
func (s *seen) visit(p sgip.VisitRequestPayload) (sgip.VisitRequestResult, error) {
	p.Host = s.berlin.id
	if p.Budget != nil {
		p.Scope = []string{sgip.ScopePay}
	}
	var v sgip.VisitRequestResult
	err := sgip.DecodeResult(local, sgip.VisitRequest, s.lagos.post(s.lagos.visitEnvelope("tunde", p)), &v)
	return v, err
}

func (s *seen) passport() error {
	v, err := s.visit(sgip.VisitRequestPayload{Profile: &sgip.Profile{Name: "Tunde", Stats: map[string]int{"hunger": 60, "swagger": 90}}})
	if err != nil {
		return err
	}
	_, key, err := s.key()
	if err != nil {
		return err
	}
	p, err := sgip.VerifyPassport(local, key, v.Passport, s.berlin.id, s.n.clock.now())
	switch {
	case err != nil:
		return err
	case p.Home != s.lagos.id || p.Subject != "tunde" || p.VisitID != v.VisitID || p.Name != "Tunde":
		return fmt.Errorf("issued for %+v", p)
	case len(p.Stats) != 1:
		return fmt.Errorf("with stats %v", p.Stats)
	}
	return nil
}

func (s *seen) visitOver() error {
	budget := ngn(1_000_000)
	v, err := s.visit(sgip.VisitRequestPayload{Budget: &budget})
	if err != nil {
		return err
	}
	s.lagos.on(sgip.VisitEnd, func(sgip.Envelope) (any, error) {
		return sgip.VisitEndResult{Accepted: sgip.Accepted{Stats: map[string]int{}}}, nil
	})
	end := s.berlin.send(sgip.VisitEnd, s.lagos.player("tunde"), sgip.VisitEndPayload{VisitID: v.VisitID, Reason: "left"})
	if err := got(end, ""); err != nil {
		return err
	}
	return got(s.berlin.charge(v.VisitID, eur(100)), sgip.Forbidden)
}

func (s *seen) conversion() error {
	s.berlin.change(func(d *sgip.Descriptor) { d.Money.Accepts = []sgip.Accepts{accepts(s.lagos, 333, 2, 200_000)} })
	budget := ngn(1_000_000)
	v, err := s.visit(sgip.VisitRequestPayload{Budget: &budget})
	if err != nil {
		return err
	}
	var c sgip.ChargeResult
	if err := sgip.DecodeResult(local, sgip.WalletCharge, s.berlin.charge(v.VisitID, eur(1)), &c); err != nil {
		return err
	}
	if c.Debit != ngn(167) {
		return fmt.Errorf("a cent costs %+v, wanted 167 kobo", c.Debit)
	}
	return nil
}

func (s *seen) limits() error {
	budget := ngn(100_000) // 200 cents
	v, err := s.visit(sgip.VisitRequestPayload{Budget: &budget})
	if err != nil {
		return err
	}
	if err := got(s.berlin.charge(v.VisitID, eur(150)), ""); err != nil {
		return err
	}
	return got(s.berlin.charge(v.VisitID, eur(51)), sgip.LimitReached)
}

func (s *seen) void() error {
	budget := ngn(1_000_000)
	v, err := s.visit(sgip.VisitRequestPayload{Budget: &budget})
	if err != nil {
		return err
	}
	s.lagos.on(sgip.WalletDebit, hangUp)
	r := s.berlin.charge(v.VisitID, eur(100))
	if err := got(r, sgip.PlatformOffline); err != nil {
		return err
	}
	if r.Error.Retryable() {
		return errors.New("a void may be retried")
	}
	if !within(soon, func() bool { return len(s.lagos.got(sgip.WalletCredit)) > 0 }) {
		return errors.New("the void was never credited")
	}
	return nil
}

func (s *seen) ring() error {
	// Lagos would take euros for more naira than they cost.
	s.lagos.mu.Lock()
	s.lagos.descriptor.Money.Accepts = []sgip.Accepts{{From: s.berlin.id, Give: eur(1_000), Get: ngn(500_001), DailyInflowLimit: ngn(1_000_000)}}
	s.lagos.mu.Unlock()
	s.n.clock.advance(6 * time.Second)
	return got(s.lagos.hello(), sgip.InvalidPayload)
}

func (s *seen) queue() error {
	box := s.berlin.shut()
	var ids []string
	for i := range 4 {
		env := s.lagos.message(s.berlin, fmt.Sprint(i))
		if r := s.lagos.post(env); !r.Queued() {
			return fmt.Errorf("answered %+v, wanted queued", r)
		}
		ids = append(ids, env.ID)
	}
	box.set(true)
	if err := got(s.berlin.hello(), ""); err != nil {
		return err
	}
	if !within(soon, func() bool { return len(box.got()) >= len(ids) }) {
		return errors.New("not delivered at hello")
	}
	if !slices.Equal(box.got(), ids) {
		return fmt.Errorf("delivered %v, wanted %v", box.got(), ids)
	}
	return nil
}

func (s *seen) rate() error {
	s.berlin.on(sgip.MessageSend, deliveredNow)
	for range 60 {
		if err := got(s.lagos.post(s.lagos.message(s.berlin, "spam")), ""); err != nil {
			return err
		}
	}
	r := s.lagos.post(s.lagos.message(s.berlin, "spam"))
	if err := got(r, sgip.RateLimited); err != nil {
		return err
	}
	if r.Error.RetryAfter < 1 {
		return errors.New("no retry_after")
	}
	return nil
}

// suspended asks the hub's keeper to suspend Berlin first.
func (s *seen) suspended() error {
	_, db := s.n.running()
	must(s.n.t, db.InTx(s.n.t.Context(), func(ctx context.Context) error {
		_, err := store.NewHub(db).Suspend(ctx, s.berlin.id, s.n.clock.now())
		return err
	}))
	shut := func() bool {
		return got(s.berlin.send(sgip.PlatformDirectory, hubAddress, struct{}{}), sgip.Forbidden) == nil
	}
	if !within(soon, shut) {
		return errors.New("a suspended game is still answered")
	}
	r := s.lagos.send(sgip.PlatformDirectory, hubAddress, struct{}{})
	if strings.Contains(string(r.Result), s.berlin.id+`","name"`) {
		return errors.New("a suspended game is listed")
	}
	return nil
}

func (s *seen) visitors() error {
	s.berlin.change(func(d *sgip.Descriptor) { d.Visitors = &sgip.Visitors{Except: &[]string{s.lagos.id}} })
	if s.lagos.entryOf(s.berlin).VisitorsWelcome {
		return errors.New("shown as welcome where nobody is")
	}
	_, err := s.visit(sgip.VisitRequestPayload{})
	if sgip.CodeOf(err) != sgip.Forbidden {
		return fmt.Errorf("a passport was asked for: %w, wanted forbidden", err)
	}
	return nil
}

// findings runs checks of the suite, each against a hub of its own.
func findings(t *testing.T, checks []string, wrong ...func(*hub.Config)) map[string]error {
	t.Helper()
	found := map[string]error{}
	for _, name := range checks {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t, wrong...)
			s := &seen{n: n}
			s.lagos, s.berlin = n.pair()
			if err := hubSuite()[name](s); err != nil {
				found[name] = err
			}
		})
	}
	return found
}

func TestSuite_RightHub(t *testing.T) {
	var all []string
	for name := range hubSuite() {
		all = append(all, name)
	}
	slices.Sort(all)
	for name, err := range findings(t, all) {
		t.Errorf("%s: %v", name, err)
	}
}
