package sgip

import (
	"slices"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/vocabulary"
)

// readClaims reads the claims strictly. JSON that isn't I-JSON is unparsable
// (BadSignature); a claim that is missing or of the wrong kind is InvalidPayload.
func readClaims(mode Mode, raw []byte) (Passport, error) {
	o, err := readObject(raw, MaxPassport)
	if err != nil {
		return Passport{}, badPassport("its claims aren't JSON")
	}
	r := claimReader{o: o}
	p := Passport{
		Issuer: r.text("iss", func(s string) bool { return s == HubID }), Subject: r.text("sub", ValidHandle),
		Home: r.text("home", mode.ValidPlatform), Host: r.text("aud", mode.ValidPlatform),
		Issued: r.integer("iat"), Expires: r.integer("exp"),
		ID: r.text("jti", ValidULID), VisitID: r.text("visit_id", ValidULID),
		Scope: r.scope(), Budget: r.budget(),
		Name: r.shown("name", MaxName), Avatar: r.shown("avatar", MaxAvatar), Stats: r.stats(),
	}
	if r.err != nil {
		return Passport{}, r.err
	}
	if slices.Contains(p.Scope, ScopePay) != (p.Budget != nil) {
		return Passport{}, Errorf(InvalidPayload, "budget: must be there with the scope pay and only then")
	}
	if life := p.Expires - p.Issued; life <= 0 || life > int64(PassportLife/time.Second) {
		return Passport{}, Errorf(InvalidPayload, "exp: must be 1 to 900 seconds after iat")
	}
	return p, nil
}

// claimReader reads claims one after the other and keeps the first fault.
type claimReader struct {
	o   object
	err error
}

func (r *claimReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *claimReader) text(name string, valid func(string) bool) string {
	s, err := r.o.text(name)
	if err == nil && !valid(s) {
		err = Errorf(InvalidPayload, "%s: isn't of the right form", name)
	}
	if err != nil {
		r.fail(err)
	}
	return s
}

func (r *claimReader) integer(name string) int64 {
	n, err := r.o.integer(name)
	if err != nil {
		r.fail(err)
	}
	return n
}

func (r *claimReader) shown(name string, max int) string {
	if _, ok := r.o.get(name); !ok {
		return ""
	}
	s, err := r.o.text(name)
	if err == nil {
		err = CheckText(name, s, max)
	}
	if err != nil {
		r.fail(err)
	}
	return s
}

func (r *claimReader) scope() []string {
	raw, ok := r.o.get("scope")
	if !ok || raw.Kind() != '[' {
		r.fail(Errorf(InvalidPayload, "scope: must be a list"))
		return nil
	}
	list := items(raw)
	scopes := make([]string, 0, len(list))
	for _, item := range list {
		s, err := stringOf("scope", item)
		if err != nil || !validWord(s) || len(s) > maxTerm {
			r.fail(Errorf(InvalidPayload, "scope: must be a list of scopes"))
		}
		scopes = append(scopes, s)
	}
	if !slices.Contains(scopes, ScopeVisit) {
		r.fail(Errorf(InvalidPayload, "scope: must have visit in it"))
	}
	return scopes
}

func (r *claimReader) budget() *Money {
	raw, ok := r.o.get("budget")
	if !ok {
		return nil
	}
	m, err := moneyOf("budget", raw)
	if err != nil {
		r.fail(err)
	} else if m.Amount < 1 {
		r.fail(Errorf(InvalidPayload, "budget.amount: must be at least 1"))
	}
	return &m
}

// maxTerm is the longest id of the vocabulary (section 8.2).
const maxTerm = 32

func (r *claimReader) stats() map[string]int {
	raw, ok := r.o.get("stats")
	if !ok {
		return nil
	}
	members, err := nested("stats", raw)
	if err != nil {
		r.fail(err)
		return nil
	}
	stats := make(map[string]int, len(members))
	for _, m := range members {
		name := string(m.name)
		n, ok := statOf(name, string(m.value))
		if !ok {
			r.fail(Errorf(InvalidPayload, "stats: must be whole numbers from 0 to 100 under names of stats"))
			continue
		}
		stats[name] = n
	}
	return stats
}

// registry is the vocabulary, read when first needed and never changed.
var registry = sync.OnceValues(vocabulary.Load)

// statOf reads a stat: 0 to 100 for a registered one. One that this version
// doesn't know may be any whole number, since nobody looks at it.
func statOf(name, digits string) (int, bool) {
	if !validWord(name) || len(name) > maxTerm {
		return 0, false
	}
	n, ok := plainDigits(digits)
	if words, err := registry(); err != nil || words.Has("stats", name) {
		return int(n), ok && n <= 100
	}
	if below, negative := strings.CutPrefix(digits, "-"); negative {
		n, ok = plainDigits(below)
		return int(-n), ok && n >= 1 && n <= MaxAmount
	}
	return int(n), ok && n <= MaxAmount
}
