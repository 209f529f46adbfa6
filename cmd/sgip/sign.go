package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sgip.example/starter/sgip"
)

// request is what a signature covers.
type request struct {
	Method string `arg:"" help:"HTTP method."`
	Path   string `arg:"" help:"Path as sent, percent-encoding untouched, without the query."`
	Body   string `arg:"" optional:"" help:"File with the body's bytes, - for standard input. Left out: an empty body."`
}

func (r request) body(t *tool) ([]byte, error) {
	switch {
	case r.Method == "" || strings.Trim(r.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return nil, errors.New("the method is written in capitals, like POST")
	case !strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "//"):
		return nil, errors.New("the path begins with a single /")
	case strings.ContainsAny(r.Path, "?# "):
		return nil, errors.New("the path has no query, no fragment and no space: the query isn't signed")
	case r.Body == "":
		return nil, nil
	}
	return t.read(r.Body, sgip.MaxBody)
}

// showSigned writes the canonical string as it is signed, for comparing it line
// by line with one's own.
func (t *tool) showSigned(canonical []byte) {
	fmt.Fprintf(t.err, "signed, joined by \\n, with none at the end:\n%s\n", canonical)
}

type signCmd struct {
	Key     string `required:"" placeholder:"FILE" help:"Key file, as keygen makes it."`
	TS      *int64 `name:"ts" placeholder:"SECONDS" help:"Unix time to sign; now unless given."`
	Nonce   string `placeholder:"ULID" help:"Nonce to sign; a fresh one unless given."`
	Verbose bool   `short:"v" help:"Show the string that is signed, on standard error."`
	JSON    bool   `name:"json" help:"Print JSON."`
	request
}

func (c signCmd) Run(t *tool) error {
	body, err := c.body(t)
	if err != nil {
		return err
	}
	signer, err := readKey(c.Key)
	if err != nil {
		return err
	}
	if c.Nonce == "" {
		c.Nonce = t.newID()
	}
	if !sgip.ValidULID(c.Nonce) {
		return errors.New("the nonce must be a ULID")
	}
	at := t.at(c.TS)
	if at.Unix() < 0 {
		return errors.New("the time must be in whole Unix seconds")
	}
	canonical := sgip.CanonicalString(c.Method, c.Path, at.Unix(), c.Nonce, body)
	if c.Verbose {
		t.showSigned(canonical)
	}
	value := signer.Sign(c.Method, c.Path, at, c.Nonce, body)
	if c.JSON {
		return t.print(map[string]string{"name": sgip.SignatureHeader, "value": value, "canonical": string(canonical)})
	}
	return t.say(sgip.SignatureHeader + ": " + value)
}

type verifyCmd struct {
	PublicKey string `required:"" placeholder:"BASE64" help:"The public key that should have signed."`
	Header    string `required:"" placeholder:"VALUE" help:"The header, with or without its name."`
	At        *int64 `placeholder:"SECONDS" help:"Unix time to judge ts by; now unless given."`
	AnyTime   bool   `help:"Don't judge ts."`
	Verbose   bool   `short:"v" help:"Show the string that must have been signed, on standard error."`
	JSON      bool   `name:"json" help:"Print JSON."`
	request
}

// verdict is what verify prints as JSON.
type verdict struct {
	Valid   bool      `json:"valid"`
	Code    sgip.Code `json:"code,omitempty"`
	Message string    `json:"message"`
}

func (c verifyCmd) Run(t *tool) error {
	body, err := c.body(t)
	if err != nil {
		return err
	}
	key, err := sgip.ParsePublicKey(c.PublicKey)
	if err != nil {
		return fmt.Errorf("--public-key: %s", sgip.AsError(err).Message)
	}
	good, err := c.verify(t, key, body)
	if c.JSON {
		v := verdict{Valid: err == nil, Message: good}
		if err != nil {
			v.Code, v.Message = sgip.CodeOf(err), sgip.AsError(err).Message
		}
		if fault := t.print(v); fault != nil || err == nil {
			return fault
		}
		return wrong{errTold}
	}
	if err != nil {
		return wrong{err}
	}
	return t.say(good)
}

// verify says what is good, or refuses as the protocol does.
func (c verifyCmd) verify(t *tool, key sgip.PublicKey, body []byte) (string, error) {
	header := strings.TrimSpace(c.Header)
	if name, value, ok := strings.Cut(header, ":"); ok && strings.EqualFold(name, sgip.SignatureHeader) {
		header = strings.TrimSpace(value)
	}
	sig, err := sgip.ParseSignature([]string{header})
	if err != nil {
		return "", err
	}
	if c.Verbose {
		t.showSigned(sgip.CanonicalString(c.Method, c.Path, sig.TS, sig.Nonce, body))
	}
	if err := sig.Verify(key, c.Method, c.Path, body); err != nil {
		return "", err
	}
	now := t.at(c.At)
	if !c.AnyTime {
		if err := sig.CheckTime(now); err != nil {
			return "", err
		}
	}
	age := now.Sub(time.Unix(sig.TS, 0)).Round(time.Second)
	return fmt.Sprintf("good: signed by key %s, %s", key.ID, ago(int64(age/time.Second))), nil
}

func ago(seconds int64) string {
	if seconds < 0 {
		return fmt.Sprintf("%d s ahead", -seconds)
	}
	return fmt.Sprintf("%d s ago", seconds)
}
