package sgip

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrTooLarge is the cause of the InvalidPayload for a body over its limit, so
// that Status can say 413.
var ErrTooLarge = errors.New("body too large")

// readObject reads a whole body as one JSON object under contract 0: at most
// limit bytes, I-JSON (RFC 7493: UTF-8, no duplicate names, no lone surrogates,
// no noncharacters), at most MaxDepth levels, nothing after it. What it returns
// are views of body. The error is InvalidPayload.
func readObject(body []byte, limit int) (object, error) {
	if len(body) > limit {
		return nil, Wrap(InvalidPayload, ErrTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
	}
	start := skipSpace(body)
	if len(start) == 0 || start[0] != '{' {
		return nil, Errorf(InvalidPayload, "the body must be one JSON object")
	}
	if tooDeep(body) {
		return nil, Errorf(InvalidPayload, "the body nests deeper than %d levels", MaxDepth)
	}
	if !jsontext.Value(body).IsValid() {
		return nil, syntaxFault(body)
	}
	if hasNoncharacter(body) {
		return nil, Errorf(InvalidPayload, "the body is not I-JSON: it holds a noncharacter")
	}
	return members(start), nil
}

// syntaxFault reads a bad body again to tell what is wrong and where, without
// repeating the input.
func syntaxFault(body []byte) *Error {
	var v jsontext.Value
	err := json.Unmarshal(body, &v)
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return Wrap(InvalidPayload, err, fmt.Sprintf("the body is not I-JSON: %v at byte %d", s.Err, s.ByteOffset))
	}
	return Wrap(InvalidPayload, err, "the body is not I-JSON")
}

// tooDeep counts brackets outside strings. It runs before any parsing, so the
// parser never sees deep nesting.
func tooDeep(body []byte) bool {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// hasNoncharacter looks for U+FDD0 to U+FDEF and U+xxFFFE, U+xxFFFF, which
// RFC 7493 2.1 refuses, written out or escaped. body is valid JSON.
func hasNoncharacter(body []byte) bool {
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c < 0xEF && c != '\\':
		case c == '\\':
			if body[i+1] == 'u' && escapesNoncharacter(body[i+2:]) {
				return true
			}
			i++
		case c == 0xEF:
			if (body[i+1] == 0xB7 && body[i+2] >= 0x90 && body[i+2] <= 0xAF) || (body[i+1] == 0xBF && body[i+2] >= 0xBE) {
				return true
			}
		case c >= 0xF0:
			if body[i+1]&0x0F == 0x0F && body[i+2] == 0xBF && body[i+3] >= 0xBE {
				return true
			}
		}
	}
	return false
}

// escapesNoncharacter judges the hex digits after \u. The last two characters
// of a plane are, as surrogates, a first half whose low six bits are all set
// and then DFFE or DFFF.
func escapesNoncharacter(hex []byte) bool {
	unit := hexUnit(hex)
	if unit >= 0xFDD0 && unit <= 0xFDEF || unit >= 0xFFFE {
		return true
	}
	if unit < 0xD800 || unit > 0xDBFF {
		return false
	}
	return unit&0x3F == 0x3F && hexUnit(hex[6:]) >= 0xDFFE
}

func hexUnit(hex []byte) int {
	unit := 0
	for _, c := range hex[:4] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		unit = unit<<4 | int(c)
	}
	return unit
}

// decodeAny reads a body strictly into what schemas are checked against: maps,
// slices, strings, bools, nil and numbers as they were written.
func decodeAny(body []byte, limit int) (map[string]any, error) {
	o, err := readObject(body, limit)
	if err != nil {
		return nil, err
	}
	return o.decode(), nil
}

// unmarshal fills v from JSON that has passed its checks.
func unmarshal(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return Wrap(InvalidPayload, err, "a field is of the wrong kind")
	}
	return nil
}

// Marshal writes v as it goes on the wire: the same value always gives the same
// bytes, an empty list is [] and an empty map {}, never null.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, json.Deterministic(true)) }
