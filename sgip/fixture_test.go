package sgip

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"testing"
	"time"
)

const (
	envelopeID = "01JA2B3C4D5E6F7G8H9J0K1M2N"
	tripID     = "01JA2B3C4D5E6F7G8H9J0K1M2P"
	passID     = "01JA2B3C4D5E6F7G8H9J0K1M2Q"
)

// noon is when the tests take place.
var noon = time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)

// signerOf makes the same key for the same number every time.
func signerOf(t testing.TB, n byte) Signer {
	t.Helper()
	s, err := NewSigner(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// keyText is the public key of signerOf(n), for tables.
func keyText(n byte) string {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
	return base64.StdEncoding.EncodeToString(private[32:])
}

// ticket is Tunde's passport to Berlin, with money.
func ticket(at time.Time) Passport {
	return Passport{
		Issuer: HubID, Subject: "tunde", Home: "lagos.example", Host: "berlin.example",
		Issued: at.Unix(), Expires: at.Unix() + 900, ID: passID, VisitID: tripID,
		Scope: []string{ScopeVisit, ScopePay}, Budget: &Money{Amount: 2500000, Currency: "NGN"},
		Name: "Tunde", Avatar: "🧑🏾", Stats: map[string]int{"hunger": 40, "energy": 70, "fun": 55},
	}
}

// wantCode checks an error's code, "" for none.
func wantCode(t *testing.T, err error, want Code) {
	t.Helper()
	if got := CodeOf(err); got != want {
		t.Errorf("code %q (%v), want %q", got, err, want)
	}
}

func sha256Of(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}
