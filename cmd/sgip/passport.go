package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sgip.example/starter/sgip"
)

// spaceAround is how much white space may surround a token on standard input.
const spaceAround = 64

type passportCmd struct {
	PublicKey string `xor:"key" placeholder:"BASE64" help:"The hub's public key."`
	HubFile   string `xor:"key" placeholder:"FILE" help:"The hub's key file, as it serves it at /.well-known/sgip-hub.json."`
	Host      string `placeholder:"PLATFORM" help:"The game that checks it. Left out: whichever the passport is for."`
	At        *int64 `placeholder:"SECONDS" help:"Unix time to judge by; now unless given."`
	Local     bool   `help:"Local mode: names under .localhost."`
}

// Help is what kong shows below the flags.
func (passportCmd) Help() string {
	return "The token comes on standard input, never as an argument: arguments are seen by others and kept in histories. " +
		"Its claims go to standard output, checked or not."
}

func (c passportCmd) Run(t *tool) error {
	raw, err := t.read("-", sgip.MaxPassport+spaceAround)
	if err != nil {
		return err
	}
	key, given, err := c.key(t)
	if err != nil {
		return err
	}
	token := string(bytes.TrimSpace(raw))
	claims, err := decodeClaims(token)
	if err != nil {
		return wrong{err}
	}
	if err := t.say(string(claims)); err != nil {
		return err
	}
	if !given {
		fmt.Fprintln(t.err, "not checked: give the hub's key by --public-key or --hub-file")
		return nil
	}
	return c.verify(t, key, token, claims)
}

// key is the hub's, and whether one was given.
func (c passportCmd) key(t *tool) (key sgip.PublicKey, given bool, err error) {
	switch {
	case c.PublicKey != "":
		if key, err = sgip.ParsePublicKey(c.PublicKey); err != nil {
			return key, false, fmt.Errorf("--public-key: %s", sgip.AsError(err).Message)
		}
		return key, true, nil
	case c.HubFile != "":
		if c.HubFile == "-" {
			return key, false, errors.New("--hub-file: standard input holds the passport")
		}
		body, err := t.read(c.HubFile, sgip.MaxBody)
		if err != nil {
			return key, false, err
		}
		file, key, err := sgip.ParseHubKey(body)
		if err != nil {
			return key, false, fmt.Errorf("--hub-file: %s", sgip.AsError(err).Message)
		}
		expires, err := file.Expires()
		if err == nil && !t.at(c.At).Before(expires) {
			return key, false, wrong{fmt.Errorf("the hub's key expired at %s, and nothing it signed counts (6.1)", file.ExpiresAt)}
		}
		return key, true, err
	}
	return key, false, nil
}

func (c passportCmd) verify(t *tool, key sgip.PublicKey, token string, claims []byte) error {
	host := c.Host
	if host == "" {
		var peek struct {
			Host string `json:"aud"`
		}
		// Claims of another shape are refused below, in the protocol's words.
		_ = json.Unmarshal(claims, &peek)
		host = peek.Host
	}
	now := t.at(c.At)
	p, err := sgip.VerifyPassport(sgip.Mode{Local: c.Local}, key, token, host, now)
	if err != nil {
		return wrong{err}
	}
	left := time.Unix(p.Expires, 0).Sub(now).Truncate(time.Second)
	fmt.Fprintf(t.err, "good: %s may visit %s for another %s\n", p.Guest(), p.Host, left)
	return nil
}

// decodeClaims reads the claims, trusting nothing, for being shown.
func decodeClaims(token string) ([]byte, error) {
	if _, err := sgip.PassportKeyID(token); err != nil {
		return nil, err
	}
	parts := strings.Split(token, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	if err != nil {
		return nil, errors.New("the claims aren't base64url")
	}
	var shown bytes.Buffer
	if err := json.Indent(&shown, raw, "", "  "); err != nil {
		return nil, errors.New("the claims aren't JSON")
	}
	return shown.Bytes(), nil
}
