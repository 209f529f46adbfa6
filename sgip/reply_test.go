package sgip

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const goodRefusal = `{"ok":false,"id":"` + envelopeID + `","error":{"code":"not_found","message":"No player ghost@berlin.example","retryable":false}}`

func TestReply_Encode(t *testing.T) {
	ok, err := OKReply(envelopeID, MessageResult{Delivered: true})
	if err != nil {
		t.Fatal(err)
	}
	empty, err := OKReply(envelopeID, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reply Reply
		want  string
	}{
		{ok, `{"ok":true,"id":"` + envelopeID + `","result":{"delivered":true}}`},
		{empty, `{"ok":true,"id":"` + envelopeID + `","result":{}}`},
		{Reply{OK: true, ID: envelopeID, Result: json.RawMessage(`{ "as" : "it is" }`)}, `{"ok":true,"id":"` + envelopeID + `","result":{ "as" : "it is" }}`},
		{ErrorReply(envelopeID, Errorf(NotFound, "No player %s", "ghost@berlin.example")), goodRefusal},
		{ErrorReply("", Errorf(InvalidPayload, "x")), `{"ok":false,"id":null,"error":{"code":"invalid_payload","message":"x","retryable":false}}`},
		{ErrorReply("", &Error{Code: RateLimited, RetryAfter: 7}), `{"ok":false,"id":null,"error":{"code":"rate_limited","message":"","retryable":true,"retry_after":7}}`},
		{ErrorReply("", &Error{Code: Internal, RetryAfter: 7}), `{"ok":false,"id":null,"error":{"code":"internal","message":"","retryable":true}}`},
		{ErrorReply("", &Error{Code: PlatformOffline, Final: true}), `{"ok":false,"id":null,"error":{"code":"platform_offline","message":"","retryable":false}}`},
		{ErrorReply("", Errorf(NotFound, "bad \xff \"quoted\"")), `{"ok":false,"id":null,"error":{"code":"not_found","message":"bad  \"quoted\"","retryable":false}}`},
	} {
		if got := string(c.reply.Encode()); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	secret := errors.New("pq: password is hunter2")
	for _, err := range []error{secret, Wrap(NotFound, secret, "no")} {
		if body := string(ErrorReply("", err).Encode()); strings.Contains(body, "hunter2") {
			t.Errorf("the cause got out: %s", body)
		}
	}
	if _, err := OKReply(envelopeID, []int{1}); err == nil {
		t.Error("a result that is no object was taken")
	}
	long := ErrorReply("", Errorf(NotFound, "%s", strings.Repeat("é", 5000))).Encode()
	if r, err := ParseReply(long, envelopeID, MaxBody); err != nil || len(r.Error.Message) > maxErrorMessage {
		t.Errorf("a long message: %v", err)
	}
}

func TestReply_ParseOK(t *testing.T) {
	for _, c := range []struct {
		name, body string
		code       Code
		retryable  bool
		after      int
	}{
		{"a result", `{"ok":true,"id":"` + envelopeID + `","result":{}}`, "", false, 0},
		{"unknown fields", `{"later":null,"ok":true,"id":"` + envelopeID + `","result":{"x":null},"Error":1}`, "", false, 0},
		{"a refusal", goodRefusal, NotFound, false, 0},
		{"a refusal of what couldn't be read", strings.Replace(goodRefusal, `"`+envelopeID+`"`, "null", 1), NotFound, false, 0},
		{"a code that is retryable", strings.NewReplacer("not_found", "internal", "false}", "true}").Replace(goodRefusal), Internal, true, 0},
		{"a voided charge", strings.Replace(goodRefusal, "not_found", "platform_offline", 1), PlatformOffline, false, 0},
		{"a known code that is never retryable", strings.Replace(goodRefusal, "false}", "true}", 1), NotFound, false, 0},
		{"a code nobody knows", strings.Replace(goodRefusal, "not_found", "tired", 1), "tired", false, 0},
		{"a code nobody knows, retryable", strings.NewReplacer("not_found", "tired", "false}", "true}").Replace(goodRefusal), "tired", true, 0},
		{"a rate", strings.NewReplacer("not_found", "rate_limited", "false}", `true,"retry_after":30}`).Replace(goodRefusal), RateLimited, true, 30},
		{"a rate without end", strings.NewReplacer("not_found", "rate_limited", "false}", `true,"retry_after":9007199254740991}`).Replace(goodRefusal), RateLimited, true, maxRetryAfter},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ParseReply([]byte(c.body), envelopeID, MaxBody)
			if err != nil {
				t.Fatal(err)
			}
			if r.ID != envelopeID || r.OK != (r.Error == nil) || r.OK != (r.Result != nil) {
				t.Errorf("got %+v", r)
			}
			if c.code == "" {
				return
			}
			if e := r.Error; e.Code != c.code || e.Retryable() != c.retryable || e.RetryAfter != c.after {
				t.Errorf("got %+v, retryable %v", e, e.Retryable())
			}
		})
	}
}

func TestReply_ParseErr(t *testing.T) {
	good := `{"ok":true,"id":"` + envelopeID + `","result":{}}`
	for name, body := range map[string]string{
		"nothing":                       "",
		"a page":                        "<html>",
		"null":                          "null",
		"an ok for another":             strings.Replace(good, envelopeID, tripID, 1),
		"an ok for nobody":              strings.Replace(good, `"`+envelopeID+`"`, "null", 1),
		"an ok without id":              `{"ok":true,"result":{}}`,
		"a refusal for another":         strings.Replace(goodRefusal, envelopeID, tripID, 1),
		"a refusal without id":          strings.Replace(goodRefusal, `"id":"`+envelopeID+`",`, "", 1),
		"ok as text":                    strings.Replace(good, "true", `"true"`, 1),
		"ok as number":                  strings.Replace(good, "true", `1`, 1),
		"ok null":                       strings.Replace(good, "true", `null`, 1),
		"no ok":                         strings.Replace(good, `"ok":true,`, ``, 1),
		"OK":                            strings.Replace(good, `"ok"`, `"OK"`, 1),
		"no result":                     strings.Replace(good, `,"result":{}`, ``, 1),
		"a null result":                 strings.Replace(good, `{}`, `null`, 1),
		"a list":                        strings.Replace(good, `{}`, `[]`, 1),
		"a result and an error":         strings.Replace(good, `{}}`, `{},"error":{"code":"internal","message":"","retryable":true}}`, 1),
		"a result and a null error":     strings.Replace(good, `{}}`, `{},"error":null}`, 1),
		"an error and a result":         strings.Replace(goodRefusal, `"error"`, `"result":{},"error"`, 1),
		"a refusal without error":       `{"ok":false,"id":null}`,
		"a null error":                  `{"ok":false,"id":null,"error":null}`,
		"an error as text":              `{"ok":false,"id":null,"error":"no"}`,
		"no code":                       strings.Replace(goodRefusal, `"code":"not_found",`, ``, 1),
		"a code with spaces":            strings.Replace(goodRefusal, "not_found", "not found", 1),
		"no message":                    strings.Replace(goodRefusal, `"message":"No player ghost@berlin.example",`, ``, 1),
		"no retryable":                  strings.Replace(goodRefusal, `,"retryable":false`, ``, 1),
		"retryable as text":             strings.Replace(goodRefusal, `false}`, `"false"}`, 1),
		"a negative retry_after":        strings.NewReplacer("not_found", "rate_limited", "false}", `true,"retry_after":-1}`).Replace(goodRefusal),
		"something after it":            good + "{}",
		"a name twice":                  strings.Replace(good, `"ok":true`, `"ok":true,"ok":true`, 1),
		"too deep":                      strings.Replace(good, `{}`, `{"x":`+strings.Repeat("[", 31)+strings.Repeat("]", 31)+`}`, 1),
		"bad UTF-8 anywhere":            strings.Replace(good, `{}`, "{\"x\":\"\xff\"}", 1),
		"larger than a game may answer": strings.Replace(good, `{}`, `{"x":"`+strings.Repeat("x", MaxBody)+`"}`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseReply([]byte(body), envelopeID, MaxBody)
			wantCode(t, err, InvalidPayload)
		})
	}
	large := strings.Replace(good, `{}`, `{"x":"`+strings.Repeat("x", MaxBody)+`"}`, 1)
	if _, err := ParseReply([]byte(large), envelopeID, MaxHubReply); err != nil {
		t.Errorf("the hub may answer more: %v", err)
	}
}

func TestReply_Queued(t *testing.T) {
	for result, want := range map[string]bool{
		`{"queued":true}`: true, `{"queued":true,"later":1}`: true, `{ "queued" : true }`: true,
		`{"queued":false}`: false, `{"queued":1}`: false, `{"queued":"true"}`: false, `{}`: false, `{"Queued":true}`: false, `{"delivered":true}`: false,
	} {
		if got := (Reply{OK: true, Result: json.RawMessage(result)}).Queued(); got != want {
			t.Errorf("%s: %v", result, got)
		}
	}
	if ErrorReply("", Errorf(Internal, "")).Queued() {
		t.Error("a refusal is not queued")
	}
}

func TestReply_Status(t *testing.T) {
	for code, want := range map[Code]int{
		InvalidPayload: 400, BadSignature: 401, Expired: 401, InsufficientFunds: 402, Forbidden: 403, LimitReached: 403,
		NotFound: 404, OpUnsupported: 404, RateLimited: 429, Internal: 500, PlatformOffline: 503, "tired": 500,
	} {
		if got := ErrorReply("", Errorf(code, "")).Status(); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
	if got := (Reply{OK: true}).Status(); got != 200 {
		t.Errorf("ok: %d", got)
	}
}

func TestDecodeResult_Act(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		r, err := OKReply(envelopeID, WalletResult{Balance: Money{Amount: 5, Currency: "NGN"}})
		if err != nil {
			t.Fatal(err)
		}
		var got WalletResult
		if err := DecodeResult(production, WalletDebit, r, &got); err != nil || got.Balance.Amount != 5 {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("Err the other side's refusal", func(t *testing.T) {
		var got WalletResult
		wantCode(t, DecodeResult(production, WalletDebit, ErrorReply("", Errorf(InsufficientFunds, "")), &got), InsufficientFunds)
	})
	t.Run("Err a result that breaks its schema is no answer", func(t *testing.T) {
		var got WalletResult
		for _, result := range []string{`{}`, `{"balance":{"amount":-1,"currency":"NGN"}}`, `{"balance":{"amount":1.0,"currency":"NGN"}}`, `{"queued":true}`} {
			err := DecodeResult(production, WalletDebit, Reply{OK: true, Result: json.RawMessage(result)}, &got)
			wantCode(t, err, PlatformOffline)
			if !AsError(err).Retryable() {
				t.Errorf("%s ends the matter", result)
			}
		}
	})
}

func TestError_As(t *testing.T) {
	if AsError(nil) != nil || CodeOf(nil) != "" {
		t.Error("nil is no error")
	}
	cause := errors.New("disk full")
	if e := AsError(cause); e.Code != Internal || strings.Contains(e.Message, "disk") || !errors.Is(e, cause) {
		t.Errorf("%+v", e)
	}
	inner := Errorf(Forbidden, "no")
	if AsError(errors.Join(cause, inner)) != inner {
		t.Error("the protocol's error wasn't found")
	}
	for _, c := range []Code{RateLimited, PlatformOffline, Internal} {
		if !c.Transient() || !c.Known() {
			t.Error(c)
		}
	}
	if Code("tired").Known() || NotFound.Transient() {
		t.Error("codes are mixed up")
	}
}
