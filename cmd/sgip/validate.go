package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sgip.example/starter/schemas"
	"sgip.example/starter/sgip"
)

var errNoSchema = errors.New("no such schema: there are envelope, reply, descriptor, hub-key, passport-claims, " +
	"and for each op <op>.payload and <op>.result, like wallet.charge.payload")

type validateCmd struct {
	Local  bool   `help:"Local mode: names under .localhost."`
	Schema string `arg:"" help:"envelope, reply, descriptor, hub-key, passport-claims, or <op>.payload and <op>.result like wallet.charge.payload."`
	File   string `arg:"" help:"The document, - for standard input."`
}

func (c validateCmd) Run(t *tool) error {
	set, err := schemas.Load()
	if err != nil {
		return err
	}
	if !set.Has(c.Schema) {
		return errNoSchema
	}
	body, err := t.read(c.File, sgip.MaxHubReply)
	if err != nil {
		return err
	}
	if err := c.validate(set, body); err != nil {
		return wrong{err}
	}
	return t.say("valid")
}

func (c validateCmd) validate(set *schemas.Set, body []byte) error {
	// A schema judges what a parser made of the text; that it can be read in one
	// way only comes first.
	if !jsontext.Value(body).IsValid() {
		return errors.New("not I-JSON (RFC 7493): one value, UTF-8, no name twice in an object")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if err := set.Check(c.Schema, doc); err != nil {
		return err
	}
	return c.beyond(body)
}

// beyond holds a document to the rules that a schema can't say.
func (c validateCmd) beyond(body []byte) (err error) {
	mode := sgip.Mode{Local: c.Local, PlainHTTP: c.Local}
	switch c.Schema {
	case "envelope":
		_, err = sgip.ParseEnvelope(mode, body)
	case "reply":
		_, err = sgip.ParseReply(body, field(body, "id"), sgip.MaxHubReply)
	case "descriptor":
		_, err = sgip.ParseDescriptor(mode, field(body, "platform_id"), body, true)
	case "hub-key":
		_, _, err = sgip.ParseHubKey(body)
	default:
		if op, ok := strings.CutSuffix(c.Schema, ".payload"); ok {
			err = sgip.CheckPayload(mode, sgip.Op(op+"@1"), body)
		} else if op, ok := strings.CutSuffix(c.Schema, ".result"); ok {
			err = sgip.CheckResult(mode, sgip.Op(op+"@1"), body)
		}
	}
	return err
}

// field is a text field of an object that its schema has judged.
func field(body []byte, name string) string {
	var fields map[string]any
	_ = json.Unmarshal(body, &fields) // it is an object, or the caller's parser says so
	text, _ := fields[name].(string)
	return text
}
