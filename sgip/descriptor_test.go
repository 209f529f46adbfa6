package sgip

import (
	"slices"
	"strings"
	"testing"
)

// berlin is a descriptor that uses everything.
func berlin(t testing.TB) string {
	t.Helper()
	d := Descriptor{
		SGIP: Version, PlatformID: "berlin.example", Name: "Berlin", Description: "Kreuzberg in the rain", Icon: "🐻",
		IconURL: "https://static.berlin.example/icon.svg?v=2", Return: "https://berlin.example/travel?back=1", Languages: []string{"de", "en-GB"},
		Inbox: "https://berlin.example/sgip/inbox", Visit: "https://play.berlin.example:8443/visit?skin=dark",
		PublicKeys:   []string{signerOf(t, 1).Public.Text, signerOf(t, 2).Public.Text},
		Capabilities: append(RequiredOps(), WalletRead, WalletDebit, WalletCredit, "x-lagos.wave@1", "place.status@2"),
		Currencies:   []string{"EUR", "berlin:pfand"}, Embed: &Embed{Allowed: false},
		Money: &MoneyOps{
			SpendingAbroad: &SpendingAbroad{DailyLimits: []Money{{5000, "EUR"}, {0, "berlin:pfand"}}},
			Accepts: []Accepts{
				{"lagos.example", Money{500000, "NGN"}, Money{1000, "EUR"}, Money{200000, "EUR"}},
				{"lagos.example", Money{3, "lagos:cowrie"}, Money{1, "berlin:pfand"}, Money{0, "berlin:pfand"}},
			},
		},
		Visitors: &Visitors{Except: &[]string{"noisy.example"}},
	}
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestDescriptor_ParseOK(t *testing.T) {
	d, err := ParseDescriptor(production, "berlin.example", []byte(berlin(t)), true)
	if err != nil {
		t.Fatal(err)
	}
	if d.EmbedAllowed() || !d.Declares("x-lagos.wave@1") || d.Declares(InviteSend) {
		t.Errorf("got %+v", d)
	}
	if limit, ok := d.DailyLimit("EUR"); !ok || limit.Amount != 5000 {
		t.Errorf("limit %v %v", limit, ok)
	}
	if _, ok := d.DailyLimit("NGN"); ok {
		t.Error("a limit from nowhere")
	}
	origins := []string{"https://berlin.example", "https://play.berlin.example:8443"}
	if got := d.Origins(production); !slices.Equal(got, origins) {
		t.Errorf("origins %v", got)
	}
	if got := d.ReturnURL(production); got != d.Return {
		t.Errorf("return %s", got)
	}
	if d.Money.Accepts[0].Rate() != (Rate{Money{500000, "NGN"}, Money{1000, "EUR"}}) {
		t.Error("the rate is another")
	}
}

func TestDescriptor_ParseSmall(t *testing.T) {
	small := `{"sgip":"0.9","platform_id":"lagos.localhost:8081","name":"Lagos","inbox":"http://lagos.localhost:8081/in","visit":"http://lagos.localhost:80/visit",` +
		`"public_keys":["` + signerOf(t, 1).Public.Text + `"],"capabilities":["hub.ping@1","player.lookup@1","message.send@1"],"currencies":[],"later":null}`
	d, err := ParseDescriptor(plainLocal, "lagos.localhost:8081", []byte(small), true)
	if err != nil {
		t.Fatal(err)
	}
	if !d.EmbedAllowed() || !d.Welcomes("berlin.localhost") || d.ReturnURL(plainLocal) != "http://lagos.localhost:8081/" {
		t.Errorf("got %+v", d)
	}
	if got := d.Origins(plainLocal); !slices.Equal(got, []string{"http://lagos.localhost:8081", "http://lagos.localhost"}) {
		t.Errorf("origins %v", got)
	}
	for _, mode := range []Mode{production, local} {
		_, err := ParseDescriptor(mode, "lagos.localhost:8081", []byte(small), true)
		wantCode(t, err, InvalidPayload)
	}
	open := strings.Replace(small, `"later":null`, `"embed":{}`, 1)
	if d, err := ParseDescriptor(plainLocal, "lagos.localhost:8081", []byte(open), true); err != nil || !d.EmbedAllowed() {
		t.Errorf("embed without allowed: %v %v", d.Embed, err)
	}
}

// What each case changes in Berlin's descriptor, and the field that the refusal names.
var (
	smallOrder = badKeys()["order 8 first"]
	key2       = keyText(2)
)

var badDescriptors = []struct{ name, from, to, field string }{
	{"not JSON", `{"sgip"`, `sgip`, "the body"},
	{"a name twice", `"name"`, `"name":"x","name"`, "the body"},
	{"something after it", `{"except":["noisy.example"]}}`, `{"except":["noisy.example"]}}{}`, "the body"},
	{"no version", `"sgip":"0.1",`, ``, "sgip"},
	{"version 1", `"0.1"`, `"1.0"`, "sgip"},
	{"another's id", `"platform_id":"berlin.example"`, `"platform_id":"lagos.example"`, "platform_id"},
	{"an id in capitals", `"platform_id":"berlin.example"`, `"platform_id":"Berlin.example"`, "platform_id"},
	{"no name", `"name":"Berlin",`, ``, "name"},
	{"a null name", `"Berlin"`, `null`, "name"},
	{"an empty name", `"Berlin"`, `""`, "name"},
	{"a blank name", `"Berlin"`, `"\u200b"`, "name"},
	{"a long name", `"Berlin"`, `"` + strings.Repeat("x", 61) + `"`, "name"},
	{"a name with a tag", `"Berlin"`, `"<i>Berlin"`, "name"},
	{"a long description", `Kreuzberg`, strings.Repeat("x", 281), "description"},
	{"a long icon", `🐻`, `123456789`, "icon"},
	{"a null icon", `"🐻"`, `null`, "icon"},
	{"an icon elsewhere", `https://static.berlin.example/icon.svg`, `https://cdn.example/icon.svg`, "icon_url"},
	{"an icon as data", `https://static.berlin.example/icon.svg`, `data:image/png,`, "icon_url"},
	{"a return elsewhere", `https://berlin.example/travel`, `https://berlin.example.evil.com/travel`, "return"},
	{"a return over http", `https://berlin.example/travel`, `http://berlin.example/travel`, "return"},
	{"a language that is none", `"de"`, `"d_e"`, "languages"},
	{"no inbox", `"inbox":"https://berlin.example/sgip/inbox",`, ``, "inbox"},
	{"an inbox with a query", `/sgip/inbox`, `/sgip/inbox?x`, "inbox"},
	{"an inbox with a fragment", `/sgip/inbox`, `/sgip/inbox#`, "inbox"},
	{"an inbox with a user", `https://berlin.example/sgip`, `https://x@berlin.example/sgip`, "inbox"},
	{"an inbox elsewhere", `https://berlin.example/sgip`, `https://evil-berlin.example/sgip`, "inbox"},
	{"an inbox inside", `https://berlin.example/sgip`, `https://127.0.0.1/sgip`, "inbox"},
	{"a visit elsewhere", `https://play.berlin.example:8443`, `https://play.lagos.example`, "visit"},
	{"a visit with a fragment", `?skin=dark`, `?skin=dark#x`, "visit"},
	{"no keys", `["` + keyText(1) + `","` + key2 + `"]`, `[]`, "public_keys"},
	{"three keys", `"` + key2 + `"`, `"` + key2 + `","` + keyText(3) + `"`, "public_keys"},
	{"one key twice", `"` + key2 + `"`, `"` + keyText(1) + `"`, "public_keys"},
	{"a key with stray bits", key2, key2[:42] + nextLetter(key2[42]) + "=", "public_keys[1]"},
	{"a key of small order", key2, smallOrder, "public_keys[1]"},
	{"a key as hex", key2, strings.Repeat("0", 64), "public_keys[1]"},
	{"no ping", `"hub.ping@1",`, ``, "capabilities"},
	{"no lookup", `"player.lookup@1",`, ``, "capabilities"},
	{"no messages", `"message.send@1",`, ``, "capabilities"},
	{"messages of another version only", `message.send@1`, `message.send@2`, "capabilities"},
	{"a capability that is no op", `x-lagos.wave@1`, `wave`, "capabilities"},
	{"spending abroad without read", `"wallet.read@1",`, ``, "capabilities"},
	{"spending abroad without debit", `"wallet.debit@1",`, ``, "capabilities"},
	{"spending abroad without credit", `"wallet.credit@1",`, ``, "capabilities"},
	{"no currencies", `"currencies":["EUR","berlin:pfand"],`, ``, "currencies"},
	{"a small currency", `["EUR",`, `["eur",`, "currencies"},
	{"another's game money", `["EUR","berlin:pfand"]`, `["EUR","berlin:pfand","lagos:cowrie"]`, "currencies[2]"},
	{"a limit in an unlisted currency", `{"amount":5000,"currency":"EUR"}`, `{"amount":5000,"currency":"USD"}`, "money.spending_abroad.daily_limits[0]"},
	{"two limits for one currency", `{"amount":0,"currency":"berlin:pfand"}]`, `{"amount":0,"currency":"EUR"}]`, "money.spending_abroad.daily_limits[1]"},
	{"a limit below 0", `"amount":5000`, `"amount":-1`, "money.spending_abroad.daily_limits[0]"},
	{"a limit in fractions", `"amount":5000`, `"amount":5000.0`, "money.spending_abroad.daily_limits[0]"},
	{"a limit over the largest", `"amount":5000`, `"amount":9007199254740992`, "money.spending_abroad.daily_limits[0]"},
	{"a null limit", `{"amount":5000,"currency":"EUR"}`, `null`, "money.spending_abroad.daily_limits[0]"},
	{"money null", `"money":{`, `"money":null,"x":{`, "money"},
	{"from oneself", `"from":"lagos.example","give":{"amount":500000`, `"from":"berlin.example","give":{"amount":500000`, "money.accepts[0].from"},
	{"from the hub", `"from":"lagos.example","give":{"amount":500000`, `"from":"sgip-hub","give":{"amount":500000`, "money.accepts[0].from"},
	{"giving nothing", `"amount":500000`, `"amount":0`, "money.accepts[0].give"},
	{"getting nothing", `"get":{"amount":1000`, `"get":{"amount":0`, "money.accepts[0].get"},
	{"an exponent", `"amount":500000`, `"amount":5e5`, "money.accepts[0].give"},
	{"getting an unlisted currency", `"get":{"amount":1000,"currency":"EUR"}`, `"get":{"amount":1000,"currency":"USD"}`, "money.accepts[0].get"},
	{"an inflow in another currency", `"daily_inflow_limit":{"amount":200000,"currency":"EUR"}`, `"daily_inflow_limit":{"amount":200000,"currency":"NGN"}`, "money.accepts[0].daily_inflow_limit"},
	{"no inflow", `,"daily_inflow_limit":{"amount":200000,"currency":"EUR"}`, ``, "money.accepts[0].daily_inflow_limit"},
	{"visitors from and except", `{"except":["noisy.example"]}`, `{"except":["noisy.example"],"from":[]}`, "visitors"},
	{"visitors of neither kind", `{"except":["noisy.example"]}`, `{}`, "visitors"},
	{"visitors null", `{"except":["noisy.example"]}`, `null`, "visitors"},
	{"visitors from null", `{"except":["noisy.example"]}`, `{"from":null}`, "visitors"},
	{"visitors that are no games", `noisy.example`, `noisy`, "visitors"},
	{"a visitor of local mode", `noisy.example`, `noisy.localhost`, "visitors"},
	{"embed as text", `"embed":{"allowed":false}`, `"embed":{"allowed":"no"}`, "embed"},
	{"too large", `Kreuzberg`, strings.Repeat("x", MaxBody), "the body"},
}

func TestDescriptor_ParseErr(t *testing.T) {
	good := berlin(t)
	for _, c := range badDescriptors {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(good, c.from) {
				t.Fatal("the case changes nothing")
			}
			_, err := ParseDescriptor(production, "berlin.example", []byte(strings.Replace(good, c.from, c.to, 1)), true)
			wantCode(t, err, InvalidPayload)
			if err != nil && !strings.HasPrefix(AsError(err).Message, c.field) {
				t.Errorf("the message doesn't name %s: %v", c.field, err)
			}
		})
	}
	t.Run("the order of keys is the hub's business", func(t *testing.T) {
		_, err := ParseDescriptor(production, "berlin.example", []byte(strings.Replace(good, key2, smallOrder, 1)), false)
		wantCode(t, err, "")
	})
}

func TestDescriptor_Welcomes(t *testing.T) {
	list := []string{"lagos.example"}
	for _, c := range []struct {
		name         string
		visitors     *Visitors
		lagos, tokyo bool
	}{
		{"no word", nil, true, true},
		{"from", &Visitors{From: &list}, true, false},
		{"except", &Visitors{Except: &list}, false, true},
		{"from nobody", &Visitors{From: &[]string{}}, false, false},
		{"except nobody", &Visitors{Except: &[]string{}}, true, true},
	} {
		d := Descriptor{Visitors: c.visitors}
		raw, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var again Descriptor
		if err := unmarshal(raw, &again); err != nil {
			t.Fatal(err)
		}
		for _, d := range []Descriptor{d, again} {
			if d.Welcomes("lagos.example") != c.lagos || d.Welcomes("tokyo.example") != c.tokyo {
				t.Errorf("%s: %s", c.name, raw)
			}
		}
	}
}

func TestHubKey_Parse(t *testing.T) {
	hub := signerOf(t, 9).Public
	good := `{"sgip":"0.1","public_key":"` + hub.Text + `","key_id":"` + hub.ID + `","expires_at":"2026-11-10T00:00:00Z","ops":"https://hub.example/ops"}`
	file, key, err := ParseHubKey([]byte(good))
	if err != nil || key.ID != hub.ID || !key.Raw.Equal(hub.Raw) {
		t.Fatalf("%+v %v", key, err)
	}
	if at, err := file.Expires(); err != nil || FormatTime(at) != "2026-11-10T00:00:00Z" {
		t.Errorf("expires %v %v", at, err)
	}
	for _, c := range []struct{ name, from, to string }{
		{"another id", hub.ID, goodKeyID},
		{"an id in capitals", hub.ID, strings.ToUpper(hub.ID)},
		{"a key with stray bits", hub.Text, hub.Text[:42] + nextLetter(hub.Text[42]) + "="},
		{"no end", `"expires_at":"2026-11-10T00:00:00Z",`, ``},
		{"an end in another zone", `00:00:00Z`, `00:00:00+01:00`},
		{"an end without zone", `00:00:00Z`, `00:00:00`},
		{"an end in seconds", `"2026-11-10T00:00:00Z"`, `1794268800`},
		{"no such day", `2026-11-10`, `2026-02-30`},
		{"ops with a query", `/ops`, `/ops?x`},
		{"ops with a user", `//hub`, `//x@hub`},
		{"ops that is a path", `https://hub.example/ops`, `/ops`},
		{"null ops", `"https://hub.example/ops"`, `null`},
		{"version 2", `"0.1"`, `"2.0"`},
		{"a name twice", `"ops"`, `"ops":"https://hub.example/x","ops"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(good, c.from) {
				t.Fatal("the case changes nothing")
			}
			_, _, err := ParseHubKey([]byte(strings.Replace(good, c.from, c.to, 1)))
			wantCode(t, err, InvalidPayload)
		})
	}
}
