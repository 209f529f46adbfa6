// Package vectors holds fixed keys, requests, passports and money conversions
// to test an implementation of the protocol against, in any language, and the
// code that generates them.
//
// The files are published as they are: signing.json (section 6), passports.json
// (7.1, 7.2) and money.json (7.4, 8.4). Each case has a name, a description and
// what must come of it. Nothing in them is specific to Go. Change a case here,
// run go generate, and read the difference.
package vectors

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"sgip.example/starter/sgip"
)

//go:generate go run ./gen

// Files are the published files.
//
//go:embed signing.json passports.json money.json
var Files embed.FS

// Names are the published files' names.
func Names() []string { return []string{"signing.json", "passports.json", "money.json"} }

// Generate writes one of the files anew, the same bytes every time.
func Generate(name string) ([]byte, error) {
	switch name {
	case "signing.json":
		return write(newSigning())
	case "passports.json":
		return write(newPassports())
	case "money.json":
		return write(newMoney())
	}
	return nil, fmt.Errorf("no vectors called %s", name)
}

func write(file any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// key is one key pair, whole: they are for tests and guard nothing.
type key struct {
	Name      string `json:"name"`
	Seed      string `json:"seed_hex"`
	PublicKey string `json:"public_key"`
	KeyID     string `json:"key_id"`

	private ed25519.PrivateKey
}

// newKey derives a key's seed from its name.
func newKey(name string) (key, error) {
	seed := sha256.Sum256([]byte("sgip vectors: " + name))
	signer, err := sgip.NewSigner(seed[:])
	if err != nil {
		return key{}, err
	}
	return key{
		Name: name, Seed: hex.EncodeToString(seed[:]), PublicKey: signer.Public.Text, KeyID: signer.Public.ID,
		private: ed25519.NewKeyFromSeed(seed[:]),
	}, nil
}

func newKeys(names ...string) ([]key, error) {
	keys := make([]key, len(names))
	for i, name := range names {
		k, err := newKey(name)
		if err != nil {
			return nil, err
		}
		keys[i] = k
	}
	return keys, nil
}

// sign signs without any of the protocol's checks, since half of the cases must
// be wrong.
func (k key) sign(message string) []byte { return ed25519.Sign(k.private, []byte(message)) }

func standard(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
func urlSafe(b []byte) string  { return base64.RawURLEncoding.EncodeToString(b) }

// Ids and times that the cases share.
const (
	firstID  = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	secondID = "01JA2B3C4D5E6F7G8H9J0K1M2P"
	thirdID  = "01JA2B3C4D5E6F7G8H9J0K1M2Q"
	noon     = 1794312000 // 2026-11-10T12:00:00Z
)

// ok is the outcome of a case that must be accepted; all others are codes of
// section 5.
const ok = "ok"
