package sgip

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func segment(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// forge signs whatever is given as header and claims.
func forge(s Signer, header, claims string) string {
	signed := segment(header) + "." + segment(claims)
	return signed + "." + base64.RawURLEncoding.EncodeToString(s.sign([]byte(signed)))
}

func headerOf(s Signer) string { return `{"alg":"EdDSA","typ":"JWT","kid":"` + s.Public.ID + `"}` }

var goodClaims = fmt.Sprintf(`{"iss":"sgip-hub","sub":"tunde","home":"lagos.example","aud":"berlin.example","iat":%d,"exp":%d,`+
	`"jti":"`+passID+`","visit_id":"`+tripID+`","scope":["visit","pay"],"budget":{"amount":2500000,"currency":"NGN"},`+
	`"name":"Tunde","avatar":"T","stats":{"fun":55}}`, noon.Unix(), noon.Unix()+900)

func TestPassport_SignAndVerify(t *testing.T) {
	hub := signerOf(t, 9)
	want := ticket(noon)
	token, err := SignPassport(hub, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := VerifyPassport(production, hub.Public, token, "berlin.example", noon)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.Guest() != "tunde@lagos.example" || !got.MayPay() {
		t.Errorf("guest %s, pays %v", got.Guest(), got.MayPay())
	}
	if kid, err := PassportKeyID(token); err != nil || kid != hub.Public.ID {
		t.Errorf("kid %s %v", kid, err)
	}
	if !strings.HasPrefix(token, segment(headerOf(hub))+".") {
		t.Error("the header isn't the one of 7.1")
	}
	want.Scope, want.Budget = []string{ScopeVisit}, nil
	if want.MayPay() {
		t.Error("pays without a budget")
	}
	want.Stats = map[string]int{}
	for i := range 400 {
		want.Stats[fmt.Sprintf("stat_%d", i)] = i
	}
	_, err = SignPassport(hub, want)
	wantCode(t, err, InvalidPayload)
}

func TestPassport_MadeByOthers(t *testing.T) {
	for _, c := range readForeign(t, "foreign_passports.json") {
		key, err := ParsePublicKey(c.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		p, err := VerifyPassport(production, key, c.Token, "berlin.example", noon)
		if err != nil || p.Name != "Túndé" || p.Stats["fun"] != 55 {
			t.Errorf("%s: %+v %v", c.Name, p, err)
		}
	}
}

var exp, iat = fmt.Sprint(noon.Unix() + 900), fmt.Sprint(noon.Unix())

var changedClaims = []struct {
	name, from, to string
	code           Code
}{
	{"as it is", "", "", ""},
	{"another order and spaces", `"iss":"sgip-hub",`, ` "later" : [ null , 1e5 ] , "iss" : "sgip-hub" , `, ""},
	{"an earlier end", exp, fmt.Sprint(noon.Unix() + 1), ""},
	{"no name", `"name":"Tunde","avatar":"T",`, ``, ""},
	{"no money", `"scope":["visit","pay"],"budget":{"amount":2500000,"currency":"NGN"}`, `"scope":["visit"]`, ""},
	{"a later scope", `["visit","pay"]`, `["pay","visit","later_1"]`, ""},
	{"an unknown stat", `"fun":55`, `"luck":-700`, ""},
	{"a small clock skew of the hub", iat, fmt.Sprint(noon.Unix() + 5), ""},
	{"not JSON", `"iss"`, `iss`, BadSignature},
	{"a claim twice", `"aud"`, `"aud":"berlin.example","aud"`, BadSignature},
	{"a claim twice by escape", `"aud"`, `"\u0061ud":"tokyo.example","aud"`, BadSignature},
	{"a name twice inside", `{"fun":55}`, `{"fun":55,"fun":55}`, BadSignature},
	{"a lone surrogate", `"Tunde"`, `"\ud800"`, BadSignature},
	{"another issuer", `"sgip-hub"`, `"hub.example"`, InvalidPayload},
	{"no issuer", `"iss":"sgip-hub",`, ``, InvalidPayload},
	{"no sub", `"sub":"tunde",`, ``, InvalidPayload},
	{"sub with a platform", `"tunde"`, `"tunde@lagos.example"`, InvalidPayload},
	{"sub null", `"tunde"`, `null`, InvalidPayload},
	{"no home", `"home":"lagos.example",`, ``, InvalidPayload},
	{"home in capitals", `lagos.example`, `Lagos.example`, InvalidPayload},
	{"home of local mode", `lagos.example`, `lagos.localhost`, InvalidPayload},
	{"no aud", `"aud":"berlin.example",`, ``, InvalidPayload},
	{"a list as aud", `"berlin.example"`, `["berlin.example"]`, InvalidPayload},
	{"another host", `berlin.example`, `tokyo.example`, Forbidden},
	{"a host that ends alike", `"berlin.example"`, `"evil-berlin.example"`, Forbidden},
	{"no exp", `"exp":` + exp + `,`, ``, InvalidPayload},
	{"exp as text", exp, `"` + exp + `"`, InvalidPayload},
	{"exp as fraction", exp, exp + ".0", InvalidPayload},
	{"exp as exponent", exp, "1e11", InvalidPayload},
	{"exp null", exp, "null", InvalidPayload},
	{"no iat", `"iat":` + iat + `,`, ``, InvalidPayload},
	{"iat negative", iat, "-1", InvalidPayload},
	{"a life of 901 seconds", iat, fmt.Sprint(noon.Unix() - 1), InvalidPayload},
	{"a life of nothing", iat, exp, InvalidPayload},
	{"an end before the beginning", iat, fmt.Sprint(noon.Unix() + 901), InvalidPayload},
	{"no jti", `"jti":"` + passID + `",`, ``, InvalidPayload},
	{"a jti that is no ULID", passID, "1", InvalidPayload},
	{"no visit_id", `"visit_id":"` + tripID + `",`, ``, InvalidPayload},
	{"no scope", `"scope":["visit","pay"],`, ``, InvalidPayload},
	{"scope as text", `["visit","pay"]`, `"visit pay"`, InvalidPayload},
	{"scope without visit", `["visit","pay"]`, `["pay"]`, InvalidPayload},
	{"scope with a number", `["visit","pay"]`, `["visit","pay",1]`, InvalidPayload},
	{"pay without budget", `"budget":{"amount":2500000,"currency":"NGN"},`, ``, InvalidPayload},
	{"a budget without pay", `["visit","pay"]`, `["visit"]`, InvalidPayload},
	{"a null budget", `{"amount":2500000,"currency":"NGN"}`, `null`, InvalidPayload},
	{"a budget of nothing", `2500000`, `0`, InvalidPayload},
	{"a budget of less", `2500000`, `-1`, InvalidPayload},
	{"a budget in fractions", `2500000`, `2500000.0`, InvalidPayload},
	{"a budget over the largest", `2500000`, `9007199254740992`, InvalidPayload},
	{"a budget without currency", `,"currency":"NGN"`, ``, InvalidPayload},
	{"an empty name", `"Tunde"`, `""`, InvalidPayload},
	{"a long name", `"Tunde"`, `"` + strings.Repeat("字", 61) + `"`, InvalidPayload},
	{"a name with a tag", `"Tunde"`, `"<b>Tunde"`, InvalidPayload},
	{"a null name", `"Tunde"`, `null`, InvalidPayload},
	{"a long avatar", `"T"`, `"123456789"`, InvalidPayload},
	{"a stat over 100", `55`, `101`, InvalidPayload},
	{"a stat below 0", `55`, `-1`, InvalidPayload},
	{"a stat as fraction", `55`, `55.0`, InvalidPayload},
	{"a stat as text", `55`, `"55"`, InvalidPayload},
	{"an extension among stats", `"fun":55`, `"x-lagos.luck":55`, InvalidPayload},
	{"stats as a list", `{"fun":55}`, `[]`, InvalidPayload},
}

func TestPassport_Claims(t *testing.T) {
	hub := signerOf(t, 9)
	for _, c := range changedClaims {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(goodClaims, c.from) {
				t.Fatal("the case changes nothing")
			}
			claims := strings.Replace(goodClaims, c.from, c.to, 1)
			_, err := VerifyPassport(production, hub.Public, forge(hub, headerOf(hub), claims), "berlin.example", noon)
			wantCode(t, err, c.code)
			if c.code != BadSignature {
				agreesWithSchema(t, "passport-claims", claims, c.code == InvalidPayload)
			}
		})
	}
}

// agreesWithSchema checks that what is read by hand here and what the schema
// says to other languages is the same. Two rules stand in no schema: names of
// local mode, and what two numbers are to each other.
func agreesWithSchema(t *testing.T, name, body string, refused bool) {
	t.Helper()
	doc, err := decodeAny([]byte(body), MaxBody)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(t.Name(), "local_mode") || strings.Contains(t.Name(), "life_of") || strings.Contains(t.Name(), "before_the_beginning") ||
		strings.Contains(t.Name(), "another's_player") || strings.Contains(t.Name(), "player_of_the_hub") {
		return
	}
	if err := checkSchema(name, doc); (err != nil) != refused {
		t.Errorf("the schema says %v", err)
	}
}

func TestPassport_Header(t *testing.T) {
	hub, other := signerOf(t, 9), signerOf(t, 8)
	kid := `"kid":"` + hub.Public.ID + `"`
	for name, header := range map[string]string{
		"alg none":         `{"alg":"none","typ":"JWT",` + kid + `}`,
		"alg HS256":        `{"alg":"HS256","typ":"JWT",` + kid + `}`,
		"alg Ed25519":      `{"alg":"Ed25519","typ":"JWT",` + kid + `}`,
		"alg small":        `{"alg":"eddsa","typ":"JWT",` + kid + `}`,
		"no alg":           `{"typ":"JWT",` + kid + `}`,
		"alg null":         `{"alg":null,"typ":"JWT",` + kid + `}`,
		"Alg":              `{"Alg":"EdDSA","typ":"JWT",` + kid + `}`,
		"alg twice":        `{"alg":"none","alg":"EdDSA","typ":"JWT",` + kid + `}`,
		"no typ":           `{"alg":"EdDSA",` + kid + `}`,
		"typ jwt":          `{"alg":"EdDSA","typ":"jwt",` + kid + `}`,
		"typ at+jwt":       `{"alg":"EdDSA","typ":"at+jwt",` + kid + `}`,
		"no kid":           `{"alg":"EdDSA","typ":"JWT"}`,
		"another kid":      headerOf(other),
		"a number as kid":  `{"alg":"EdDSA","typ":"JWT","kid":1}`,
		"crit":             `{"alg":"EdDSA","typ":"JWT","crit":["exp"],` + kid + `}`,
		"crit null":        `{"alg":"EdDSA","typ":"JWT","crit":null,` + kid + `}`,
		"crit by escape":   `{"alg":"EdDSA","typ":"JWT","\u0063rit":[],` + kid + `}`,
		"a list":           `[]`,
		"null":             `null`,
		"nothing":          ``,
		"something behind": headerOf(hub) + `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := VerifyPassport(production, hub.Public, forge(hub, header, goodClaims), "berlin.example", noon)
			wantCode(t, err, BadSignature)
		})
	}
	t.Run("OK unknown fields", func(t *testing.T) {
		header := `{"jku":"https://evil.example","typ":"JWT","alg":"EdDSA",` + kid + `}`
		_, err := VerifyPassport(production, hub.Public, forge(hub, header, goodClaims), "berlin.example", noon)
		wantCode(t, err, "")
	})
}

func TestPassport_Form(t *testing.T) {
	hub, other := signerOf(t, 9), signerOf(t, 8)
	good := forge(hub, headerOf(hub), goodClaims)
	parts := strings.Split(good, ".")
	for name, token := range map[string]string{
		"nothing":                 "",
		"one part":                parts[0],
		"two parts":               parts[0] + "." + parts[1],
		"four parts":              good + ".",
		"no signature":            parts[0] + "." + parts[1] + ".",
		"another's signature":     forge(other, headerOf(hub), goodClaims),
		"a changed claim":         parts[0] + "." + segment(strings.Replace(goodClaims, "tunde", "lena_", 1)) + "." + parts[2],
		"padding":                 good + "==",
		"a newline in the claims": parts[0] + "." + parts[1][:8] + "\n" + parts[1][8:] + "." + parts[2],
		"a newline at the end":    good + "\n",
		"a return in front":       "\r" + good,
		"the other alphabet":      strings.ReplaceAll(strings.ReplaceAll(good, "-", "+"), "_", "/") + "+",
		"stray bits":              good[:len(good)-1] + nextLetter(good[len(good)-1]),
		"a short signature":       parts[0] + "." + parts[1] + "." + parts[2][:80],
		"too long":                forge(hub, headerOf(hub), strings.Replace(goodClaims, `"iss"`, `"later":"`+strings.Repeat("x", MaxPassport)+`","iss"`, 1)),
		"spaces":                  " " + good,
		"a bearer":                "Bearer " + good,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := VerifyPassport(production, hub.Public, token, "berlin.example", noon)
			wantCode(t, err, BadSignature)
		})
	}
	if _, err := PassportKeyID("x.y.z"); CodeOf(err) != BadSignature {
		t.Errorf("kid of nonsense: %v", err)
	}
}

// nextLetter is a last letter that decodes to the same bytes in a lenient reader.
func nextLetter(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)+1])
}

func TestPassport_Time(t *testing.T) {
	hub := signerOf(t, 9)
	token := forge(hub, headerOf(hub), goodClaims)
	for after, want := range map[time.Duration]Code{
		0: "", -time.Hour: "", 899 * time.Second: "", 900*time.Second - 1: "", 900 * time.Second: Expired, 901 * time.Second: Expired,
	} {
		_, err := VerifyPassport(production, hub.Public, token, "berlin.example", noon.Add(after))
		wantCode(t, err, want)
	}
	t.Run("what fails first tells", func(t *testing.T) {
		late := noon.Add(time.Hour)
		_, err := VerifyPassport(production, signerOf(t, 8).Public, token, "tokyo.example", late)
		wantCode(t, err, BadSignature)
		_, err = VerifyPassport(production, hub.Public, token, "tokyo.example", late)
		wantCode(t, err, Expired)
		_, err = VerifyPassport(production, hub.Public, token, "tokyo.example", noon)
		wantCode(t, err, Forbidden)
		bad := forge(hub, headerOf(hub), strings.Replace(goodClaims, `"jti"`, `"jti2"`, 1))
		_, err = VerifyPassport(production, hub.Public, bad, "tokyo.example", late)
		wantCode(t, err, InvalidPayload)
	})
}
