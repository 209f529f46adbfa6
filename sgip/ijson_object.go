package sgip

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// skipSpace goes past what may stand between the tokens of JSON.
func skipSpace(raw []byte) []byte {
	for i, c := range raw {
		if !isSpace(c) {
			return raw[i:]
		}
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// object holds the members of one JSON object, unread, in their order. Objects
// on the wire are small, so a list is quicker than a map.
type object []member

type member struct {
	name  []byte // unescaped
	value jsontext.Value
}

// get finds a member by exact case.
func (o object) get(name string) (jsontext.Value, bool) {
	for i := range o {
		if string(o[i].name) == name {
			return o[i].value, true
		}
	}
	return nil, false
}

// members splits an object that is known to be valid JSON.
func members(raw []byte) object {
	o := make(object, 0, min(16, 1+len(raw)/16)) // as many as fit a usual body
	rest := skipSpace(raw[1:])
	for rest[0] != '}' {
		end := valueEnd(rest)
		name := unquote(rest[:end])
		rest = skipSpace(rest[end:])
		rest = skipSpace(rest[1:]) // past the colon
		end = valueEnd(rest)
		o = append(o, member{name: name, value: jsontext.Value(rest[:end:end])})
		rest = nextItem(rest[end:])
	}
	return o
}

// items splits an array that is known to be valid JSON.
func items(raw []byte) []jsontext.Value {
	list := []jsontext.Value{}
	rest := skipSpace(raw[1:])
	for rest[0] != ']' {
		end := valueEnd(rest)
		list = append(list, jsontext.Value(rest[:end:end]))
		rest = nextItem(rest[end:])
	}
	return list
}

// nextItem goes past a comma, or up to the closing bracket.
func nextItem(rest []byte) []byte {
	rest = skipSpace(rest)
	if rest[0] == ',' {
		return skipSpace(rest[1:])
	}
	return rest
}

// valueEnd finds where the value that raw begins with ends. What follows is
// valid JSON, inside an object or array.
func valueEnd(raw []byte) int {
	switch raw[0] {
	case '"':
		return stringEnd(raw)
	case '{', '[':
		return bracketEnd(raw)
	}
	for i, c := range raw {
		if c == ',' || c == '}' || c == ']' || isSpace(c) {
			return i
		}
	}
	return len(raw)
}

func stringEnd(raw []byte) int {
	for i := 1; ; i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

func bracketEnd(raw []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch raw[i] {
		case '"':
			i += stringEnd(raw[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// unquote reads a string that is known to be valid.
func unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	out, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return inner // can't be: the body was checked
	}
	return out
}

// isNull tells null from a value and from absence.
func isNull(v jsontext.Value) bool { return v.Kind() == 'n' }

// text reads a member that must be a string.
func (o object) text(name string) (string, error) {
	v, ok := o.get(name)
	if !ok {
		return "", Errorf(InvalidPayload, "%s: is missing", name)
	}
	return stringOf(name, v)
}

func stringOf(field string, v jsontext.Value) (string, error) {
	if v.Kind() != '"' {
		return "", Errorf(InvalidPayload, "%s: must be a string", field)
	}
	return string(unquote(v)), nil
}

// integer reads a member that must be a whole number in plain digits.
func (o object) integer(name string) (int64, error) {
	v, ok := o.get(name)
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

func (o object) boolean(name string) (bool, error) {
	v, _ := o.get(name)
	switch v.Kind() {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, Errorf(InvalidPayload, "%s: must be true or false", name)
}

// nested reads a value, already checked as part of a body, that must be an object.
func nested(field string, v jsontext.Value) (object, error) {
	if v.Kind() != '{' {
		return nil, Errorf(InvalidPayload, "%s: must be an object", field)
	}
	return members(v), nil
}

// decode turns members into a map of plain values.
func (o object) decode() map[string]any {
	doc := make(map[string]any, len(o))
	for _, m := range o {
		doc[string(m.name)] = plainValue(m.value)
	}
	return doc
}

// plainValue is what a schema is checked against. MaxDepth bounds the recursion.
func plainValue(v jsontext.Value) any {
	switch v.Kind() {
	case '{':
		return members(v).decode()
	case '[':
		list := []any{}
		for _, item := range items(v) {
			list = append(list, plainValue(item))
		}
		return list
	case '"':
		return string(unquote(v))
	case 't':
		return true
	case 'f':
		return false
	case '0':
		return stdjson.Number(v)
	}
	return nil
}
