package sgip

import "time"

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
func (p Passport) MayPay() bool { panic("unwritten") }

// SignPassport issues the compact JWS, signed by the hub.
func SignPassport(hub Signer, claims Passport) (string, error) { panic("unwritten") }

// PassportKeyID reads the kid of a token's header without trusting it, for
// choosing the key; BadSignature when the token can't be read.
func PassportKeyID(token string) (string, error) { panic("unwritten") }

// VerifyPassport checks a token offline (7.1, contract 7.2's codes): strict
// reading, EdDSA by key, aud is host, exp later than now, 0 < exp-iat ≤ 900.
// Codes: BadSignature, Expired, Forbidden (aud), InvalidPayload (claims).
func VerifyPassport(mode Mode, key PublicKey, token, host string, now time.Time) (Passport, error) {
	panic("unwritten")
}
