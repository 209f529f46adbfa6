package sgip

import "time"

// SignatureHeader is the header's name; exactly one must be there.
const SignatureHeader = "SGIP-Signature"

// MaxSkew is how far ts may be off, NonceLife how long a nonce is remembered
// (contract 6).
const (
	MaxSkew   = 300 * time.Second
	NonceLife = 601 * time.Second
)

// Signature is a parsed SGIP-Signature header (section 6).
type Signature struct {
	KeyID string
	TS    int64 // Unix seconds
	Nonce string
	Sig   [64]byte
}

// ParseSignature reads the values of the header as they came: none, more than
// one, or any breach of contract 6 is BadSignature.
func ParseSignature(values []string) (Signature, error) { panic("unwritten") }

// CanonicalString is the string that is signed: method, path, ts, nonce and the
// hex SHA-256 of body, joined by \n.
func CanonicalString(method, path string, ts int64, nonce string, body []byte) []byte {
	panic("unwritten")
}

// Sign gives the header value for one attempt. path is the raw path as sent.
func (s Signer) Sign(method, path string, at time.Time, nonce string, body []byte) string {
	panic("unwritten")
}

// Verify checks the signature over the bytes received; BadSignature if it fails.
func (s Signature) Verify(key PublicKey, method, path string, body []byte) error {
	panic("unwritten")
}

// CheckTime is Expired when now and ts are more than MaxSkew apart; the message
// says by how many seconds, and which way, the clocks differ.
func (s Signature) CheckTime(now time.Time) error { panic("unwritten") }
