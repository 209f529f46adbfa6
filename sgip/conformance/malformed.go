package conformance

import (
	"strings"

	"sgip.example/starter/sgip"
)

// spoiled is one way of getting an envelope wrong. spoil makes it of the text of
// a good one, of which id is the id.
type spoiled struct {
	what  string
	spoil func(good []byte, id string) []byte
}

// malformed are the ways that parsers are known to let through (contract 0, 4).
func malformed() []spoiled {
	whole := func(text string) func([]byte, string) []byte {
		return func([]byte, string) []byte { return []byte(text) }
	}
	return []spoiled{
		{"a body that isn't JSON", whole("hello")},
		{"a body that is a list", whole("[]")},
		{"a body that is null", whole("null")},
		{"an envelope without id", func(good []byte, id string) []byte { return replaced(good, `"id":"`+id+`",`, ``) }},
		{"an id that isn't a ULID", func(good []byte, id string) []byte { return replaced(good, id, strings.ToLower(id)) }},
		{"an op without a version", func(good []byte, _ string) []byte { return replaced(good, "hub.ping@1", "hub.ping") }},
		{"a field twice", func(good []byte, _ string) []byte {
			return replaced(good, `"op":"hub.ping@1",`, `"op":"hub.ping@1","op":"hub.ping@1",`)
		}},
		{"an envelope without payload", func(good []byte, _ string) []byte { return replaced(good, `,"payload":{}`, ``) }},
		{"a payload of null", func(good []byte, _ string) []byte { return replaced(good, `"payload":{}`, `"payload":null`) }},
		{"something after the envelope", func(good []byte, _ string) []byte { return append(good, "{}"...) }},
		{"JSON that nests too deep", func(good []byte, _ string) []byte {
			levels := sgip.MaxDepth - 1 // envelope and payload make two, so this is one too many
			return replaced(good, `"payload":{}`, `"payload":{"x":`+strings.Repeat("[", levels)+strings.Repeat("]", levels)+`}`)
		}},
	}
}

func replaced(good []byte, old, new string) []byte {
	return []byte(strings.Replace(string(good), old, new, 1))
}
