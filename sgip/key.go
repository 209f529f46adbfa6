package sgip

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"

	"filippo.io/edwards25519"
)

// keyIDLength is the length of a key id, in hex characters (section 6).
const keyIDLength = 16

// PublicKey is a checked 32-byte Ed25519 public key with its names on the wire.
type PublicKey struct {
	ID   string // first 16 hex of SHA-256 over Text (section 6)
	Text string // standard base64
	Raw  ed25519.PublicKey
	// passport is how passports by this key usually begin: their first part is
	// then compared and need not be read.
	passport string
}

// ParsePublicKey reads strict base64 of exactly 32 bytes.
func ParsePublicKey(text string) (PublicKey, error) {
	var raw [ed25519.PublicKeySize]byte
	if !strictBase64(raw[:], text) {
		return PublicKey{}, Errorf(InvalidPayload, "a public key must be standard base64 of 32 bytes")
	}
	return newPublicKey(raw[:]), nil
}

func newPublicKey(raw ed25519.PublicKey) PublicKey {
	text := base64.StdEncoding.EncodeToString(raw)
	sum := sha256.Sum256([]byte(text))
	id := hex.EncodeToString(sum[:keyIDLength/2])
	return PublicKey{ID: id, Text: text, Raw: raw, passport: passportHeader(id)}
}

// strictBase64 fills dst, whose length is the length wanted, from padded
// standard base64. The standard decoder skips line breaks even when it is
// strict, so the length of the text is held to the one that encoding gives.
func strictBase64(dst []byte, text string) bool {
	if len(text) != base64.StdEncoding.EncodedLen(len(dst)) {
		return false
	}
	n, err := base64.StdEncoding.Strict().AppendDecode(dst[:0:len(dst)], []byte(text))
	return err == nil && len(n) == len(dst)
}

// CheckOrder refuses a key that is off the curve, not canonically encoded or of
// small order; the hub applies it at hub.hello@1 (section 6). Some libraries
// accept forged signatures for keys of small order. The error is InvalidPayload.
func (k PublicKey) CheckOrder() error {
	point, err := new(edwards25519.Point).SetBytes(k.Raw)
	if err != nil {
		return Wrap(InvalidPayload, err, "the public key is not a point of the curve")
	}
	if string(point.Bytes()) != string(k.Raw) {
		return Errorf(InvalidPayload, "the public key is not canonically encoded")
	}
	if new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return Errorf(InvalidPayload, "the public key is of small order")
	}
	return nil
}

// Signer holds a private key. It never prints it.
type Signer struct {
	Public PublicKey
	// sign holds the private key inside a function: fmt goes into unexported
	// fields, past all methods, and finds nothing to print there.
	sign func(message []byte) []byte
}

// NewSigner makes a signer from a 32-byte seed.
func NewSigner(seed []byte) (Signer, error) {
	if len(seed) != ed25519.SeedSize {
		return Signer{}, errors.New("a key's seed must be 32 bytes")
	}
	private := ed25519.NewKeyFromSeed(seed)
	public := private.Public().(ed25519.PublicKey) // crypto/ed25519 documents the type
	sign := func(message []byte) []byte { return ed25519.Sign(private, message) }
	return Signer{Public: newPublicKey(public), sign: sign}, nil
}

// String keeps the private key out of logs.
func (s Signer) String() string { return "key " + s.Public.ID }

// GoString keeps the private key out of %#v.
func (s Signer) GoString() string { return s.String() }

// Format keeps the private key out of every other verb: %d, for one, would
// print the bytes of unexported fields.
func (s Signer) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }
