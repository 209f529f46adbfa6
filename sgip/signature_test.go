package sgip

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	goodKeyID = "0123456789abcdef"
	goodSig   = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
	goodParts = "keyId=" + goodKeyID + ",ts=1794312000,nonce=" + envelopeID + ",sig=" + goodSig
)

func TestSignature_ParseOK(t *testing.T) {
	for _, header := range []string{
		goodParts,
		goodParts + ",alg=ed25519",
		"alg=ed25519," + goodParts,
		"  " + strings.ReplaceAll(goodParts, ",", "  ,   ") + " ",
		"sig=" + goodSig + ",nonce=" + envelopeID + ",ts=1794312000,keyId=" + goodKeyID,
		goodParts + ",later=1",
		goodParts + ",later=1,later=2",
		goodParts + ",later=",
		goodParts + ",ALG=rsa,KeyId=x,x=a b=c;\"d\"",
	} {
		sig, err := ParseSignature([]string{header})
		if err != nil || sig.KeyID != goodKeyID || sig.TS != 1794312000 || sig.Nonce != envelopeID || sig.Sig != [64]byte{} {
			t.Errorf("%s: %+v %v", header, sig, err)
		}
	}
}

func TestSignature_ParseErr(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(goodParts, old, new, 1) }
	cases := map[string][]string{
		"no header":           {},
		"two headers":         {goodParts, goodParts},
		"two headers, one":    {goodParts, ""},
		"empty":               {""},
		"spaces":              {"   "},
		"too long":            {goodParts + ",later=" + strings.Repeat("x", maxSignatureHeader)},
		"a scheme before it":  {"SGIP " + goodParts},
		"semicolons":          {strings.ReplaceAll(goodParts, ",", ";")},
		"an empty parameter":  {with(",ts", ",,ts")},
		"a trailing comma":    {goodParts + ","},
		"a leading comma":     {"," + goodParts},
		"a bare word":         {goodParts + ",later"},
		"no name":             {goodParts + ",=x"},
		"a tab":               {with(",ts", ",\tts")},
		"a space before =":    {with("ts=", "ts =")},
		"a space after =":     {with("ts=", "ts= ")},
		"a newline":           {with(",ts", ",\nts")},
		"beyond ASCII":        {goodParts + ",later=é"},
		"no keyId":            {with("keyId="+goodKeyID+",", "")},
		"no ts":               {with("ts=1794312000,", "")},
		"no nonce":            {with("nonce="+envelopeID+",", "")},
		"no sig":              {with(",sig="+goodSig, "")},
		"keyId twice":         {goodParts + ",keyId=" + goodKeyID},
		"ts twice":            {goodParts + ",ts=1794312000"},
		"nonce twice":         {goodParts + ",nonce=" + envelopeID},
		"sig twice":           {goodParts + ",sig=" + goodSig},
		"alg twice":           {goodParts + ",alg=ed25519,alg=ed25519"},
		"alg empty":           {goodParts + ",alg="},
		"alg unknown":         {goodParts + ",alg=rsa-sha256"},
		"alg in capitals":     {goodParts + ",alg=Ed25519"},
		"alg EdDSA":           {goodParts + ",alg=EdDSA"},
		"keyId empty":         {with(goodKeyID, "")},
		"keyId in capitals":   {with(goodKeyID, strings.ToUpper(goodKeyID))},
		"keyId short":         {with(goodKeyID, goodKeyID[1:])},
		"keyId long":          {with(goodKeyID, goodKeyID+"0")},
		"keyId quoted":        {with(goodKeyID, `"`+goodKeyID+`"`)},
		"ts with plus":        {with("ts=", "ts=+")},
		"ts with minus":       {with("ts=", "ts=-")},
		"ts with zero before": {with("ts=", "ts=0")},
		"ts as fraction":      {with("1794312000", "1794312000.0")},
		"ts in exponent":      {with("1794312000", "1e9")},
		"ts in hex":           {with("1794312000", "0x6af2")},
		"ts in other digits":  {with("1794312000", "١٧٩٤")},
		"ts over 64 bits":     {with("1794312000", "18446744073709551616")},
		"nonce small":         {with(envelopeID, strings.ToLower(envelopeID))},
		"nonce short":         {with(envelopeID, envelopeID[1:])},
		"nonce over 128 bits": {with(envelopeID, "8"+envelopeID[1:])},
		"sig without padding": {with("==", "")},
		"sig half padded":     {with("A==", "A=")},
		"sig stray bits":      {with("A==", "B==")},
		"sig in URL alphabet": {with("sig=AA", "sig=-_")},
		"sig of 63 bytes":     {with("AA==", "A=")},
		"sig of 65 bytes":     {with("AA==", "AAA=")},
		"sig with \\n":        {with("sig=AAAA", "sig=A\nAA")},
		"sig with \\r":        {with("sig=AAAA", "sig=A\rAA")},
		"sig in hex":          {with(goodSig, strings.Repeat("00", 64))},
	}
	for name, values := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ParseSignature(values)
			wantCode(t, err, BadSignature)
		})
	}
}

func TestBase64_Strict(t *testing.T) {
	var sig [64]byte
	for _, text := range []string{goodSig[:40] + "\n" + goodSig[41:], goodSig[:40] + "\r\n" + goodSig[42:], goodSig + "\n", "\n" + goodSig} {
		if strictBase64(sig[:], text) {
			t.Errorf("took %q", text)
		}
	}
	if !strictBase64(sig[:], goodSig) {
		t.Error("refused a good one")
	}
}

// foreign is a fixture; see testdata/README.md.
type foreign struct {
	Name, MadeBy, PublicKey, Method, Path, Header, Token string
	Body                                                 []byte
}

func readForeign(t testing.TB, file string) []foreign {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name      string `json:"name"`
		MadeBy    string `json:"made_by"`
		PublicKey string `json:"public_key"`
		Method    string `json:"method"`
		Path      string `json:"path"`
		Header    string `json:"header"`
		Token     string `json:"token"`
		Body      []byte `json:"body"`
	}
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d cases, %v", file, len(list), err)
	}
	cases := make([]foreign, len(list))
	for i, c := range list {
		cases[i] = foreign(c)
	}
	return cases
}

func TestSignature_MadeByOthers(t *testing.T) {
	for _, c := range readForeign(t, "foreign_signatures.json") {
		t.Run(c.Name, func(t *testing.T) {
			key, err := ParsePublicKey(c.PublicKey)
			if err != nil {
				t.Fatal(err)
			}
			sig, err := ParseSignature([]string{c.Header})
			if err != nil {
				t.Fatal(err)
			}
			if err := sig.Verify(key, c.Method, c.Path, c.Body); err != nil {
				t.Error(err)
			}
			wantCode(t, sig.Verify(key, "GET", c.Path, c.Body), BadSignature)
			wantCode(t, sig.Verify(key, c.Method, c.Path+"/", c.Body), BadSignature)
			wantCode(t, sig.Verify(key, c.Method, c.Path, append(slices.Clone(c.Body), '\n')), BadSignature)
		})
	}
}

func TestSignature_Verify(t *testing.T) {
	tunde, lena := signerOf(t, 1), signerOf(t, 2)
	body := []byte(goodEnvelope)
	header := tunde.Sign("POST", "/sgip/inbox", noon, envelopeID, body)
	sig, err := ParseSignature([]string{header})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("OK", func(t *testing.T) {
		wantCode(t, sig.Verify(tunde.Public, "POST", "/sgip/inbox", body), "")
		want := "POST\n/sgip/inbox\n1794312000\n" + envelopeID + "\n" + fmt.Sprintf("%x", sha256Of(body))
		if got := string(CanonicalString("post", "/sgip/inbox", noon.Unix(), envelopeID, body)); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("Err another key, time, nonce, body or path", func(t *testing.T) {
		late, other, long := sig, sig, sig
		late.TS++
		other.Nonce = tripID
		long.KeyID = lena.Public.ID
		wantCode(t, sig.Verify(lena.Public, "POST", "/sgip/inbox", body), BadSignature)
		wantCode(t, long.Verify(lena.Public, "POST", "/sgip/inbox", body), BadSignature)
		wantCode(t, late.Verify(tunde.Public, "POST", "/sgip/inbox", body), BadSignature)
		wantCode(t, other.Verify(tunde.Public, "POST", "/sgip/inbox", body), BadSignature)
		wantCode(t, sig.Verify(tunde.Public, "POST", "/sgip/Inbox", body), BadSignature)
		wantCode(t, sig.Verify(tunde.Public, "POST", "/sgip/inbox", body[1:]), BadSignature)
		wantCode(t, sig.Verify(PublicKey{ID: tunde.Public.ID}, "POST", "/sgip/inbox", body), BadSignature)
	})
	t.Run("Err every bit of the signature counts", func(t *testing.T) {
		for i := range 512 {
			flipped := sig
			flipped.Sig[i/8] ^= 1 << (i % 8)
			wantCode(t, flipped.Verify(tunde.Public, "POST", "/sgip/inbox", body), BadSignature)
		}
	})
	t.Run("Err an S that isn't reduced", func(t *testing.T) {
		big := sig
		copy(big.Sig[32:], plusOrder(sig.Sig[32:]))
		wantCode(t, big.Verify(tunde.Public, "POST", "/sgip/inbox", body), BadSignature)
	})
}

// plusOrder adds the order of the group to a little-endian scalar.
func plusOrder(s []byte) []byte {
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	be := slices.Clone(s)
	slices.Reverse(be)
	sum := new(big.Int).Add(new(big.Int).SetBytes(be), order)
	out := sum.FillBytes(make([]byte, 32))
	slices.Reverse(out)
	return out
}

func TestSignature_CheckTime(t *testing.T) {
	for _, c := range []struct {
		ts   int64
		code Code
		says string
	}{
		{noon.Unix(), "", ""},
		{noon.Unix() - 300, "", ""},
		{noon.Unix() + 300, "", ""},
		{noon.Unix() - 301, Expired, "301 seconds behind"},
		{noon.Unix() + 301, Expired, "301 seconds ahead"},
		{noon.UnixMilli(), Expired, "whole Unix seconds"},
		{0, Expired, "behind"},
		{999999999999999999, Expired, "ahead"},
	} {
		err := Signature{TS: c.ts}.CheckTime(noon.Add(999 * time.Millisecond))
		wantCode(t, err, c.code)
		if err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d: %v", c.ts, err)
		}
	}
}

func TestKey_Parse(t *testing.T) {
	key := signerOf(t, 1).Public
	again, err := ParsePublicKey(key.Text)
	if err != nil || again.ID != key.ID || !again.Raw.Equal(key.Raw) || len(key.ID) != 16 {
		t.Fatalf("%+v %v", again, err)
	}
	// The id is over the base64 text: sha256("iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=").
	if key.Text != "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=" || key.ID != fmt.Sprintf("%x", sha256Of([]byte(key.Text)))[:16] {
		t.Errorf("%+v", key)
	}
	for _, text := range []string{
		"", key.Text[:43], key.Text + "=", key.Text + "\n", "\n" + key.Text[1:], strings.Replace(key.Text, "1w=", "1x=", 1),
		strings.Repeat("A", 42) + "==", strings.Repeat("A", 44), strings.Repeat("_", 43) + "=", " " + key.Text, fmt.Sprintf("%x", []byte(key.Raw)),
	} {
		_, err := ParsePublicKey(text)
		wantCode(t, err, InvalidPayload)
	}
}

// badKeys are the keys a hub must refuse: the eight points of small order, in
// every encoding that some library reads, and two that aren't points at all.
func badKeys() map[string]string {
	return map[string]string{
		"order 1":                       "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"order 2":                       "7P///////////////////////////////////////38=",
		"order 4":                       "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"order 4 other sign":            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
		"order 8 first":                 "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
		"order 8 second":                "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU=",
		"order 8 third":                 "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=",
		"order 8 fourth":                "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
		"order 1, sign of nothing":      "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
		"order 2, sign of nothing":      "7P////////////////////////////////////////8=",
		"order 4, not canonical":        "7f///////////////////////////////////////38=",
		"order 4, not canonical, sign":  "7f////////////////////////////////////////8=",
		"order 1, not canonical":        "7v///////////////////////////////////////38=",
		"order 1, not canonical, sign":  "7v////////////////////////////////////////8=",
		"off the curve":                 "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"large order, y over the prime": "8P///////////////////////////////////////38=",
		"all ones":                      "/////////////////////////////////////////38=",
		"all ones, sign":                "//////////////////////////////////////////8=",
	}
}

func TestKey_CheckOrder(t *testing.T) {
	for name, text := range badKeys() {
		key, err := ParsePublicKey(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := key.CheckOrder(); CodeOf(err) != InvalidPayload {
			t.Errorf("%s was taken: %v", name, err)
		} else if strings.HasPrefix(name, "order") && !strings.Contains(name, ",") && !strings.Contains(err.Error(), "small order") {
			t.Errorf("%s was refused for another reason: %v", name, err)
		}
	}
	for n := range byte(50) {
		wantCode(t, signerOf(t, n).Public.CheckOrder(), "")
	}
	wantCode(t, PublicKey{}.CheckOrder(), InvalidPayload)
}

func TestSigner_KeepsItsSecret(t *testing.T) {
	s := signerOf(t, 1)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b"} {
		for _, v := range []any{s, &s, []Signer{s}, map[string]Signer{"x": s}, struct{ S Signer }{s}, struct{ s Signer }{s}, struct{ s *Signer }{&s}} {
			text := strings.ToLower(fmt.Sprintf(verb, v))
			for _, secret := range []string{strings.Repeat("01", 8), "[1 1 1", "1 1 1 1 1", "0x1, 0x1", "1 1 1"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s of %T shows the key", verb, v)
				}
			}
		}
	}
	raw, err := json.Marshal(s)
	if err != nil || strings.Contains(string(raw), "private") {
		t.Errorf("%s %v", raw, err)
	}
	for _, size := range []int{0, 31, 33, ed25519.PrivateKeySize} {
		if _, err := NewSigner(make([]byte, size)); err == nil {
			t.Errorf("a seed of %d bytes was taken", size)
		}
	}
}
