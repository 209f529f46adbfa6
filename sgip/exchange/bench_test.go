package exchange

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"sgip.example/starter/sgip"
)

type oneKey struct{ sgip.PublicKey }

func (k oneKey) Key(context.Context, string) (sgip.PublicKey, error)                 { return k.PublicKey, nil }
func (k oneKey) Admit(context.Context, string, sgip.Envelope) error                  { return nil }
func (oneKey) Introduces(op sgip.Op) bool                                            { return op == sgip.HubHello }
func (oneKey) Keys(context.Context, sgip.Envelope, string) ([]sgip.PublicKey, error) { return nil, nil }

// BenchmarkInboxCheck pairs the check of a signed 1 KiB request, as the running
// hub makes it (framing, header, envelope, hash, signature, time, sender), with a
// bare Verify of the same bytes, in short alternating slices. x-bare is the
// median of the ratios. The nonce is decided by the durable write, which is
// measured with the store.
func BenchmarkInboxCheck(b *testing.B) {
	signer, err := sgip.NewSigner(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	if err != nil {
		b.Fatal(err)
	}
	env, err := sgip.NewEnvelope(ulid.Make().String(), sgip.MessageSend, sgip.Address{Platform: "lagos.example", Player: "tunde@lagos.example"},
		sgip.Address{Platform: "berlin.example", Player: "lena@berlin.example"}, sgip.MessagePayload{Text: strings.Repeat("How far? ", 86)})
	if err != nil {
		b.Fatal(err)
	}
	body, err := env.Encode()
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	key := oneKey{signer.Public}
	in := NewInbox(InboxConfig{Self: sgip.HubID, Keys: key, Introductions: key, Path: "/ops", Clock: func() time.Time { return now }})
	header := signer.Sign("POST", "/ops", now, ulid.Make().String(), body)
	sig, err := sgip.ParseSignature([]string{header})
	if err != nil {
		b.Fatal(err)
	}
	request := Request{Method: "POST", Target: "/ops", Signatures: []string{header}, ContentTypes: []string{"application/json"}, Body: body}
	canonical := sgip.CanonicalString("POST", "/ops", sig.TS, sig.Nonce, body)

	const slice = 50
	var ratios []float64
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for range b.N {
		began := time.Now()
		for range slice {
			if !ed25519.Verify(signer.Public.Raw, canonical, sig.Sig[:]) {
				b.Fatal("not verified")
			}
		}
		bare := time.Since(began)
		began = time.Now()
		for range slice {
			path, err := in.checkFraming(request)
			if err != nil {
				b.Fatal(err)
			}
			if a, err := in.accept(b.Context(), request, path); err != nil || a.refusal != nil {
				b.Fatal(err, a.refusal)
			}
		}
		ratios = append(ratios, float64(time.Since(began))/float64(bare))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-bare")
}
