package platform_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkPassportSeen sets the check of a passport seen before against the
// bare signature check of the same bytes, in short slices that take turns, and
// reports the median of the ratios.
func BenchmarkPassportSeen(b *testing.B) {
	n := newNetwork(b)
	token, _ := n.passport(n.hub.key)
	cut := strings.LastIndex(token, ".")
	sig, err := base64.RawURLEncoding.DecodeString(token[cut+1:])
	if err != nil {
		b.Fatal(err)
	}
	signed := []byte(token[:cut])
	bare := func() {
		if !ed25519.Verify(n.hub.key.Public.Raw, signed, sig) {
			b.Fatal("the passport isn't the hub's")
		}
	}
	seen := func() {
		if _, err := n.seat.CheckPassport(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
	seen() // the first time
	var ratios []float64
	for b.Loop() {
		ratios = append(ratios, slice(seen)/slice(bare))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "seen/bare")
}

// slice times a few hundred rounds of f.
func slice(f func()) float64 {
	began := time.Now()
	for range 300 {
		f()
	}
	return float64(time.Since(began))
}
