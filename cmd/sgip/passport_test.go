package main

import (
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

// Passports that other programs signed, for a visit to berlin.example at 1794312000.
func TestPassport_Run(t *testing.T) {
	var all []struct {
		Name      string `json:"name"`
		PublicKey string `json:"public_key"`
		Token     string `json:"token"`
	}
	readJSON(t, "../../sgip/testdata/foreign_passports.json", &all)
	if len(all) == 0 {
		t.Fatal("no passports")
	}
	for _, c := range all {
		t.Run("OK/"+c.Name, func(t *testing.T) {
			r := sgipRun(t, c.Token+"\n", "passport", "--host", "berlin.example", "--public-key", c.PublicKey)
			r.want(t, 0, `"visit_id": "01JA2B3C4D5E6F7G8H9J0K1M2P"`, "good: tunde@lagos.example may visit berlin.example for another 14m0s")
			noToken(t, r, c.Token)
		})
	}
	p := all[0]
	check := func(token string, flags ...string) ran {
		t.Helper()
		r := sgipRun(t, token, append([]string{"passport", "--public-key", p.PublicKey}, flags...)...)
		noToken(t, r, token)
		return r
	}
	t.Run("OKUnchecked", func(t *testing.T) { sgipRun(t, p.Token, "passport").want(t, 0, `"sub": "tunde"`, "not checked") })
	t.Run("OKAnyHost", func(t *testing.T) { check(p.Token).want(t, 0, "good") })
	t.Run("ErrHost", func(t *testing.T) { check(p.Token, "--host", "paris.example").want(t, 1, `"sub"`, "forbidden: ") })
	t.Run("ErrExpired", func(t *testing.T) { check(p.Token, "--at", "1794312900").want(t, 1, `"sub"`, "expired: ") })
	t.Run("ErrForged", func(t *testing.T) {
		at := strings.LastIndexByte(p.Token, '.') + 1
		check(p.Token[:at]+"AAAA"+p.Token[at+4:]).want(t, 1, `"sub"`, "bad_signature: ")
	})
	t.Run("ErrNone", func(t *testing.T) { check("").want(t, 1, "bad_signature: ") })
	t.Run("ErrNoPassport", func(t *testing.T) { check("a.b.c").want(t, 1, "bad_signature: ") })
	t.Run("ErrTooLong", func(t *testing.T) { check(strings.Repeat("x", 5<<10)).want(t, 2, "more than") })
	t.Run("ErrArgument", func(t *testing.T) { sgipRun(t, "", "passport", p.Token).want(t, 2, "unexpected argument") })
	t.Run("ErrTwoKeys", func(t *testing.T) { check(p.Token, "--hub-file", "x").want(t, 2, "can't be used together") })

	hubFile := func(expires time.Time) string {
		key, err := sgip.ParsePublicKey(p.PublicKey)
		must(t, err)
		raw, err := sgip.Marshal(sgip.HubKey{SGIP: "0.1", PublicKey: key.Text, KeyID: key.ID,
			ExpiresAt: sgip.FormatTime(expires), Ops: "https://hub.example/ops"})
		must(t, err)
		return write(t, "sgip-hub.json", string(raw))
	}
	t.Run("OKHubFile", func(t *testing.T) {
		sgipRun(t, p.Token, "passport", "--hub-file", hubFile(today.Add(time.Second))).want(t, 0, "good")
	})
	t.Run("ErrHubKeyExpired", func(t *testing.T) {
		sgipRun(t, p.Token, "passport", "--hub-file", hubFile(today)).want(t, 1, "key expired")
	})
	t.Run("ErrHubFile", func(t *testing.T) {
		sgipRun(t, p.Token, "passport", "--hub-file", write(t, "x.json", "{}")).want(t, 2, "--hub-file")
	})
	t.Run("ErrHubFileOnStandardInput", func(t *testing.T) {
		sgipRun(t, p.Token, "passport", "--hub-file", "-").want(t, 2, "--hub-file")
	})
}

// noToken wants a passport's signature nowhere in what is printed.
func noToken(t *testing.T, r ran, token string) {
	t.Helper()
	sig := token[strings.LastIndexByte(token, '.')+1:]
	if len(sig) > 10 && strings.Contains(r.out+r.err, sig) {
		t.Error("the passport was printed")
	}
}
