package vectors

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"sgip.example/starter/sgip"
)

type signingFile struct {
	About     string     `json:"about"`
	Keys      []key      `json:"keys"`
	Requests  []request  `json:"requests"`
	Sequences []sequence `json:"sequences"`
	BadKeys   []badKey   `json:"keys_to_refuse"`
	BadTexts  []badKey   `json:"key_texts_to_refuse"`
}

// request is one signed request as it arrives, and what the receiver decides.
type request struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Key         string   `json:"key"` // what the receiver knows under the header's keyId
	Method      string   `json:"method"`
	Path        string   `json:"path"`
	Body        string   `json:"body_base64"`
	Canonical   string   `json:"canonical_string,omitempty"`
	Headers     []string `json:"headers"` // every SGIP-Signature header
	Now         int64    `json:"now"`
	Expect      string   `json:"expect"`
}

// sequence is requests one after the other to one receiver, who remembers nonces.
type sequence struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Steps       []request `json:"steps"`
}

type badKey struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	PublicKey   string `json:"public_key"`
	Expect      string `json:"expect"`
}

const signingAbout = "Section 6. Each request is checked on its own: parse the headers (exactly one must be there), find the key " +
	"by keyId among keys, verify over method, path and the bytes of body_base64, then compare ts with now. expect is ok or the code of " +
	"section 5. sequences are sent in order to one receiver that remembers nonces. keys_to_refuse parse as base64 of 32 bytes, and the " +
	"hub must refuse them at hub.hello@1; key_texts_to_refuse must not parse at all."

const inboxPath = "/sgip/inbox"

// message is the body of most cases.
const message = `{"sgip":"0.1","id":"` + firstID + `","op":"message.send@1","from":{"platform":"lagos.example","player":"tunde@lagos.example"},` +
	`"to":{"platform":"berlin.example","player":"lena@berlin.example"},"reply_to":null,"payload":{"text":"How far? Greetings from Lagos"}}`

func newSigning() (signingFile, error) {
	keys, err := newKeys("hub", "lagos", "berlin")
	if err != nil {
		return signingFile{}, err
	}
	s := signer{hub: keys[0], lagos: keys[1]}
	requests := slices.Concat(s.good(), s.badParameters(), s.badValues(), s.badSignatures(), s.times())
	return signingFile{
		About: signingAbout, Keys: keys, Requests: requests, Sequences: s.sequences(keys[2]),
		BadKeys: keysToRefuse(), BadTexts: keyTextsToRefuse(keys[0].PublicKey),
	}, nil
}

// signer makes the cases. Whatever isn't said comes from the hub to an inbox.
type signer struct{ hub, lagos key }

// parts are what a header is made of.
type parts struct {
	method, path, body, nonce string
	ts                        int64
	key                       key
}

func (s signer) usual() parts {
	return parts{method: "POST", path: inboxPath, body: message, nonce: firstID, ts: noon, key: s.hub}
}

func (p parts) canonical() string {
	sum := sha256.Sum256([]byte(p.body))
	return strings.Join([]string{p.method, p.path, strconv.FormatInt(p.ts, 10), p.nonce, hex.EncodeToString(sum[:])}, "\n")
}

func (p parts) sig() string { return standard(p.key.sign(p.canonical())) }

func (p parts) header() string {
	return fmt.Sprintf("keyId=%s,ts=%d,nonce=%s,sig=%s", p.key.KeyID, p.ts, p.nonce, p.sig())
}

// request is the case that p makes with these headers.
func (p parts) request(name, description, expect string, headers ...string) request {
	r := request{
		Name: name, Description: description, Key: p.key.Name, Method: p.method, Path: p.path,
		Body: standard([]byte(p.body)), Headers: headers, Now: noon, Expect: expect,
	}
	if headers == nil {
		r.Headers = []string{}
	}
	if expect == ok {
		r.Canonical = p.canonical()
	}
	return r
}

func (s signer) good() []request {
	u := s.usual()
	h := u.header()
	from := u
	from.key, from.path = s.lagos, "/ops"
	empty, odd, root, encoded := u, u, u, u
	empty.body = ""
	odd.body = "{ \"text\" : \"Grüße, Ẹ káàárọ̀ \\u00e9\" }\r\n"
	root.path = "/"
	encoded.path = "/sgip/in%62ox/%C3%BC;v=1"
	sig := "sig=" + u.sig()
	reordered := sig + ",nonce=" + u.nonce + ",ts=" + strconv.FormatInt(u.ts, 10) + ",keyId=" + u.key.KeyID
	return []request{
		u.request("plain", "the hub to an inbox", ok, h),
		from.request("to_the_hub", "a game to the hub's ops", ok, from.header()),
		empty.request("empty_body", "the hash of no bytes", ok, empty.header()),
		odd.request("bytes_as_sent", "spaces, escapes, letters beyond ASCII and a line end: the body is hashed as sent, never re-encoded", ok, odd.header()),
		root.request("root_path", "the shortest path", ok, root.header()),
		encoded.request("encoded_path", "percent-encoding in the path stays untouched", ok, encoded.header()),
		u.request("alg_named", "alg=ed25519 may be said", ok, h+",alg=ed25519"),
		u.request("alg_first", "parameters come in any order", ok, "alg=ed25519,"+h),
		u.request("reordered", "parameters come in any order", ok, reordered),
		u.request("spaces", "spaces may stand around commas", ok, "  "+strings.ReplaceAll(h, ",", " ,  ")+" "),
		u.request("unknown_parameter", "what isn't known is ignored", ok, h+",later=1"),
		u.request("unknown_twice", "even twice, even empty", ok, h+",later=1,later="),
		u.request("known_in_another_case", "names are matched by exact case, so these are unknown and ignored", ok, h+",ALG=rsa,KEYID=x"),
	}
}

func (s signer) badParameters() []request {
	u := s.usual()
	h := u.header()
	bad := func(name, description string, headers ...string) request {
		return u.request(name, description, string(sgip.BadSignature), headers...)
	}
	without := func(parameter string) string {
		kept := slices.DeleteFunc(strings.Split(h, ","), func(p string) bool { return strings.HasPrefix(p, parameter+"=") })
		return strings.Join(kept, ",")
	}
	return []request{
		bad("no_header", "unsigned"),
		bad("empty_header", "unsigned", ""),
		bad("two_headers", "exactly one header must be there, even if both are good", h, h),
		bad("no_key_id", "keyId is missing", without("keyId")),
		bad("no_ts", "ts is missing", without("ts")),
		bad("no_nonce", "nonce is missing", without("nonce")),
		bad("no_sig", "sig is missing", without("sig")),
		bad("key_id_twice", "a known parameter stands once", h+",keyId="+u.key.KeyID),
		bad("ts_twice", "a known parameter stands once", h+",ts="+strconv.FormatInt(u.ts, 10)),
		bad("nonce_twice", "a known parameter stands once", h+",nonce="+u.nonce),
		bad("sig_twice", "a known parameter stands once", h+",sig="+u.sig()),
		bad("alg_twice", "a known parameter stands once", h+",alg=ed25519,alg=ed25519"),
		bad("alg_empty", "a known parameter isn't empty", h+",alg="),
		bad("alg_unknown", "an algorithm that 0.1 doesn't have", h+",alg=rsa-sha256"),
		bad("alg_capital", "an algorithm's name is matched by exact case", h+",alg=Ed25519"),
		bad("semicolons", "parameters are separated by commas", strings.ReplaceAll(h, ",", ";")),
		bad("empty_parameter", "nothing between two commas", strings.Replace(h, ",ts", ",,ts", 1)),
		bad("trailing_comma", "nothing after a comma", h+","),
		bad("bare_word", "a parameter has a value", h+",later"),
		bad("space_before_equals", "spaces stand around commas only", strings.Replace(h, "ts=", "ts =", 1)),
		bad("space_after_equals", "spaces stand around commas only", strings.Replace(h, "ts=", "ts= ", 1)),
		bad("tab", "a tab is no space", strings.Replace(h, ",ts", ",\tts", 1)),
		bad("key_id_in_another_case", "keyid is unknown, so keyId is missing", strings.Replace(h, "keyId", "keyid", 1)),
		bad("scheme_before", "the header is nothing but parameters", "Signature "+h),
	}
}

func (s signer) badValues() []request {
	u := s.usual()
	h, sig := u.header(), u.sig()
	bad := func(name, description, from, to string) request {
		return u.request(name, description, string(sgip.BadSignature), strings.Replace(h, from, to, 1))
	}
	// The signature is good for the text as it stands, so the form alone is wrong.
	small := u
	small.nonce = strings.ToLower(u.nonce)
	word := u
	word.nonce = "nonce-1"
	return []request{
		bad("key_id_capitals", "a key id is lower-case hex", u.key.KeyID, strings.ToUpper(u.key.KeyID)),
		bad("key_id_short", "a key id has 16 characters", u.key.KeyID, u.key.KeyID[:15]),
		bad("key_id_unknown", "nobody's key", u.key.KeyID, "0000000000000000"),
		bad("ts_plus", "ts is plain digits", "ts=", "ts=+"),
		bad("ts_leading_zero", "ts has no leading zero", "ts=", "ts=0"),
		bad("ts_fraction", "ts is plain digits", ",nonce", ".0,nonce"),
		bad("ts_negative", "ts is plain digits", "ts=", "ts=-"),
		bad("ts_hex", "ts is plain digits", "ts=1794312000", "ts=0x6af2e4c0"),
		bad("ts_over_64_bits", "ts is no time at all", "ts=1794312000", "ts=18446744073709551617"),
		small.request("nonce_small", "a nonce is a ULID in capitals, even if the signature covers it as it is", string(sgip.BadSignature), small.header()),
		word.request("nonce_word", "a nonce is a ULID, even if the signature covers it as it is", string(sgip.BadSignature), word.header()),
		bad("nonce_over_128_bits", "a ULID begins with 0 to 7", u.nonce, "8"+u.nonce[1:]),
		bad("sig_unpadded", "base64 has its padding", sig, strings.TrimRight(sig, "=")),
		bad("sig_newline", "base64 has no line breaks, which some decoders skip", sig, sig[:40]+"\n"+sig[40:]),
		bad("sig_newline_inside_length", "base64 has no line breaks", sig, sig[:40]+"\n"+sig[41:]),
		bad("sig_url_alphabet", "base64 is of the standard alphabet", sig, strings.NewReplacer("+", "-", "/", "_").Replace(sig)),
		bad("sig_stray_bits", "the unused bits of the last character are zero", sig, strayBits(sig)),
		bad("sig_short", "63 bytes", sig, standard(u.key.sign(u.canonical())[:63])),
		bad("sig_long", "65 bytes", sig, standard(append(u.key.sign(u.canonical()), 0))),
		bad("sig_hex", "base64, not hex", sig, hex.EncodeToString(u.key.sign(u.canonical()))),
	}
}

// strayBits changes the last letter into its neighbour, which lenient decoders
// read as the same bytes.
func strayBits(text string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	last := len(strings.TrimRight(text, "=")) - 1
	return text[:last] + string(alphabet[strings.IndexByte(alphabet, text[last])+1]) + text[last+1:]
}

func (s signer) badSignatures() []request {
	u := s.usual()
	h := u.header()
	bad := func(name, description string, change func(*parts)) request {
		got := u
		change(&got)
		return got.request(name, description, string(sgip.BadSignature), h)
	}
	other := u
	other.key = s.lagos
	forged := strings.Replace(other.header(), s.lagos.KeyID, s.hub.KeyID, 1)
	unreduced := strings.Replace(h, u.sig(), standard(plusOrder(u.key.sign(u.canonical()))), 1)
	trailing := standard(u.key.sign(u.canonical() + "\n"))
	query := u
	query.path = inboxPath + "?x=1"
	signedQuery := u.request("query_signed", "the query isn't part of what is signed", string(sgip.BadSignature), query.header())
	return []request{
		bad("another_method", "the method is signed", func(p *parts) { p.method = "PUT" }),
		bad("another_path", "the path is signed", func(p *parts) { p.path = "/sgip/Inbox" }),
		bad("a_slash_more", "the path is signed as it is", func(p *parts) { p.path = inboxPath + "/" }),
		bad("decoded_path", "a path that only decodes to the same", func(p *parts) { p.path = "/sgip/inbo%78" }),
		bad("another_body", "the body is signed", func(p *parts) { p.body = strings.Replace(message, "Lagos", "lagos", 1) }),
		bad("a_newline_more", "the body is signed to its last byte", func(p *parts) { p.body = message + "\n" }),
		bad("re_encoded_body", "the same JSON in other bytes", func(p *parts) { p.body = strings.Replace(message, `":"`, `": "`, 1) }),
		u.request("another_ts", "ts is signed", string(sgip.BadSignature), strings.Replace(h, "ts=1794312000", "ts=1794312001", 1)),
		u.request("another_nonce", "the nonce is signed", string(sgip.BadSignature), strings.Replace(h, firstID, secondID, 1)),
		u.request("another_key", "signed by lagos under the hub's key id", string(sgip.BadSignature), forged),
		u.request("unreduced_s", "S + L verifies in a careless library (RFC 8032, 5.1.7)", string(sgip.BadSignature), unreduced),
		u.request("newline_at_the_end", "the canonical string has no trailing newline", string(sgip.BadSignature), strings.Replace(h, u.sig(), trailing, 1)),
		u.request("no_signature_at_all", "64 zero bytes", string(sgip.BadSignature), strings.Replace(h, u.sig(), standard(make([]byte, 64)), 1)),
		signedQuery,
	}
}

// plusOrder adds the order of the group to S, the second half of a signature.
func plusOrder(sig []byte) []byte {
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	s := slices.Clone(sig[32:])
	slices.Reverse(s)
	sum := new(big.Int).Add(new(big.Int).SetBytes(s), order).FillBytes(make([]byte, 32))
	slices.Reverse(sum)
	return append(slices.Clone(sig[:32]), sum...)
}

func (s signer) times() []request {
	at := func(name, description, expect string, ts, now int64) request {
		u := s.usual()
		u.ts = ts
		r := u.request(name, description, expect, u.header())
		r.Now = now
		return r
	}
	bad := s.usual()
	both := bad.request("late_and_forged", "the signature is checked before the time", string(sgip.BadSignature),
		strings.Replace(bad.header(), "ts=1794312000", "ts=1794312001", 1))
	both.Now = noon + 1000
	return []request{
		at("oldest", "300 seconds old is fresh", ok, noon-300, noon),
		at("newest", "300 seconds ahead is fresh", ok, noon+300, noon),
		at("too_old", "301 seconds old", string(sgip.Expired), noon-301, noon),
		at("too_new", "301 seconds ahead", string(sgip.Expired), noon+301, noon),
		at("milliseconds", "ts is in seconds", string(sgip.Expired), noon*1000, noon),
		at("the_beginning", "ts 0 is well-formed", string(sgip.Expired), 0, noon),
		both,
	}
}

func (s signer) sequences(berlin key) []sequence {
	step := func(p parts, name string, now int64, expect string) request {
		r := p.request(name, "sent at "+strconv.FormatInt(now, 10), expect, p.header())
		r.Now = now
		return r
	}
	u := s.usual()
	future, fresh, other := u, u, u
	future.ts = noon + 300
	fresh.nonce = secondID
	other.key = berlin
	forged := step(u, "forged", noon, string(sgip.BadSignature))
	forged.Headers = []string{strings.Replace(u.header(), u.sig(), standard(make([]byte, 64)), 1)}
	replay, expired := string(sgip.BadSignature), string(sgip.Expired)
	return []sequence{
		{"replay", "the same request again", []request{step(u, "first", noon, ok), step(u, "again", noon+1, replay)}},
		{"replay_at_the_last_second", "a ts of now + 300 is still fresh 600 seconds later, so the nonce must still be known",
			[]request{step(future, "first", noon, ok), step(future, "again", noon+600, replay)}},
		{"retry", "another attempt has a nonce of its own", []request{step(u, "first", noon, ok), step(fresh, "retry", noon+1, ok)}},
		{"another_keys_nonce", "nonces are remembered for each key", []request{step(u, "first", noon, ok), step(other, "other_key", noon, ok)}},
		{"forged_first", "a forged request doesn't use the nonce up", []request{forged, step(u, "good", noon, ok)}},
		{"expired_first", "neither does one that came at the wrong time", []request{step(u, "early", noon-301, expired), step(u, "good", noon, ok)}},
	}
}
