package schemas

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fault is one leaf of the library's tree of errors.
type fault struct{ path, words string }

// explain turns the library's tree into one sentence. It takes the first fault
// by path, and of one field's the shortest, since the library finds them in the
// random order of a map.
func (s *Set) explain(name string, err error) error {
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	var faults []fault
	s.collect(&faults, root(name), invalid)
	first := slices.MinFunc(faults, func(a, b fault) int {
		return cmp.Or(strings.Compare(a.path, b.path), len(a.words)-len(b.words), strings.Compare(a.words, b.words))
	})
	return errors.New(first.path + " " + first.words)
}

// root is what a path begins with: payload, result, or nothing for a whole
// document.
func root(name string) string {
	for _, direction := range []string{"payload", "result"} {
		if strings.HasSuffix(name, "."+direction) {
			return direction
		}
	}
	return ""
}

// collect gathers the leaves. Where a choice failed (oneOf, anyOf) the choice
// itself is the leaf: what each branch missed would only confuse.
func (s *Set) collect(faults *[]fault, root string, e *jsonschema.ValidationError) {
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf, *kind.Contains, *kind.Not:
	default:
		if len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				s.collect(faults, root, cause)
			}
			return
		}
	}
	at := e.InstanceLocation
	if missing, ok := e.ErrorKind.(*kind.Required); ok {
		*faults = append(*faults, fault{fieldPath(root, append(slices.Clone(at), slices.Min(missing.Missing))), "is missing"})
		return
	}
	*faults = append(*faults, fault{fieldPath(root, at), s.words(e)})
}

// words says what the value at e must be.
func (s *Set) words(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case plainInteger:
		return k.LocalizedString(nil)
	case *kind.Type:
		return "must be " + typeWords(k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinLength:
		return "must not be empty"
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d in it", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d in it", k.Want)
	case *kind.Enum:
		return "must be one of " + strings.Trim(strings.ReplaceAll(fmt.Sprint(k.Want), " ", ", "), "[]")
	case *kind.AdditionalProperties:
		return "has a name in it that no stat can have"
	}
	if title, ok := s.titles[e.SchemaURL]; ok {
		return "must be " + title
	}
	return "is not as the protocol wants it"
}

// typeWords names JSON types as people do.
func typeWords(want []string) string {
	words := make([]string, len(want))
	for i, name := range want {
		switch name {
		case "string":
			words[i] = "text"
		case "object":
			words[i] = "an object"
		case "array":
			words[i] = "a list"
		case "boolean":
			words[i] = "true or false"
		default:
			words[i] = name
		}
	}
	return strings.Join(words, " or ")
}

// maxPathName is how much of a name that a stranger chose is repeated: ids of
// the vocabulary have at most 32 characters.
const maxPathName = 32

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// fieldPath joins the names on the way to a field: "payload.amount.currency",
// "public_keys[1]".
func fieldPath(root string, tokens []string) string {
	var b strings.Builder
	b.WriteString(root)
	for _, token := range tokens {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
			continue
		case len(token) > maxPathName || !plainName.MatchString(token):
			token = "(a strange name)"
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	if b.Len() == 0 {
		return "the document"
	}
	return b.String()
}
