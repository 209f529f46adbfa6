package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

// today is when these commands run.
var today = time.Unix(1794312060, 0)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ran is what a command line brought.
type ran struct {
	status   int
	out, err string
}

// sgipAt runs a command line at a time, with a standard input.
func sgipAt(t *testing.T, now func() time.Time, in string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	tool := &tool{in: strings.NewReader(in), out: &out, err: &errs, now: now, random: rand.Reader,
		newID: func() string { return ulid.Make().String() }}
	status := tool.run(t.Context(), args)
	return ran{status, out.String(), errs.String()}
}

func sgipRun(t *testing.T, in string, args ...string) ran {
	t.Helper()
	return sgipAt(t, func() time.Time { return today }, in, args...)
}

// want checks status, and that out or err has every one of the words.
func (r ran) want(t *testing.T, status int, words ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d\n%s%s", r.status, status, r.out, r.err)
	}
	for _, word := range words {
		if !strings.Contains(r.out+r.err, word) {
			t.Errorf("nothing on %q in\n%s%s", word, r.out, r.err)
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	must(t, err)
	must(t, json.Unmarshal(raw, v))
}

func TestTool_Run(t *testing.T) {
	t.Run("OKHelp", func(t *testing.T) { sgipRun(t, "", "check", "--help").want(t, 0, "--hub-key", "SGIP_HUB_KEY") })
	t.Run("ErrNothing", func(t *testing.T) { sgipRun(t, "").want(t, 2, "expected one of") })
	t.Run("ErrUnknown", func(t *testing.T) { sgipRun(t, "", "dance").want(t, 2, "dance") })
}

func TestKeygen_Run(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	var made struct {
		PublicKey string `json:"public_key"`
		KeyID     string `json:"key_id"`
	}
	t.Run("OK", func(t *testing.T) {
		r := sgipRun(t, "", "keygen", "--json", file)
		r.want(t, 0)
		must(t, json.Unmarshal([]byte(r.out), &made))
		info, err := os.Stat(file)
		must(t, err)
		if len(made.PublicKey) != 44 || len(made.KeyID) != 16 || info.Mode().Perm() != 0o600 {
			t.Errorf("%+v in a file of mode %v", made, info.Mode())
		}
	})
	t.Run("OKShow", func(t *testing.T) {
		sgipRun(t, "", "keygen", "--show", file).want(t, 0, "public key  "+made.PublicKey, "key id      "+made.KeyID)
	})
	t.Run("ErrThere", func(t *testing.T) {
		before, err := os.ReadFile(file)
		must(t, err)
		sgipRun(t, "", "keygen", file).want(t, 2, "is there already")
		if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
			t.Error("the key was replaced")
		}
	})
	t.Run("ErrShowNone", func(t *testing.T) {
		none := filepath.Join(t.TempDir(), "none")
		sgipRun(t, "", "keygen", "--show", none).want(t, 2, "key file")
		if _, err := os.Stat(none); err == nil {
			t.Error("a key was made")
		}
	})
}

func TestSign_Run(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	made := sgipRun(t, "", "keygen", key)
	public := strings.Fields(made.out)[2]
	body := write(t, "body.json", `{"sgip":"0.1"}`)
	const nonce = "01JA2B3C4D5E6F7G8H9J0K1MA0"

	t.Run("OK", func(t *testing.T) {
		r := sgipRun(t, "", "sign", "-v", "--key", key, "--nonce", nonce, "POST", "/sgip/inbox", body)
		r.want(t, 0, "SGIP-Signature: keyId=", ",ts=1794312060,nonce="+nonce+",sig=",
			"POST\n/sgip/inbox\n1794312060\n"+nonce+"\n584fe91a6cf920f9b439430dc5b246d4b8372b109d42e8fb589a9277a0f78767")
		if strings.Contains(r.out, "POST") {
			t.Error("what curl reads has more than the header in it")
		}
		sgipRun(t, "", "verify", "--public-key", public, "--header", r.out, "POST", "/sgip/inbox", body).want(t, 0, "good", "0 s ago")
	})
	t.Run("OKStandardInput", func(t *testing.T) {
		r := sgipRun(t, `{"sgip":"0.1"}`, "sign", "--json", "--key", key, "--ts", "1794312000", "POST", "/in", "-")
		r.want(t, 0)
		var got map[string]string
		must(t, json.Unmarshal([]byte(r.out), &got))
		sgipRun(t, "", "verify", "--public-key", public, "--header", got["value"], "POST", "/in", body).want(t, 0, "60 s ago")
	})
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"ErrQuery", "the query isn't signed", []string{"POST", "/in?x=1", body}},
		{"ErrPath", "single /", []string{"POST", "in", body}},
		{"ErrMethod", "capitals", []string{"post", "/in", body}},
		{"ErrNonce", "ULID", []string{"--nonce", "1234", "POST", "/in", body}},
		{"ErrTime", "Unix seconds", []string{"--ts=-1", "POST", "/in", body}},
		{"ErrNoBody", "none.json", []string{"POST", "/in", "none.json"}},
		{"ErrTooLarge", "65536", []string{"POST", "/in", write(t, "large", strings.Repeat("x", 64<<10+1))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sgipRun(t, "", append([]string{"sign", "--key", key}, c.args...)...).want(t, 2, c.want)
		})
	}
	t.Run("ErrNoKey", func(t *testing.T) { sgipRun(t, "", "sign", "--key", "none", "POST", "/in").want(t, 2, "key file") })
}

// Requests that other programs signed are good, and none is with a byte changed.
func TestVerify_Run(t *testing.T) {
	var all []struct {
		Name      string `json:"name"`
		PublicKey string `json:"public_key"`
		Method    string `json:"method"`
		Path      string `json:"path"`
		Body      []byte `json:"body"`
		Header    string `json:"header"`
	}
	readJSON(t, "../../sgip/testdata/foreign_signatures.json", &all)
	if len(all) == 0 {
		t.Fatal("no signatures")
	}
	for _, c := range all {
		t.Run("OK/"+c.Name, func(t *testing.T) {
			args := []string{"verify", "--any-time", "--public-key", c.PublicKey, "--header", c.Header, c.Method, c.Path, "-"}
			sgipRun(t, string(c.Body), args...).want(t, 0, "good")
			sgipRun(t, string(c.Body)+" ", args...).want(t, 1, "bad_signature: ")
		})
	}
	first := all[0]
	verify := func(header string, flags ...string) ran {
		args := append([]string{"verify", "--public-key", first.PublicKey, "--header", header}, flags...)
		return sgipRun(t, string(first.Body), append(args, first.Method, first.Path, "-")...)
	}
	t.Run("ErrExpired", func(t *testing.T) {
		verify(first.Header, "--at", "1794312301").want(t, 1, "expired: ts is 301 seconds behind")
	})
	t.Run("ErrAhead", func(t *testing.T) {
		verify(first.Header, "--at", "1794311699").want(t, 1, "expired: ts is 301 seconds ahead")
	})
	t.Run("OKAt", func(t *testing.T) { verify(first.Header, "--at", "1794311700").want(t, 0, "300 s ahead") })
	t.Run("ErrHeader", func(t *testing.T) { verify("keyId=1").want(t, 1, "bad_signature: ") })
	t.Run("ErrJSON", func(t *testing.T) {
		verify("keyId=1", "--json").want(t, 1, `"valid": false`, `"code": "bad_signature"`)
	})
	t.Run("OKJSON", func(t *testing.T) { verify(first.Header, "--json").want(t, 0, `"valid": true`) })
	t.Run("ErrKey", func(t *testing.T) {
		sgipRun(t, "", "verify", "--public-key", "short", "--header", first.Header, "POST", "/").want(t, 2, "--public-key")
	})
}

func TestConvert_Run(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		want   string
		args   []string
	}{
		{"OKDebit", 0, "debit   225000/NGN\n", []string{"500000/NGN", "1000/EUR", "450/EUR"}},
		{"OKDebitRoundsUp", 0, "debit   1/NGN\n", []string{"1/NGN", "1000/EUR", "1/EUR"}},
		{"OKShownRoundsDown", 0, "shown   0/EUR\n", []string{"500000/NGN", "1000/EUR", "499/NGN"}},
		{"OKRefunds", 0, "refund  1/EUR credits 3/NGN, 2/EUR remain\nrefund  2/EUR credits 7/NGN, 0/EUR remain\n",
			[]string{"10/NGN", "3/EUR", "3/EUR", "--refund", "1", "--refund", "2"}},
		{"OKJSON", 0, `"debit": {`, []string{"--json", "7/lagos:cowrie", "3/EUR", "3/EUR"}},
		{"OKBothWays", 0, "debit   6/EUR\nshown   1/EUR\n", []string{"2/EUR", "1/EUR", "3/EUR"}},
		{"ErrTooMuchBack", 1, "limit_reached", []string{"10/NGN", "3/EUR", "3/EUR", "--refund", "4"}},
		{"ErrTooLarge", 1, "invalid_payload", []string{"9007199254740991/NGN", "1/EUR", "2/EUR"}},
		{"ErrNothing", 1, "invalid_payload", []string{"10/NGN", "3/EUR", "0/EUR"}},
		{"ErrFraction", 2, "whole minor units", []string{"1.5/NGN", "3/EUR", "1/EUR"}},
		{"ErrCurrency", 2, "three capitals", []string{"10/ngn", "3/EUR", "1/EUR"}},
		{"ErrOtherCurrency", 2, "NGN or EUR", []string{"10/NGN", "3/EUR", "1/GBP"}},
		{"ErrRateOfNothing", 2, "at least 1", []string{"0/NGN", "3/EUR", "1/EUR"}},
		{"ErrRefundAtHome", 2, "in EUR", []string{"10/NGN", "3/EUR", "1/NGN", "--refund", "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sgipRun(t, "", append([]string{"convert"}, c.args...)...).want(t, c.status, c.want)
		})
	}
}

func TestValidate_Run(t *testing.T) {
	const message = `{"sgip":"0.1","id":"01JA2B3C4D5E6F7G8H9J0K1M2N","op":"message.send@1","from":{"platform":"lagos.example"},
		"to":{"platform":"berlin.example","player":"lena@berlin.example"},"reply_to":null,"payload":{"text":"How far?"}}`
	for _, c := range []struct {
		name   string
		status int
		want   string
		schema string
		doc    string
		flags  []string
	}{
		{"OK", 0, "valid", "envelope", message, nil},
		{"OKPayload", 0, "valid", "message.send.payload", `{"text":"How far?"}`, nil},
		{"OKResult", 0, "valid", "wallet.read.result", `{"balance":{"amount":5,"currency":"NGN"}}`, nil},
		{"OKReply", 0, "valid", "reply", `{"ok":false,"id":null,"error":{"code":"expired","message":"late","retryable":false}}`, nil},
		{"OKLocal", 0, "valid", "player.lookup.payload", `{"player":"tunde@lagos.localhost:8081"}`, []string{"--local"}},
		{"ErrLocalName", 1, "player", "player.lookup.payload", `{"player":"tunde@lagos.localhost:8081"}`, nil},
		{"ErrAmount", 1, "plain digits", "wallet.read.result", `{"balance":{"amount":5.0,"currency":"NGN"}}`, nil},
		{"ErrTwice", 1, "I-JSON", "message.send.payload", `{"text":"a","text":"b"}`, nil},
		{"ErrAfter", 1, "I-JSON", "message.send.payload", `{"text":"a"}{}`, nil},
		{"ErrForeignPlayer", 1, "to.player", "envelope", strings.Replace(message, "lena@berlin", "lena@paris", 1), nil},
		{"ErrNoSuchSchema", 2, "no such schema", "message.send", `{}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"validate"}, c.flags...)
			sgipRun(t, c.doc, append(args, c.schema, "-")...).want(t, c.status, c.want)
			file := write(t, "doc.json", c.doc)
			sgipRun(t, "", append(args, c.schema, file)...).want(t, c.status, c.want)
		})
	}
	t.Run("ErrNoFile", func(t *testing.T) { sgipRun(t, "", "validate", "envelope", "none.json").want(t, 2, "none.json") })
}

func TestVectors_Run(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "vectors")
	t.Run("OK", func(t *testing.T) {
		sgipRun(t, "", "vectors", dir).want(t, 0, filepath.Join(dir, "money.json"))
		for _, name := range []string{"signing.json", "passports.json", "money.json"} {
			got, err := os.ReadFile(filepath.Join(dir, name))
			must(t, err)
			published, err := os.ReadFile(filepath.Join("../../sgip/vectors", name))
			must(t, err)
			if len(got) == 0 || !bytes.Equal(got, published) {
				t.Errorf("%s isn't the published file", name)
			}
		}
	})
	t.Run("ErrNoFolder", func(t *testing.T) {
		sgipRun(t, "", "vectors", write(t, "file", "")).want(t, 2, "make folder")
	})
}
