package vectors

import (
	"fmt"
	"slices"
	"strings"

	"sgip.example/starter/sgip"
)

type passportFile struct {
	About     string     `json:"about"`
	Host      string     `json:"host"` // the game that checks
	HubKey    string     `json:"hub_key"`
	Keys      []key      `json:"keys"`
	Passports []passport `json:"passports"`
}

// passport is one token as it is handed over, and what the host decides.
type passport struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Header      string `json:"header_text,omitempty"`
	Claims      string `json:"claims_text,omitempty"`
	Token       string `json:"token"`
	Now         int64  `json:"now"`
	Expect      string `json:"expect"`
}

const passportAbout = "Section 7.1. Each token is checked by the game named in host, at now, with the hub's key of that name. expect is ok " +
	"or the code of section 5: bad_signature for what can't be read, its header, kid and signature; then invalid_payload for a claim that is " +
	"missing or of the wrong kind; then expired; then forbidden for another aud. header_text and claims_text are what the token's parts decode to."

const passportHost = "berlin.example"

// claims is a passport with all there may be in it.
var claims = fmt.Sprintf(`{"iss":"sgip-hub","sub":"tunde","home":"lagos.example","aud":"berlin.example","iat":%d,"exp":%d,"jti":"%s","visit_id":"%s",`+
	`"scope":["visit","pay"],"budget":{"amount":2500000,"currency":"NGN"},"name":"Tunde","avatar":"🧑🏾","stats":{"hunger":40,"energy":70,"fun":55}}`,
	noon, noon+900, thirdID, secondID)

// mint makes tokens out of whatever it is given.
type mint struct{ hub, other key }

func newPassports() (passportFile, error) {
	keys, err := newKeys("hub", "other")
	if err != nil {
		return passportFile{}, err
	}
	m := mint{hub: keys[0], other: keys[1]}
	return passportFile{
		About: passportAbout, Host: passportHost, HubKey: m.hub.Name, Keys: keys,
		Passports: slices.Concat(m.good(), m.wrongTimes(), m.misaddressed(), m.forged(), m.badHeaders(), m.badForms(), m.badClaims(), m.badMoney(), m.badPersons()),
	}, nil
}

func (m mint) header() string { return `{"alg":"EdDSA","typ":"JWT","kid":"` + m.hub.KeyID + `"}` }

// token signs by the hub's key.
func (m mint) token(header, body string) string {
	signed := urlSafe([]byte(header)) + "." + urlSafe([]byte(body))
	return signed + "." + urlSafe(m.hub.sign(signed))
}

func (m mint) passport(name, description, header, body, expect string) passport {
	return passport{name, description, header, body, m.token(header, body), noon, expect}
}

// change is the full passport with one thing replaced.
func (m mint) change(name, description, expect string, fromTo ...string) passport {
	return m.passport(name, description, m.header(), strings.NewReplacer(fromTo...).Replace(claims), expect)
}

func (m mint) good() []passport {
	otherHeader := `{ "kid" : "` + m.hub.KeyID + `" , "jku" : "https://evil.example" , "typ" : "JWT" , "alg" : "EdDSA" }`
	return []passport{
		m.passport("full", "everything there may be", m.header(), claims, ok),
		m.change("plain", "a visit without money, name and stats", ok, `"scope":["visit","pay"],"budget":{"amount":2500000,"currency":"NGN"},`, `"scope":["visit"]`,
			`"name":"Tunde","avatar":"🧑🏾","stats":{"hunger":40,"energy":70,"fun":55}`, ``),
		m.passport("other_header", "fields in any order, with spaces; unknown ones such as jku are ignored, never followed", otherHeader, claims, ok),
		m.change("unknown_claims", "ignored, even null", ok, `{"iss"`, `{"nbf":9999999999,"later":null,"Aud":1,"iss"`),
		m.change("unknown_scope", "a scope of a later version", ok, `["visit","pay"]`, `["pay","wave","visit"]`),
		m.change("unknown_stat", "well-formed and ignored, whatever its number", ok, `"fun":55`, `"luck":-700`),
		m.change("shorter_life", "the hub's key ends earlier", ok, fmt.Sprint(noon+900), fmt.Sprint(noon+10)),
		m.change("escapes", "text written in escapes", ok, `"Tunde"`, `"\u0054\u00fand\u00e9 \ud83d\ude00"`),
		m.change("from_the_hubs_clock", "iat a little ahead of the host's clock", ok, `"iat":1794312000`, `"iat":1794312030`),
	}
}

func (m mint) wrongTimes() []passport {
	at := func(name, description, expect string, now int64) passport {
		p := m.passport(name, description, m.header(), claims, expect)
		p.Now = now
		return p
	}
	return []passport{
		at("last_second", "exp is later than now", ok, noon+899),
		at("at_exp", "exp must be later than now, without leeway", string(sgip.Expired), noon+900),
		at("after_exp", "expired", string(sgip.Expired), noon+901),
		m.change("life_of_901", "exp - iat is at most 900", string(sgip.InvalidPayload), `"iat":1794312000`, `"iat":1794311999`),
		m.change("life_of_0", "exp is later than iat", string(sgip.InvalidPayload), `"iat":1794312000`, `"iat":1794312900`),
		m.change("exp_before_iat", "exp is later than iat", string(sgip.InvalidPayload), `"iat":1794312000`, `"iat":1794313000`),
		m.change("exp_text", "times are integers", string(sgip.InvalidPayload), `"exp":1794312900`, `"exp":"1794312900"`),
		m.change("exp_fraction", "times are integers in plain digits", string(sgip.InvalidPayload), `"exp":1794312900`, `"exp":1794312900.0`),
		m.change("exp_exponent", "times are integers in plain digits", string(sgip.InvalidPayload), `"exp":1794312900`, `"exp":17943129e2`),
		m.change("exp_null", "null is not absence, and absence isn't allowed either", string(sgip.InvalidPayload), `"exp":1794312900`, `"exp":null`),
		m.change("no_exp", "exp is required", string(sgip.InvalidPayload), `"exp":1794312900,`, ``),
		m.change("no_iat", "iat is required", string(sgip.InvalidPayload), `"iat":1794312000,`, ``),
	}
}

func (m mint) misaddressed() []passport {
	late := m.change("late_and_misaddressed", "the time is checked before aud", string(sgip.Expired), `"aud":"berlin.example"`, `"aud":"tokyo.example"`)
	late.Now = noon + 900
	return []passport{
		m.change("another_host", "for another game", string(sgip.Forbidden), `"aud":"berlin.example"`, `"aud":"tokyo.example"`),
		m.change("a_host_that_ends_alike", "names are compared whole", string(sgip.Forbidden), `"aud":"berlin.example"`, `"aud":"evil-berlin.example"`),
		m.change("a_subdomain", "names are compared whole", string(sgip.Forbidden), `"aud":"berlin.example"`, `"aud":"play.berlin.example"`),
		m.change("aud_list", "aud is one string", string(sgip.InvalidPayload), `"aud":"berlin.example"`, `"aud":["berlin.example"]`),
		m.change("aud_null", "aud is one string", string(sgip.InvalidPayload), `"aud":"berlin.example"`, `"aud":null`),
		m.change("no_aud", "aud is required", string(sgip.InvalidPayload), `"aud":"berlin.example",`, ``),
		late,
	}
}

func (m mint) forged() []passport {
	good := strings.Split(m.token(m.header(), claims), ".")
	bad := func(name, description string, token string) passport {
		return passport{Name: name, Description: description, Token: token, Now: noon, Expect: string(sgip.BadSignature)}
	}
	signed := good[0] + "." + good[1]
	changed := urlSafe([]byte(strings.Replace(claims, "tunde", "lena_", 1)))
	otherKey := m.passport("signed_by_another", "another key's signature, under the hub's kid", m.header(), claims, string(sgip.BadSignature))
	otherKey.Token = signed + "." + urlSafe(m.other.sign(signed))
	late := otherKey
	late.Name, late.Description, late.Now = "late_and_forged", "the signature is checked first", noon+5000
	return []passport{
		otherKey, late,
		bad("changed_claim", "another player in another's passport", good[0]+"."+changed+"."+good[2]),
		bad("unreduced_s", "S + L verifies in a careless library", signed+"."+urlSafe(plusOrder(m.hub.sign(signed)))),
		bad("no_signature", "the third part is empty", signed+"."),
		bad("zero_signature", "64 zero bytes", signed+"."+urlSafe(make([]byte, 64))),
		bad("signature_of_claims_only", "header and claims are signed together", signed+"."+urlSafe(m.hub.sign(good[1]))),
	}
}

func (m mint) badHeaders() []passport {
	kid := `"kid":"` + m.hub.KeyID + `"`
	bad := func(name, description, header string) passport {
		return m.passport(name, description, header, claims, string(sgip.BadSignature))
	}
	return []passport{
		bad("alg_none", "whatever the token says, EdDSA it is", `{"alg":"none","typ":"JWT",`+kid+`}`),
		bad("alg_hs256", "a public key is no shared secret", `{"alg":"HS256","typ":"JWT",`+kid+`}`),
		bad("alg_ed25519", "0.1 says EdDSA", `{"alg":"Ed25519","typ":"JWT",`+kid+`}`),
		bad("alg_small", "compared by exact case", `{"alg":"eddsa","typ":"JWT",`+kid+`}`),
		bad("alg_twice", "nothing stands twice", `{"alg":"none","alg":"EdDSA","typ":"JWT",`+kid+`}`),
		bad("no_alg", "alg is required", `{"typ":"JWT",`+kid+`}`),
		bad("no_typ", "typ is required", `{"alg":"EdDSA",`+kid+`}`),
		bad("typ_small", "compared by exact case", `{"alg":"EdDSA","typ":"jwt",`+kid+`}`),
		bad("no_kid", "kid is required", `{"alg":"EdDSA","typ":"JWT"}`),
		bad("another_kid", "a key that isn't the hub's (any more)", `{"alg":"EdDSA","typ":"JWT","kid":"`+m.other.KeyID+`"}`),
		bad("crit", "what must be understood isn't (RFC 7515, 4.1.11)", `{"alg":"EdDSA","typ":"JWT","crit":["exp"],"exp":1,`+kid+`}`),
		bad("crit_null", "crit isn't there at all", `{"alg":"EdDSA","typ":"JWT","crit":null,`+kid+`}`),
		bad("header_list", "the header is an object", `[]`),
	}
}

func (m mint) badForms() []passport {
	good := m.token(m.header(), claims)
	bad := func(name, description, token string) passport {
		return passport{Name: name, Description: description, Token: token, Now: noon, Expect: string(sgip.BadSignature)}
	}
	unreadable := func(name, description string, fromTo ...string) passport {
		return m.change(name, description, string(sgip.BadSignature), fromTo...)
	}
	long := unreadable("too_long", "over 4 KiB", `{"iss"`, `{"later":"`+strings.Repeat("x", 4096)+`","iss"`)
	notText := unreadable("bad_utf8", "claims are UTF-8", `"Tunde"`, "\"\xff\"")
	long.Claims, notText.Claims = "", "" // one tells nobody anything, the other is no text
	dots := strings.Index(good, ".")
	return []passport{
		bad("empty", "nothing", ""),
		bad("two_parts", "header and claims alone", good[:strings.LastIndex(good, ".")]),
		bad("four_parts", "three parts", good+"."),
		bad("padded", "base64url has no padding here", good+"=="),
		bad("newline_inside", "some decoders skip line breaks", good[:dots+9]+"\n"+good[dots+9:]),
		bad("newline_after", "the token and nothing else", good+"\n"),
		bad("stray_bits", "the unused bits of the last character are zero", good[:len(good)-1]+string(good[len(good)-1]+1)),
		bad("bearer", "the token and nothing else", "Bearer "+good),
		long,
		unreadable("claims_no_json", "claims are JSON", `{"iss"`, `{iss`),
		unreadable("claim_twice", "nothing stands twice", `"aud":`, `"aud":"tokyo.example","aud":`),
		unreadable("claim_twice_by_escape", "nothing stands twice, in whatever spelling", `"aud":`, `"\u0061ud":"tokyo.example","aud":`),
		unreadable("twice_inside", "nothing stands twice, at any depth", `"fun":55`, `"fun":55,"fun":56`),
		unreadable("lone_surrogate", "claims are I-JSON", `"Tunde"`, `"\ud800"`),
		notText,
	}
}

func (m mint) badClaims() []passport {
	bad := func(name, description string, fromTo ...string) passport {
		return m.change(name, description, string(sgip.InvalidPayload), fromTo...)
	}
	misaddressed := bad("misaddressed_and_malformed", "the form is checked before aud", `"aud":"berlin.example"`, `"aud":"tokyo.example"`, `"jti"`, `"jti2"`)
	return []passport{
		bad("another_issuer", "the hub is sgip-hub", `"sgip-hub"`, `"hub.example"`),
		bad("no_issuer", "iss is required", `"iss":"sgip-hub",`, ``),
		bad("no_sub", "sub is required", `"sub":"tunde",`, ``),
		bad("whole_sub", "sub is the handle alone", `"tunde"`, `"tunde@lagos.example"`),
		bad("capital_sub", "a handle is lower-case", `"tunde"`, `"Tunde"`),
		bad("no_home", "home is required", `"home":"lagos.example",`, ``),
		bad("capital_home", "a platform id is lower-case", `lagos.example`, `Lagos.example`),
		bad("address_as_home", "a platform id is never an IP address", `"lagos.example"`, `"127.0.0.1"`),
		bad("home_with_port", "a platform id has no port", `"lagos.example"`, `"lagos.example:443"`),
		bad("no_jti", "jti is required", `"jti":"`+thirdID+`",`, ``),
		bad("jti_small", "a ULID is in capitals", thirdID, strings.ToLower(thirdID)),
		bad("no_visit_id", "visit_id is required", `"visit_id":"`+secondID+`",`, ``),
		bad("no_scope", "scope is required", `"scope":["visit","pay"],`, ``),
		bad("scope_text", "scope is a list", `["visit","pay"]`, `"visit pay"`),
		bad("scope_without_visit", "pay brings visit along", `["visit","pay"]`, `["pay"]`),
		bad("scope_with_number", "scopes are words", `["visit","pay"]`, `["visit","pay",1]`),
		bad("claim_in_another_case", "names are matched by exact case", `"sub"`, `"Sub"`),
		misaddressed,
	}
}

func (m mint) badMoney() []passport {
	bad := func(name, description string, fromTo ...string) passport {
		return m.change(name, description, string(sgip.InvalidPayload), fromTo...)
	}
	return []passport{
		bad("pay_without_budget", "pay and budget come together", `"budget":{"amount":2500000,"currency":"NGN"},`, ``),
		bad("budget_without_pay", "pay and budget come together", `["visit","pay"]`, `["visit"]`),
		bad("budget_null", "null is not absence", `{"amount":2500000,"currency":"NGN"}`, `null`),
		bad("budget_of_0", "a budget is at least 1", `2500000`, `0`),
		bad("budget_negative", "plain digits have no sign", `2500000`, `-2500000`),
		bad("budget_fraction", "plain digits have no fraction", `2500000`, `2500000.0`),
		bad("budget_exponent", "plain digits have no exponent", `2500000`, `25e5`),
		bad("budget_too_large", "at most 2^53 - 1", `2500000`, `9007199254740992`),
		bad("budget_text", "an amount is a number", `2500000`, `"2500000"`),
		bad("budget_without_currency", "money has both", `,"currency":"NGN"`, ``),
		bad("budget_currency_small", "three capitals", `"NGN"`, `"ngn"`),
	}
}

func (m mint) badPersons() []passport {
	bad := func(name, description string, fromTo ...string) passport {
		return m.change(name, description, string(sgip.InvalidPayload), fromTo...)
	}
	return []passport{
		m.change("longest_name", "60 code points of any length in bytes", ok, `"Tunde"`, `"`+strings.Repeat("𝒯", 60)+`"`),
		bad("name_too_long", "61 code points", `"Tunde"`, `"`+strings.Repeat("x", 61)+`"`),
		bad("name_empty", "at least one visible character", `"Tunde"`, `""`),
		bad("name_blank", "at least one visible character", `"Tunde"`, `"\u200b \u3164"`),
		bad("name_with_tag", "no HTML", `"Tunde"`, `"<b>Tunde"`),
		bad("name_with_control", "no control characters", `"Tunde"`, `"Tun\u0007de"`),
		bad("name_null", "null is not absence", `"Tunde"`, `null`),
		bad("avatar_too_long", "9 code points", `"🧑🏾"`, `"123456789"`),
		bad("stat_over_100", "0 to 100", `"fun":55`, `"fun":101`),
		bad("stat_negative", "0 to 100", `"fun":55`, `"fun":-1`),
		bad("stat_minus_zero", "plain digits", `"fun":55`, `"fun":-0`),
		bad("stat_fraction", "plain digits", `"fun":55`, `"fun":55.0`),
		bad("stat_extension", "extensions are refused among stats", `"fun":55`, `"x-lagos.luck":55`),
		bad("stats_list", "stats is an object", `{"hunger":40,"energy":70,"fun":55}`, `[]`),
	}
}
