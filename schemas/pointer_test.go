package schemas

import (
	"strconv"
	"strings"
	"testing"
)

// pointers lists every place in doc, the whole included, as JSON pointers. The
// names in test documents need no escaping.
func pointers(doc any, at string) []string {
	all := []string{at}
	switch doc := doc.(type) {
	case map[string]any:
		for name, child := range doc {
			all = append(all, pointers(child, at+"/"+name)...)
		}
	case []any:
		for i, child := range doc {
			all = append(all, pointers(child, at+"/"+strconv.Itoa(i))...)
		}
	}
	return all
}

func lookup(doc any, at string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
		switch node := doc.(type) {
		case map[string]any:
			if token != "" {
				doc = node[token]
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(node) {
				return nil
			}
			doc = node[i]
		}
	}
	return doc
}

// put sets the value at a pointer and gives the document back; "" is the whole.
func put(t *testing.T, doc any, at string, value any) any {
	t.Helper()
	if at == "" {
		return value
	}
	cut := strings.LastIndex(at, "/")
	switch parent := lookup(doc, at[:cut]).(type) {
	case map[string]any:
		parent[at[cut+1:]] = value
	case []any:
		i, err := strconv.Atoi(at[cut+1:])
		if err != nil || i >= len(parent) {
			t.Fatalf("nothing to change at %s", at)
		}
		parent[i] = value
	default:
		t.Fatalf("nothing to change at %s", at)
	}
	return doc
}

// drop removes the field at a pointer, which must be there.
func drop(t *testing.T, doc any, at string) any {
	t.Helper()
	cut := strings.LastIndex(at, "/")
	parent, ok := lookup(doc, at[:cut]).(map[string]any)
	if _, there := parent[at[cut+1:]]; !ok || !there {
		t.Fatalf("nothing to drop at %s", at)
	}
	delete(parent, at[cut+1:])
	return doc
}
