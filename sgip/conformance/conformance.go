// Package conformance tests a game over HTTP the way a hub meets it in normal
// operation (section 9.1). Fill in a Suite, Fetch the game's descriptor, and hand
// it to Run.
//
// Who may ask for a check, and how often, isn't decided here: the hub does that
// before it calls Run, with what ReadDoors finds in the descriptor.
package conformance

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/outbound"
)

const (
	// checkWithin is how long one check may take (contract 5). All run side by
	// side, so that with the fetch of the descriptor before it a whole test is
	// over within the ten seconds that a reply may take.
	checkWithin = 4 * time.Second
	// fetchWithin is how long a descriptor may take, to its last byte (section 2).
	fetchWithin = 5 * time.Second
	// maxPage is how much of a visit page is read: far more than a page needs
	// before its scripts and pictures.
	maxPage = 1 << 20
)

// Suite is what the checks need.
type Suite struct {
	Mode   sgip.Mode
	Client *outbound.Client
	// Hub signs as the hub does; the game must know this key as the hub's.
	Hub   sgip.Signer
	Clock func() time.Time
	NewID func() string
	// Passport issues a passport, signed by Hub, for a visit to host, and tells
	// the name it carries. The name must stand nowhere else in the game, and the
	// passport is sent in a URL's query, so nobody else may have use for it.
	Passport func(host string) (token, name string, err error)
}

// run is one test of one game.
type run struct {
	Suite
	platform string
	served   outbound.Response
	doors    Doors
	stranger sgip.Signer
	nobody   string // a player who doesn't exist
	passport sgip.Passport
	token    string
	name     string
}

// check is one of the checks. do tells what it saw; its error, what is wrong.
type check struct {
	name     string
	required bool
	do       func(*run, context.Context) (string, error)
}

// checks are listed in the order of contract 9. The last isn't required: a game
// whose page can't be framed still works in a tab.
func checks() []check {
	return []check{
		{"descriptor", true, (*run).checkDescriptor},
		{"ping", true, (*run).checkPing},
		{"unsigned", true, (*run).checkUnsigned},
		{"wrong_key", true, (*run).checkWrongKey},
		{"stale", true, (*run).checkStale},
		{"replayed_nonce", true, (*run).checkReplayedNonce},
		{"malformed_envelope", true, (*run).checkMalformedEnvelope},
		{"undeclared_op", true, (*run).checkUndeclaredOp},
		{"lookup_unknown", true, (*run).checkLookupUnknown},
		{"message_unknown", true, (*run).checkMessageUnknown},
		{"visit_page", true, (*run).checkVisitPage},
		{"visit_query_passport", true, (*run).checkVisitQueryPassport},
		{"visit_headers", false, (*run).checkVisitHeaders},
	}
}

// Run tests the game called platform, whose descriptor was served as given. No
// request goes to another domain than the game's: where inbox or visit point
// elsewhere, the checks that need them fail unsent. Whatever the game does ends
// up in the report; an error is the caller's own: no passport, or ctx is done.
func (s Suite) Run(ctx context.Context, platform string, descriptor outbound.Response) (sgip.CheckReport, error) {
	r := &run{Suite: s, platform: platform, served: descriptor}
	if err := r.prepare(); err != nil {
		return sgip.CheckReport{}, fmt.Errorf("prepare checks: %w", err)
	}
	list := checks()
	report := sgip.CheckReport{
		PlatformID: platform, CheckedAt: sgip.FormatTime(s.Clock()), Conforms: true, Checks: make([]sgip.Check, len(list)),
	}
	var under sync.WaitGroup
	for i, c := range list {
		under.Go(func() { report.Checks[i] = r.perform(ctx, c) })
	}
	under.Wait()
	if err := ctx.Err(); err != nil {
		return sgip.CheckReport{}, fmt.Errorf("run checks: %w", err)
	}
	for _, c := range report.Checks {
		report.Conforms = report.Conforms && (c.Passed || !c.Required)
	}
	return report, nil
}

func (r *run) prepare() (err error) {
	r.doors, _ = ReadDoors(r.Mode, r.platform, r.served.Body) // what can't be used, the checks tell
	// Nothing depends on the stranger's key being secret, only on its being new.
	seed := sha256.Sum256([]byte(r.NewID()))
	if r.stranger, err = sgip.NewSigner(seed[:]); err != nil {
		return err
	}
	r.nobody = sgip.PlayerID("nobody"+strings.ToLower(r.NewID()), r.platform)
	if r.token, r.name, err = r.Passport(r.platform); err != nil {
		return err
	}
	r.passport, err = sgip.VerifyPassport(r.Mode, r.Hub.Public, r.token, r.platform, r.Clock())
	return err
}

func (r *run) perform(ctx context.Context, c check) sgip.Check {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	detail, err := c.do(r, ctx)
	if err != nil {
		detail = err.Error()
	}
	return sgip.Check{Name: c.name, Passed: err == nil, Required: c.required, Detail: detail}
}
