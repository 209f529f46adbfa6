package sgip

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// goodEnvelope is Tunde writing to Lena.
const goodEnvelope = `{"sgip":"0.1","id":"` + envelopeID + `","op":"message.send@1",` +
	`"from":{"platform":"lagos.example","player":"tunde@lagos.example"},` +
	`"to":{"platform":"berlin.example","player":"lena@berlin.example"},"reply_to":null,"payload":{"text":"How far?"}}`

func TestEnvelope_ParseOK(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"as it is", "", ""},
		{"a later version", `"0.1"`, `"0.27"`},
		{"version 0.0", `"0.1"`, `"0.0"`},
		{"without reply_to", `"reply_to":null,`, ``},
		{"an answer", `"reply_to":null`, `"reply_to":"` + tripID + `"`},
		{"an unknown field, even null", `"payload"`, `"later":null,"Payload":7,"payload"`},
		{"an unknown field in an address", `"platform":"lagos.example"`, `"platform":"lagos.example","zone":[1.5e3]`},
		{"an unknown op", "message.send@1", "x-lagos.wave@1"},
		{"no players", `,"player":"lena@berlin.example"`, ``},
		{"an escaped name and value", `"id":"01JA`, `"\u0069d":"\u00301JA`},
		{"a number of another kind in the payload", `"How far?"`, `-1.5E+3`},
		{"a pair of surrogates", `How far?`, `\ud83d\ude00`},
		{"to the hub", `{"platform":"berlin.example","player":"lena@berlin.example"}`, `{"platform":"sgip-hub"}`},
		{"space all round", goodEnvelope, " \t\r\n" + goodEnvelope + "\n\r\t "},
		{"32 levels", `"How far?"`, strings.Repeat(`[`, 30) + strings.Repeat(`]`, 30)},
		{"brackets in text", `How far?`, strings.Repeat(`[{\"`, 40)},
		{"from a player of another game: the inbox decides", "tunde@lagos.example", "tunde@tokyo.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := []byte(strings.ReplaceAll(goodEnvelope, c.from, c.to))
			if c.from == "" {
				body = []byte(goodEnvelope)
			}
			env, err := ParseEnvelope(production, body)
			if err != nil {
				t.Fatal(err)
			}
			if env.ID != envelopeID || !env.Op.Valid() || env.Payload == nil {
				t.Errorf("got %+v", env)
			}
			agreesWithSchema(t, "envelope", string(body), false)
		})
	}
}

var badEnvelopes = []struct {
	name, from, to string
	field          string // begins the message
	idKept         bool
}{
	{"an empty body", goodEnvelope, ``, "the body", false},
	{"only space", goodEnvelope, "  \n", "the body", false},
	{"null", goodEnvelope, `null`, "the body", false},
	{"a list", goodEnvelope, `[` + goodEnvelope + `]`, "the body", false},
	{"a text", goodEnvelope, `"x"`, "the body", false},
	{"cut off", `"How far?"}}`, `"How far?"}`, "the body", false},
	{"something after it", `"How far?"}}`, `"How far?"}} x`, "the body", false},
	{"two objects", `"How far?"}}`, `"How far?"}}{}`, "the body", false},
	{"a byte order mark", `{"sgip"`, "\ufeff" + `{"sgip"`, "the body", false},
	{"a comment", `{"sgip"`, `{/**/"sgip"`, "the body", false},
	{"a trailing comma", `"How far?"}`, `"How far?",}`, "the body", false},
	{"single quotes", `"0.1"`, `'0.1'`, "the body", false},
	{"NaN", `"How far?"`, `NaN`, "the body", false},
	{"a leading zero", `"How far?"`, `01`, "the body", false},
	{"a raw newline in text", `How far?`, "How\nfar?", "the body", false},
	{"a NUL", `How far?`, "How\x00far?", "the body", false},
	{"bad UTF-8", `How far?`, "\xff\xfe", "the body", false},
	{"overlong UTF-8", `How far?`, "\xc0\xaf", "the body", false},
	{"a surrogate in UTF-8", `How far?`, "\xed\xa0\x80", "the body", false},
	{"a lone surrogate", `How far?`, `\ud83d`, "the body", false},
	{"a lone second surrogate", `How far?`, `\ude00`, "the body", false},
	{"surrogates in the wrong order", `How far?`, `\ude00\ud83d`, "the body", false},
	{"a noncharacter", `How far?`, "\ufdd0", "the body", false},
	{"an escaped noncharacter", `How far?`, `\uFFFE`, "the body", false},
	{"a noncharacter beyond the first plane", `How far?`, "\U0001ffff", "the body", false},
	{"an escaped one", `How far?`, `\ud83f\udfff`, "the body", false},
	{"a noncharacter in a name", `"text"`, `"\ufdef"`, "the body", false},
	{"a name twice", `"payload"`, `"id":"` + tripID + `","payload"`, "the body", false},
	{"a name twice by escape", `"payload"`, `"\u0069d":"` + tripID + `","payload"`, "the body", false},
	{"a name twice, deep inside", `"How far?"`, `[{"a":{"b":1,"b":1}}]`, "the body", false},
	{"an unknown name twice", `"payload"`, `"later":1,"later":2,"payload"`, "the body", false},
	{"33 levels", `"How far?"`, strings.Repeat(`[`, 31) + strings.Repeat(`]`, 31), "the body", false},
	{"very deep", `"How far?"`, strings.Repeat(`[`, 30000), "the body", false},
	{"too large", `How far?`, strings.Repeat("x", MaxBody), "the body", false},
	{"no id", `"id":"` + envelopeID + `",`, ``, "id", false},
	{"a null id", `"` + envelopeID + `"`, `null`, "id", false},
	{"a small id", envelopeID, strings.ToLower(envelopeID), "id", false},
	{"a number as id", `"` + envelopeID + `"`, `1`, "id", false},
	{"another case", `"id"`, `"ID"`, "id", false},
	{"no version", `"sgip":"0.1",`, ``, "sgip", true},
	{"version 1", `"0.1"`, `"1.0"`, "sgip", true},
	{"version 0.01", `"0.1"`, `"0.01"`, "sgip", true},
	{"version 0.", `"0.1"`, `"0."`, "sgip", true},
	{"version 0.1.2", `"0.1"`, `"0.1.2"`, "sgip", true},
	{"a version with a newline", `"0.1"`, `"0.1\n"`, "sgip", true},
	{"a number as version", `"0.1"`, `0.1`, "sgip", true},
	{"a bad op", "message.send@1", "message.send", "op", true},
	{"a null op", `"message.send@1"`, `null`, "op", true},
	{"no from", `"from":{"platform":"lagos.example","player":"tunde@lagos.example"},`, ``, "from", true},
	{"from as text", `{"platform":"lagos.example","player":"tunde@lagos.example"}`, `"lagos.example"`, "from", true},
	{"from null", `{"platform":"lagos.example","player":"tunde@lagos.example"}`, `null`, "from", true},
	{"a bad platform", `"lagos.example"`, `"Lagos.example"`, "from.platform", true},
	{"a platform of local_mode", `"lagos.example"`, `"lagos.localhost:8081"`, "from.platform", true},
	{"no platform", `"platform":"lagos.example",`, ``, "from.platform", true},
	{"a null player", `"tunde@lagos.example"`, `null`, "from.player", true},
	{"a bad player", `"tunde@lagos.example"`, `"tunde"`, "from.player", true},
	{"to another's player", "lena@berlin.example", "lena@tokyo.example", "to.player", true},
	{"to a player of the hub", `"platform":"berlin.example"`, `"platform":"sgip-hub"`, "to.player", true},
	{"reply_to that is no id", `"reply_to":null`, `"reply_to":"x"`, "reply_to", true},
	{"reply_to as a number", `"reply_to":null`, `"reply_to":0`, "reply_to", true},
	{"no payload", `,"payload":{"text":"How far?"}`, ``, "payload", true},
	{"a null payload", `{"text":"How far?"}`, `null`, "payload", true},
	{"a list as payload", `{"text":"How far?"}`, `[]`, "payload", true},
}

func TestEnvelope_ParseErr(t *testing.T) {
	for _, c := range badEnvelopes {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(goodEnvelope, c.from) {
				t.Fatal("the case changes nothing")
			}
			body := strings.Replace(goodEnvelope, c.from, c.to, 1)
			env, err := ParseEnvelope(production, []byte(body))
			wantCode(t, err, InvalidPayload)
			if err != nil && !strings.HasPrefix(AsError(err).Message, c.field) {
				t.Errorf("the message doesn't name %s: %v", c.field, err)
			}
			if (env.ID == envelopeID) != c.idKept {
				t.Errorf("id %q", env.ID)
			}
			if c.field != "the body" {
				agreesWithSchema(t, "envelope", body, true)
			}
		})
	}
}

func TestEnvelope_Limits(t *testing.T) {
	pad := MaxBody - len(goodEnvelope)
	if _, err := ParseEnvelope(production, []byte(goodEnvelope+strings.Repeat(" ", pad))); err != nil {
		t.Errorf("the largest body: %v", err)
	}
	_, err := ParseEnvelope(production, []byte(goodEnvelope+strings.Repeat(" ", pad+1)))
	if !errors.Is(err, ErrTooLarge) || ErrorReply("", err).Status() != 413 {
		t.Errorf("one byte more: %v", err)
	}
}

func TestEnvelope_NewAndDecode(t *testing.T) {
	from, to := Address{Platform: "lagos.example", Player: "tunde@lagos.example"}, Address{Platform: "berlin.example", Player: "lena@berlin.example"}
	env, err := NewEnvelope(envelopeID, MessageSend, from, to, MessagePayload{Text: "How far?"})
	if err != nil {
		t.Fatal(err)
	}
	body, err := env.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if string(body) != goodEnvelope {
		t.Errorf("got  %s\nwant %s", body, goodEnvelope)
	}
	var m MessagePayload
	if err := env.Decode(production, &m); err != nil || m.Text != "How far?" {
		t.Errorf("%v %+v", err, m)
	}
	if empty, err := NewEnvelope(envelopeID, HubHello, from, Address{Platform: HubID}, nil); err != nil || string(empty.Payload) != "{}" {
		t.Errorf("nil payload: %s %v", empty.Payload, err)
	}
	if _, err := NewEnvelope(envelopeID, HubHello, from, to, "text"); err == nil {
		t.Error("a payload that is no object was taken")
	}
	if _, err := NewEnvelope(envelopeID, HubHello, from, to, make(chan int)); err == nil {
		t.Error("a payload that can't be written was taken")
	}
	again, err := env.Encode()
	if err != nil || !bytes.Equal(body, again) {
		t.Error("the same envelope gave other bytes")
	}
}
