package sgip

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Limits of a passport (contract 7.1).
const (
	MaxPassport  = 4 << 10
	PassportLife = 900 * time.Second
)

// Scopes of a visit.
const (
	ScopeVisit = "visit"
	ScopePay   = "pay"
)

// Passport is the claims of section 7.1.
type Passport struct {
	Issuer  string         `json:"iss"`
	Subject string         `json:"sub"`
	Home    string         `json:"home"`
	Host    string         `json:"aud"`
	Issued  int64          `json:"iat"`
	Expires int64          `json:"exp"`
	ID      string         `json:"jti"`
	VisitID string         `json:"visit_id"`
	Scope   []string       `json:"scope"`
	Budget  *Money         `json:"budget,omitempty"`
	Name    string         `json:"name,omitempty"`
	Avatar  string         `json:"avatar,omitempty"`
	Stats   map[string]int `json:"stats,omitempty"`
}

// Guest is the guest's lasting identity, sub@home.
func (p Passport) Guest() string { return PlayerID(p.Subject, p.Home) }

// MayPay reports whether the visit carries a budget.
func (p Passport) MayPay() bool { return p.Budget != nil && slices.Contains(p.Scope, ScopePay) }

// passportHeader is the first part of a passport as this hub writes it (7.1).
func passportHeader(keyID string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"EdDSA","typ":"JWT","kid":"` + keyID + `"}`))
}

// SignPassport issues the compact JWS, signed by the hub. A passport over
// MaxPassport (too many stats in the profile) is InvalidPayload.
func SignPassport(hub Signer, claims Passport) (string, error) {
	body, err := Marshal(claims)
	if err != nil {
		return "", Wrap(Internal, err, "the passport couldn't be written")
	}
	signed := passportHeader(hub.Public.ID) + "." + base64.RawURLEncoding.EncodeToString(body)
	token := signed + "." + base64.RawURLEncoding.EncodeToString(hub.sign([]byte(signed)))
	if len(token) > MaxPassport {
		return "", Errorf(InvalidPayload, "profile: makes a passport of more than %d bytes", MaxPassport)
	}
	return token, nil
}

// PassportKeyID reads the kid of a token's header without trusting it, for
// choosing the key; BadSignature when the token can't be read.
func PassportKeyID(token string) (string, error) {
	parts, err := splitPassport(token)
	if err != nil {
		return "", err
	}
	return readPassportHeader(parts[0])
}

// VerifyPassport checks a token offline (7.1, contract 7.2's codes): strict
// reading, EdDSA by key, aud is host, exp later than now, 0 < exp-iat ≤ 900.
// Codes: BadSignature, Expired, Forbidden (aud), InvalidPayload (claims).
func VerifyPassport(mode Mode, key PublicKey, token, host string, now time.Time) (Passport, error) {
	parts, err := splitPassport(token)
	if err != nil {
		return Passport{}, err
	}
	if err := key.checkHeader(parts[0]); err != nil {
		return Passport{}, err
	}
	sig, err := decodeSegment(parts[2])
	if err != nil {
		return Passport{}, err
	}
	if err := jwt.SigningMethodEdDSA.Verify(token[:len(token)-len(parts[2])-1], sig, key.Raw); err != nil {
		return Passport{}, badPassport("its signature fails")
	}
	body, err := decodeSegment(parts[1])
	if err != nil {
		return Passport{}, err
	}
	p, err := readClaims(mode, body)
	if err == nil {
		err = p.judge(host, now)
	}
	if err != nil {
		return Passport{}, err
	}
	return p, nil
}

func badPassport(fault string) *Error { return Errorf(BadSignature, "the passport: %s", fault) }

// splitPassport caps the length before anything is read.
func splitPassport(token string) ([3]string, error) {
	var parts [3]string
	if len(token) > MaxPassport {
		return parts, badPassport("it is too long")
	}
	header, rest, ok := strings.Cut(token, ".")
	claims, sig, ok2 := strings.Cut(rest, ".")
	if !ok || !ok2 || strings.Contains(sig, ".") {
		return parts, badPassport("it must have three parts")
	}
	return [3]string{header, claims, sig}, nil
}

// decodeSegment reads base64url that encodes to itself again: no padding, no
// stray bits, none of the line breaks that the decoder would skip.
func decodeSegment(segment string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	if err != nil || base64.RawURLEncoding.EncodedLen(len(raw)) != len(segment) {
		return nil, badPassport("it isn't base64url")
	}
	return raw, nil
}

// checkHeader wants a good header with this key's id in it.
func (k PublicKey) checkHeader(segment string) error {
	if segment == k.passport && segment != "" {
		return nil
	}
	kid, err := readPassportHeader(segment)
	if err == nil && kid != k.ID {
		err = badPassport("it is signed by another key than the hub's")
	}
	return err
}

func readPassportHeader(segment string) (kid string, err error) {
	raw, err := decodeSegment(segment)
	if err != nil {
		return "", err
	}
	o, err := readObject(raw, MaxPassport)
	if err != nil {
		return "", badPassport("its header isn't JSON")
	}
	if _, ok := o.get("crit"); ok {
		return "", badPassport("its header must have no crit")
	}
	alg, err1 := o.text("alg")
	typ, err2 := o.text("typ")
	kid, err3 := o.text("kid")
	if errors.Join(err1, err2, err3) != nil || alg != jwt.SigningMethodEdDSA.Alg() || typ != "JWT" || !validKeyID(kid) {
		return "", badPassport("its header must have alg EdDSA, typ JWT and a kid")
	}
	return kid, nil
}

// judge has golang-jwt decide issuer, time and audience, without leeway.
func (p *Passport) judge(host string, now time.Time) error {
	err := jwt.NewValidator(jwt.WithIssuer(HubID), jwt.WithAudience(host), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return now })).Validate(jwtClaims{p})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrTokenExpired):
		ago := now.Unix() - p.Expires
		return Errorf(Expired, "the passport expired %d seconds ago by this side's clock", ago)
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return Errorf(Forbidden, "the passport is for another game")
	}
	return Wrap(InvalidPayload, err, "the passport's claims don't hold")
}

// jwtClaims shows a passport to golang-jwt.
type jwtClaims struct{ p *Passport }

var _ jwt.Claims = jwtClaims{}

func (c jwtClaims) GetExpirationTime() (*jwt.NumericDate, error) {
	return jwt.NewNumericDate(time.Unix(c.p.Expires, 0)), nil
}

func (c jwtClaims) GetIssuedAt() (*jwt.NumericDate, error) {
	return jwt.NewNumericDate(time.Unix(c.p.Issued, 0)), nil
}

func (c jwtClaims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil }

func (c jwtClaims) GetIssuer() (string, error) { return c.p.Issuer, nil }

func (c jwtClaims) GetSubject() (string, error) { return c.p.Subject, nil }

func (c jwtClaims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.p.Host}, nil }
