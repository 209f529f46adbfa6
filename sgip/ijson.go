package sgip

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrTooLarge is the cause of the InvalidPayload for a body over its limit, so
// that Status can say 413.
var ErrTooLarge = errors.New("body too large")

// object holds the members of one JSON object, unread.
type object map[string]jsontext.Value

// readObject reads a whole body as one JSON object under contract 0: at most
// limit bytes, I-JSON (RFC 7493: UTF-8, no duplicate names, no lone surrogates,
// no noncharacters), at most MaxDepth levels, nothing after it. The values are
// views of body. The error is InvalidPayload.
func readObject(body []byte, limit int) (object, error) {
	if len(body) > limit {
		return nil, Wrap(InvalidPayload, ErrTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
	}
	start := bytes.TrimLeft(body, " \t\r\n")
	if len(start) == 0 || start[0] != '{' {
		return nil, Errorf(InvalidPayload, "the body must be one JSON object")
	}
	if tooDeep(body) {
		return nil, Errorf(InvalidPayload, "the body nests deeper than %d levels", MaxDepth)
	}
	o, err := readMembers(body)
	if err != nil {
		return nil, Wrap(InvalidPayload, err, "the body is not I-JSON: "+syntaxFault(err))
	}
	if hasNoncharacter(body) {
		return nil, Errorf(InvalidPayload, "the body is not I-JSON: it holds a noncharacter")
	}
	return o, nil
}

func readMembers(body []byte) (object, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	o := make(object, 16)
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := dec.InputOffset()
		o[key] = body[end-int64(len(value)) : end : end]
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("something follows the object")
		}
		return nil, err
	}
	return o, nil
}

// syntaxFault tells where reading failed without repeating the input.
func syntaxFault(err error) string {
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Sprintf("%v at byte %d", s.Err, s.ByteOffset)
	}
	return "it ends too early or something follows it"
}

// tooDeep counts brackets outside strings. It runs before any parsing, so the
// parser never sees deep nesting.
func tooDeep(body []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
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
		case c == '\\':
			if body[i+1] == 'u' && nonEscape(body[i+2:]) {
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

// nonEscape judges the hex digits after \u. In a surrogate pair the first half
// of a noncharacter ends its ten bits in 1111 at planes' ends and the second is
// DFFE or DFFF.
func nonEscape(hex []byte) bool {
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

// isNull tells null from a value and from absence.
func isNull(v jsontext.Value) bool { return v.Kind() == 'n' }

// text reads a member that must be a string.
func (o object) text(name string) (string, error) {
	v, ok := o[name]
	if !ok {
		return "", Errorf(InvalidPayload, "%s: is missing", name)
	}
	return stringOf(name, v)
}

func stringOf(field string, v jsontext.Value) (string, error) {
	if v.Kind() != '"' {
		return "", Errorf(InvalidPayload, "%s: must be a string", field)
	}
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	out, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return "", Wrap(InvalidPayload, err, field+": must be a string")
	}
	return string(out), nil
}

// integer reads a member that must be a whole number in plain digits.
func (o object) integer(name string) (int64, error) {
	v, ok := o[name]
	if !ok {
		return 0, Errorf(InvalidPayload, "%s: is missing", name)
	}
	return integerOf(name, v)
}

func integerOf(field string, v jsontext.Value) (int64, error) {
	n, ok := plainDigits(string(v))
	if !ok || n > MaxAmount {
		return 0, Errorf(InvalidPayload, "%s: must be a whole number in plain digits, at most %d", field, int64(MaxAmount))
	}
	return n, nil
}

// nested reads a value, already checked as part of a body, that must be an object.
func nested(field string, v jsontext.Value) (object, error) {
	if v.Kind() != '{' {
		return nil, Errorf(InvalidPayload, "%s: must be an object", field)
	}
	o, err := readMembers(v)
	if err != nil {
		return nil, Wrap(InvalidPayload, err, field+": must be an object")
	}
	return o, nil
}

// decodeAny turns a strictly read object into what schemas are checked against:
// maps, slices, strings, bools, nil and numbers as they were written.
func decodeAny(body []byte, limit int) (map[string]any, error) {
	if _, err := readObject(body, limit); err != nil {
		return nil, err
	}
	dec := stdjson.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		return nil, Wrap(InvalidPayload, err, "the body is not JSON")
	}
	return doc, nil
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
