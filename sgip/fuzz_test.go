package sgip

import (
	"bytes"
	"testing"
)

// Each target has a property that must hold for whatever is accepted, so that a
// run finds more than panics.

func FuzzParseEnvelope(f *testing.F) {
	for _, seed := range []string{
		goodEnvelope, `{}`, `null`, `{"id":"` + envelopeID + `"}`, "{\"\xff\":1}", `{"a":"\ud800"}`, `{"a":[[[[]]]]}`, `{"a":1,"a":2}`, `{"\u0069d":1}`, ` { } `,
		`{"a":"\\u","b":"\uFFFF"}`, "{\"a\":\"\uffff\"}", `{"a":-0.0e+1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		env, err := ParseEnvelope(production, body)
		if env.ID != "" && !ValidULID(env.ID) {
			t.Fatalf("id %q", env.ID)
		}
		if err != nil {
			if CodeOf(err) != InvalidPayload {
				t.Fatal(err)
			}
			return
		}
		again, err := env.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseEnvelope(production, again); err != nil {
			t.Fatalf("%s became %s: %v", body, again, err)
		}
		_ = CheckPayload(production, env.Op, env.Payload)
	})
}

func FuzzParseSignature(f *testing.F) {
	for _, seed := range []string{goodParts, goodParts + ",alg=ed25519", ",,", "a=b", "keyId=,ts=", "sig=" + goodSig} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		sig, err := ParseSignature([]string{header})
		if err != nil {
			if CodeOf(err) != BadSignature {
				t.Fatal(err)
			}
			return
		}
		if !validKeyID(sig.KeyID) || !ValidULID(sig.Nonce) || sig.TS < 0 {
			t.Fatalf("%q: %+v", header, sig)
		}
	})
}

func FuzzVerifyPassport(f *testing.F) {
	hub := signerOf(f, 9)
	for _, seed := range [][2]string{
		{headerOf(hub), goodClaims}, {`{"alg":"none"}`, `{}`}, {headerOf(hub), `{"exp":1e999}`}, {``, ``}, {headerOf(hub), `{"stats":{"":0},"scope":[[]]}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, header, claims string) {
		p, err := VerifyPassport(production, hub.Public, forge(hub, header, claims), "berlin.example", noon)
		if err != nil {
			return
		}
		if p.Host != "berlin.example" || p.Issuer != HubID || p.Expires <= noon.Unix() || p.Expires-p.Issued > 900 || !production.ValidPlatform(p.Home) {
			t.Fatalf("took %+v", p)
		}
		doc, err := decodeAny([]byte(claims), MaxPassport)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkSchema("passport-claims", doc); err != nil {
			t.Fatalf("took %s, which the schema doesn't: %v", claims, err)
		}
	})
}

func FuzzParseDescriptor(f *testing.F) {
	f.Add([]byte(berlin(f)))
	f.Add([]byte(`{"sgip":"0.1"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := ParseDescriptor(production, "berlin.example", body, true)
		if err != nil {
			if CodeOf(err) != InvalidPayload {
				t.Fatal(err)
			}
			return
		}
		again, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseDescriptor(production, "berlin.example", again, true); err != nil {
			t.Fatalf("%s became %s: %v", body, again, err)
		}
		_ = d.Origins(production)
	})
}

func FuzzParseReply(f *testing.F) {
	for _, seed := range []string{goodRefusal, `{"ok":true,"id":"` + envelopeID + `","result":{"queued":true}}`, `{"ok":false,"id":null,"error":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ParseReply(body, envelopeID, MaxBody)
		if err != nil {
			return
		}
		again, err := ParseReply(r.Encode(), envelopeID, MaxHubReply)
		if err != nil || again.OK != r.OK || !bytes.Equal(again.Result, r.Result) {
			t.Fatalf("%s became %s: %v", body, r.Encode(), err)
		}
		if !r.OK && again.Error.Code != r.Error.Code {
			t.Fatalf("%s became %s", r.Error.Code, again.Error.Code)
		}
		_, _ = r.Queued(), r.Status()
	})
}
