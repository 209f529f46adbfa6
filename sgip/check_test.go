package sgip

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	goodCharge = `{"visit_id":"` + tripID + `","amount":{"amount":350,"currency":"EUR"},"description":"Currywurst"}`
	goodDebit  = `{"player":"tunde@lagos.example","charge_id":"` + envelopeID + `","visit_id":"` + tripID + `","host":"berlin.example",` +
		`"amount":{"amount":175000,"currency":"NGN"},"host_amount":{"amount":350,"currency":"EUR"},"description":"Currywurst"}`
	goodCredit = `{"player":"tunde@lagos.example","charge_id":"` + envelopeID + `","refund_id":"` + tripID + `","host":"berlin.example",` +
		`"amount":{"amount":0,"currency":"NGN"},"reason":"refund"}`
	goodVisit = `{"host":"berlin.example","budget":{"amount":1,"currency":"NGN"},"scope":["pay"],"profile":{"name":"Tunde","stats":{"fun":100,"luck":-7}}}`
	goodEnd   = `{"visit_id":"` + tripID + `","reason":"left","stayed_seconds":60,"souvenirs":{"stats":{"fun":-100},"postcard":"Wish you\nwere here","verbs":["eat","x-berlin.rave"]}}`
)

var payloads = []struct {
	name     string
	op       Op
	payload  string
	from, to string
	field    string // "" for a payload that is taken
}{
	{"hello", HubHello, `{}`, "", "", ""},
	{"hello with more", HubHello, `{"later":null}`, "", "", ""},
	{"hello in a list", HubHello, `[]`, "", "", "the body"},
	{"an unknown op passes", "x-lagos.wave@1", `{"amount":-0}`, "", "", ""},
	{"another version passes", "message.send@2", `{}`, "", "", ""},
	{"a name twice", MessageSend, `{"text":"a","text":"b"}`, "", "", "the body"},
	{"a lone surrogate", MessageSend, `{"text":"\ud800"}`, "", "", "the body"},
	{"a message", MessageSend, `{"text":"a < b\n🙂"}`, "", "", ""},
	{"an unknown field that is called like another's", MessageSend, `{"text":"a","host":"nowhere","player":7}`, "", "", ""},
	{"no text", MessageSend, `{}`, "", "", "payload.text"},
	{"Text", MessageSend, `{"Text":"a"}`, "", "", "payload.text"},
	{"null text", MessageSend, `{"text":null}`, "", "", "payload.text"},
	{"an empty text", MessageSend, `{"text":""}`, "", "", "payload.text"},
	{"a blank text", MessageSend, `{"text":" \n"}`, "", "", "payload.text"},
	{"the longest text", MessageSend, `{"text":"` + strings.Repeat("😀", 1000) + `"}`, "", "", ""},
	{"too long a text", MessageSend, `{"text":"` + strings.Repeat("x", 1001) + `"}`, "", "", "payload.text"},
	{"a tag", MessageSend, `{"text":"<script>"}`, "", "", "payload.text"},
	{"a return", MessageSend, `{"text":"a\r\nb"}`, "", "", "payload.text"},
	{"an escape", MessageSend, `{"text":"\u001b[2J"}`, "", "", "payload.text"},
	{"a lookup", PlayerLookup, `{"player":"lena@berlin.example"}`, "", "", ""},
	{"a lookup in local mode", PlayerLookup, `{"player":"lena@berlin.localhost:8082"}`, "", "", "player"},
	{"a charge", WalletCharge, goodCharge, "", "", ""},
	{"a charge of nothing", WalletCharge, goodCharge, `350`, `0`, "payload.amount.amount"},
	{"a charge below nothing", WalletCharge, goodCharge, `350`, `-350`, "payload.amount.amount"},
	{"a charge of -0", WalletCharge, goodCharge, `350`, `-0`, "payload.amount.amount"},
	{"a charge of 350.0", WalletCharge, goodCharge, `350`, `350.0`, "payload.amount.amount"},
	{"a charge of 35e1", WalletCharge, goodCharge, `350`, `35e1`, "payload.amount.amount"},
	{"a charge of a million digits", WalletCharge, goodCharge, `350`, `1e999999`, "payload.amount.amount"},
	{"the largest charge", WalletCharge, goodCharge, `350`, `9007199254740991`, ""},
	{"a charge over it", WalletCharge, goodCharge, `350`, `9007199254740992`, "payload.amount.amount"},
	{"a charge without amount", WalletCharge, goodCharge, `"amount":350,`, ``, "payload.amount.amount"},
	{"a charge without currency", WalletCharge, goodCharge, `,"currency":"EUR"`, ``, "payload.amount.currency"},
	{"a charge as text", WalletCharge, goodCharge, `350`, `"350"`, "payload.amount.amount"},
	{"a charge null", WalletCharge, goodCharge, `{"amount":350,"currency":"EUR"}`, `null`, "payload.amount"},
	{"a charge without description", WalletCharge, goodCharge, `,"description":"Currywurst"`, ``, "payload.description"},
	{"a long description", WalletCharge, goodCharge, `Currywurst`, strings.Repeat("x", 141), "payload.description"},
	{"a small visit id", WalletCharge, goodCharge, tripID, strings.ToLower(tripID), "payload.visit_id"},
	{"a refund of all", WalletRefund, `{"charge_id":"` + envelopeID + `"}`, "", "", ""},
	{"a refund of nothing", WalletRefund, `{"charge_id":"` + envelopeID + `","amount":{"amount":0,"currency":"EUR"}}`, "", "", "payload.amount.amount"},
	{"a null refund", WalletRefund, `{"charge_id":"` + envelopeID + `","amount":null}`, "", "", "payload.amount"},
	{"a debit", WalletDebit, goodDebit, "", "", ""},
	{"a debit of nothing", WalletDebit, goodDebit, `175000`, `0`, "payload.amount.amount"},
	{"a debit for a host of local mode", WalletDebit, goodDebit, `berlin.example`, `berlin.localhost`, "host"},
	{"a credit", WalletCredit, goodCredit, "", "", ""},
	{"a credit for no reason", WalletCredit, goodCredit, `"refund"}`, `"gift"}`, "payload.reason"},
	{"a read", WalletRead, `{"player":"tunde@lagos.example","currency":"NGN"}`, "", "", ""},
	{"a visit", VisitRequest, goodVisit, "", "", ""},
	{"a visit without pay", VisitRequest, `{"host":"berlin.example"}`, "", "", ""},
	{"pay without budget", VisitRequest, goodVisit, `"budget":{"amount":1,"currency":"NGN"},`, ``, "payload.scope"},
	{"a budget without pay", VisitRequest, goodVisit, `"scope":["pay"],`, ``, "payload.scope"},
	{"an unknown scope", VisitRequest, goodVisit, `["pay"]`, `["pay","fly"]`, "payload.scope"},
	{"a budget of nothing", VisitRequest, goodVisit, `"amount":1,`, `"amount":0,`, "payload.budget.amount"},
	{"a stat over 100", VisitRequest, goodVisit, `"fun":100`, `"fun":101`, "payload.profile.stats"},
	{"a stat as extension", VisitRequest, goodVisit, `"luck"`, `"x-lagos.luck"`, "payload.profile.stats"},
	{"a visit to the hub", VisitRequest, goodVisit, `berlin.example`, `sgip-hub`, "payload.host"},
	{"an end", VisitEnd, goodEnd, "", "", ""},
	{"an end for no reason", VisitEnd, goodEnd, `"left"`, `"bored"`, "payload.reason"},
	{"a change over 100", VisitEnd, goodEnd, `-100`, `-101`, "payload.souvenirs.stats"},
	{"a change of -0", VisitEnd, goodEnd, `-100`, `-0`, "payload.souvenirs.stats"},
	{"a long postcard", VisitEnd, goodEnd, `Wish you`, strings.Repeat("x", 281), "payload.souvenirs.postcard"},
	{"a directory page", PlatformDirectory, `{"limit":200,"platform":"lagos.example"}`, "", "", ""},
	{"a directory page of 201", PlatformDirectory, `{"limit":201}`, "", "", "payload.limit"},
	{"a place", PlaceStatus, `{"place":"place://berlin.example/mitte/imbiss"}`, "", "", ""},
	{"a place of local mode", PlaceStatus, `{"place":"place://berlin.localhost:8082/mitte/imbiss"}`, "", "", "place"},
}

func TestPayload_Check(t *testing.T) {
	for _, c := range payloads {
		t.Run(c.name, func(t *testing.T) {
			if c.from != "" && !strings.Contains(c.payload, c.from) {
				t.Fatal("the case changes nothing")
			}
			payload := json.RawMessage(strings.Replace(c.payload, c.from, c.to, 1))
			err := CheckPayload(production, c.op, payload)
			if c.field == "" {
				wantCode(t, err, "")
				return
			}
			wantCode(t, err, InvalidPayload)
			if err != nil && !strings.HasPrefix(AsError(err).Message, c.field) {
				t.Errorf("the message doesn't name %s: %v", c.field, err)
			}
		})
	}
	wantCode(t, CheckPayload(local, PlayerLookup, json.RawMessage(`{"player":"lena@berlin.localhost:8082"}`)), "")
	wantCode(t, CheckPayload(local, PlaceStatus, json.RawMessage(`{"place":"place://berlin.localhost:8082/mitte/imbiss"}`)), "")
}

// Every op of the table has its schemas, and what our own types write passes them.
func TestPayload_OwnTypesPass(t *testing.T) {
	budget, card := &Money{1, "NGN"}, Profile{Name: "Tunde", Stats: map[string]int{"fun": 3}}
	entry := DirectoryEntry{
		PlatformID: "berlin.example", Name: "Berlin", Visit: "https://berlin.example/visit", ReturnURL: "https://berlin.example/",
		Origins: []string{"https://berlin.example"}, Capabilities: RequiredOps(),
	}
	eur := Money{350, "EUR"}
	for _, c := range []struct {
		op              Op
		payload, result any
	}{
		{HubHello, nil, HelloResult{PlatformID: "berlin.example", KeyIDs: []string{goodKeyID}, RegisteredAt: FormatTime(noon)}},
		{HubPing, nil, Ping{Time: FormatTime(noon), Software: "starter"}},
		{HubPing, nil, Ping{Time: FormatTime(noon)}},
		{PlatformDirectory, DirectoryQuery{}, DirectoryPage{}},
		{PlatformDirectory, DirectoryQuery{Limit: 5, Cursor: "x"}, DirectoryPage{Platforms: []DirectoryEntry{entry}}},
		{VisitRequest, VisitRequestPayload{Host: "berlin.example"}, VisitRequestResult{VisitID: tripID, Passport: "a.b.c", LaunchURL: "https://berlin.example/visit?home=lagos.example", HostOrigin: "https://berlin.example"}},
		{VisitRequest, VisitRequestPayload{Host: "berlin.example", Budget: budget, Scope: []string{ScopePay}, Profile: &card}, nil},
		{VisitEnd, VisitEndPayload{VisitID: tripID, Reason: EndIdle}, VisitEndResult{}},
		{VisitEnd, VisitEndPayload{VisitID: tripID, Reason: EndLeft, StayedSeconds: 9, Souvenirs: &Souvenirs{Stats: map[string]int{"fun": 9}}}, VisitEndResult{Accepted: Accepted{Stats: map[string]int{"fun": 9}}}},
		{WalletBalance, VisitQuery{VisitID: tripID}, Spendable{}},
		{WalletCharge, ChargePayload{tripID, eur, "Currywurst"}, ChargeResult{envelopeID, eur, *budget}},
		{WalletRefund, RefundPayload{ChargeID: envelopeID}, RefundResult{RefundID: passID, ChargeID: envelopeID, Amount: eur, Credit: *budget, Remaining: Money{0, "EUR"}}},
		{WalletRefund, RefundPayload{ChargeID: envelopeID, Amount: &eur}, RefundResult{RefundID: passID, ChargeID: envelopeID, Amount: eur, Credit: *budget, Remaining: eur, Pending: true}},
		{WalletRead, ReadPayload{"tunde@lagos.example", "NGN"}, WalletResult{*budget}},
		{WalletDebit, DebitPayload{"tunde@lagos.example", envelopeID, tripID, "berlin.example", *budget, eur, "Currywurst"}, WalletResult{*budget}},
		{WalletCredit, CreditPayload{Player: "tunde@lagos.example", ChargeID: envelopeID, RefundID: passID, Host: "berlin.example", Amount: *budget, Reason: CreditVoid}, WalletResult{Money{0, "NGN"}}},
		{PlayerLookup, PlayerQuery{"lena@berlin.example"}, PlayerCard{Player: "lena@berlin.example", Name: "Lena"}},
		{MessageSend, MessagePayload{"How far?"}, MessageResult{true}},
	} {
		env, err := NewEnvelope(envelopeID, c.op, Address{Platform: HubID}, Address{Platform: HubID}, c.payload)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckPayload(production, c.op, env.Payload); err != nil {
			t.Errorf("%s payload %s: %v", c.op, env.Payload, err)
		}
		if c.result == nil {
			continue
		}
		reply, err := OKReply(envelopeID, c.result)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckResult(production, c.op, reply.Result); err != nil {
			t.Errorf("%s result %s: %v", c.op, reply.Result, err)
		}
	}
}

func TestResult_ChecksNames(t *testing.T) {
	page := DirectoryPage{Platforms: []DirectoryEntry{{
		PlatformID: "berlin.example", Name: "Berlin", Visit: "https://berlin.example/visit", ReturnURL: "https://berlin.example/", Origins: []string{"https://berlin.example"},
		Accepts: []Accepts{{"lagos.localhost", Money{1, "NGN"}, Money{1, "EUR"}, Money{1, "EUR"}}},
	}}}
	reply, err := OKReply(envelopeID, page)
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, CheckResult(production, PlatformDirectory, reply.Result), InvalidPayload)
	wantCode(t, CheckResult(local, PlatformDirectory, reply.Result), "")
}
