package sgip

import "crypto/ed25519"

// PublicKey is a checked 32-byte Ed25519 public key with its names on the wire.
type PublicKey struct {
	ID   string // first 16 hex of SHA-256 over Text (section 6)
	Text string // standard base64
	Raw  ed25519.PublicKey
}

// ParsePublicKey reads strict base64 of exactly 32 bytes.
func ParsePublicKey(text string) (PublicKey, error) { panic("unwritten") }

// CheckOrder refuses a key that is off the curve, not canonically encoded or of
// small order; the hub applies it at hub.hello@1 (section 6).
func (k PublicKey) CheckOrder() error { panic("unwritten") }

// Signer holds a private key. It never prints it.
type Signer struct {
	Public  PublicKey
	private ed25519.PrivateKey
}

// NewSigner makes a signer from a 32-byte seed.
func NewSigner(seed []byte) (Signer, error) { panic("unwritten") }

// String keeps the private key out of logs.
func (s Signer) String() string { return "key " + s.Public.ID }

// GoString keeps the private key out of %#v.
func (s Signer) GoString() string { return s.String() }
