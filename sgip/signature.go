package sgip

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader is the header's name; exactly one must be there.
const SignatureHeader = "SGIP-Signature"

// MaxSkew is how far ts may be off, NonceLife how long a nonce is remembered
// (contract 6).
const (
	MaxSkew   = 300 * time.Second
	NonceLife = 601 * time.Second
)

// maxSignatureHeader is the longest header value read, in bytes: twenty times
// what the known parameters take.
const maxSignatureHeader = 4 << 10

// Signature is a parsed SGIP-Signature header (section 6).
type Signature struct {
	KeyID string
	TS    int64 // Unix seconds
	Nonce string
	Sig   [64]byte
}

// ParseSignature reads the values of the header as they came: none, more than
// one, or any breach of contract 6 is BadSignature.
func ParseSignature(values []string) (Signature, error) {
	if len(values) != 1 {
		return Signature{}, Errorf(BadSignature, "there must be exactly one %s header", SignatureHeader)
	}
	if len(values[0]) > maxSignatureHeader {
		return Signature{}, badHeader("it is too long")
	}
	known, err := splitHeader(values[0])
	if err != nil {
		return Signature{}, err
	}
	return known.signature()
}

// knownParams are the header's parameters of 0.1, "" where one is absent.
type knownParams struct{ keyID, ts, nonce, sig, alg string }

// named finds where a parameter goes; nil for one that this version ignores.
func (p *knownParams) named(name string) *string {
	switch name {
	case "keyId":
		return &p.keyID
	case "ts":
		return &p.ts
	case "nonce":
		return &p.nonce
	case "sig":
		return &p.sig
	case "alg":
		return &p.alg
	}
	return nil
}

func splitHeader(header string) (knownParams, error) {
	var known knownParams
	for more := true; more; {
		var param string
		param, header, more = strings.Cut(header, ",")
		name, value, ok := strings.Cut(strings.Trim(param, " "), "=")
		if !ok || !validParam(name, value) {
			return known, badHeader("it must be name=value pairs between commas")
		}
		slot := known.named(name)
		if slot == nil {
			continue
		}
		if value == "" || *slot != "" {
			return known, badHeader(name + " must be there once, with a value")
		}
		*slot = value
	}
	return known, nil
}

// validParam wants visible ASCII, spaces inside a value apart.
func validParam(name, value string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] > '~' {
			return false
		}
	}
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	return true
}

func (p *knownParams) signature() (Signature, error) {
	s := Signature{KeyID: p.keyID, Nonce: p.nonce}
	if p.alg != "" && p.alg != "ed25519" {
		return s, badHeader("alg must be ed25519")
	}
	if !validKeyID(p.keyID) {
		return s, badHeader("keyId must be 16 lower-case hex characters")
	}
	ts, ok := plainDigits(p.ts)
	if !ok {
		return s, badHeader("ts must be Unix seconds in plain digits")
	}
	s.TS = ts
	if !ValidULID(p.nonce) {
		return s, badHeader("nonce must be a ULID")
	}
	if !strictBase64(s.Sig[:], p.sig) {
		return s, badHeader("sig must be standard base64 of 64 bytes")
	}
	return s, nil
}

func badHeader(fault string) *Error {
	return Errorf(BadSignature, "%s: %s", SignatureHeader, fault)
}

func validKeyID(id string) bool {
	if len(id) != keyIDLength {
		return false
	}
	for i := range len(id) {
		if !isDigit(id[i]) && (id[i] < 'a' || id[i] > 'f') {
			return false
		}
	}
	return true
}

// CanonicalString is the string that is signed: method, path, ts, nonce and the
// hex SHA-256 of body, joined by \n.
func CanonicalString(method, path string, ts int64, nonce string, body []byte) []byte {
	const fixed = 4 + 20 + 2*sha256.Size // newlines, the longest ts, the hash
	out := make([]byte, 0, len(method)+len(path)+len(nonce)+fixed)
	return appendCanonical(out, method, path, ts, nonce, body)
}

func appendCanonical(out []byte, method, path string, ts int64, nonce string, body []byte) []byte {
	sum := sha256.Sum256(body)
	out = append(out, strings.ToUpper(method)...)
	out = append(out, '\n')
	out = append(out, path...)
	out = append(out, '\n')
	out = strconv.AppendInt(out, ts, 10)
	out = append(out, '\n')
	out = append(out, nonce...)
	out = append(out, '\n')
	return hex.AppendEncode(out, sum[:])
}

// Sign gives the header value for one attempt. path is the raw path as sent.
func (s Signer) Sign(method, path string, at time.Time, nonce string, body []byte) string {
	ts := at.Unix()
	sig := s.sign(CanonicalString(method, path, ts, nonce, body))
	return "keyId=" + s.Public.ID + ",ts=" + strconv.FormatInt(ts, 10) + ",nonce=" + nonce +
		",sig=" + base64.StdEncoding.EncodeToString(sig)
}

// Verify checks the signature over the bytes received; BadSignature if it fails.
func (s Signature) Verify(key PublicKey, method, path string, body []byte) error {
	if key.ID != s.KeyID || len(key.Raw) != ed25519.PublicKeySize {
		return Errorf(BadSignature, "the signature is by another key")
	}
	if !ed25519.Verify(key.Raw, CanonicalString(method, path, s.TS, s.Nonce, body), s.Sig[:]) {
		return Errorf(BadSignature, "the signature doesn't fit the request as it was received")
	}
	return nil
}

// CheckTime is Expired when now and ts are more than MaxSkew apart; the message
// says by how many seconds, and which way, the clocks differ.
func (s Signature) CheckTime(now time.Time) error {
	const limit = int64(MaxSkew / time.Second)
	switch ahead := s.TS - now.Unix(); {
	case ahead > limit:
		return Errorf(Expired, "ts is %d seconds ahead of this side's clock; it must be within %d, in whole Unix seconds", ahead, limit)
	case -ahead > limit:
		return Errorf(Expired, "ts is %d seconds behind this side's clock; it must be within %d, in whole Unix seconds", -ahead, limit)
	}
	return nil
}
