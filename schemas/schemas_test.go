package schemas

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// caseFile is one element of a file in testdata: a document that its schema
// takes, and what one change to it leads to.
type caseFile struct {
	Schema string          `json:"schema"`
	Good   json.RawMessage `json:"good"`
	Cases  []struct {
		Name   string          `json:"name"`
		Why    string          `json:"why"`
		At     string          `json:"at"` // JSON pointer into good
		Put    json.RawMessage `json:"put"`
		Drop   bool            `json:"drop"`
		Expect string          `json:"expect"` // accepted or refused
		Error  string          `json:"error"`  // how the refusal begins
	} `json:"cases"`
}

var load = sync.OnceValues(Load)

func set(t *testing.T) *Set {
	t.Helper()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readCases(t *testing.T) []caseFile {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	var all []caseFile
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		var files []caseFile
		if err := dec.Decode(&files); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, files...)
	}
	return all
}

func parse(t *testing.T, raw string) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return doc
}

// TestSet_Check runs the case files.
func TestSet_Check(t *testing.T) {
	s := set(t)
	for _, file := range readCases(t) {
		t.Run(file.Schema, func(t *testing.T) {
			if err := s.Check(file.Schema, parse(t, string(file.Good))); err != nil {
				t.Fatalf("the good document is refused: %v", err)
			}
			for _, c := range file.Cases {
				label := map[string]string{"accepted": "OK ", "refused": "Err "}[c.Expect]
				if label == "" || c.Name == "" || c.Why == "" || c.Drop == (c.Put != nil) {
					t.Fatalf("case %q: name, why, put or drop, and expect accepted or refused", c.Name)
				}
				t.Run(label+c.Name, func(t *testing.T) {
					doc := parse(t, string(file.Good))
					if c.Drop {
						doc = drop(t, doc, c.At)
					} else {
						doc = put(t, doc, c.At, parse(t, string(c.Put)))
					}
					judge(t, s.Check(file.Schema, doc), c.Expect, c.Error)
				})
			}
		})
	}
}

func judge(t *testing.T, err error, expect, words string) {
	t.Helper()
	switch {
	case expect == "accepted" && err != nil:
		t.Errorf("refused: %v", err)
	case expect == "refused" && err == nil:
		t.Error("accepted")
	case expect == "refused" && !strings.HasPrefix(err.Error(), words):
		t.Errorf("refused with %q, want %q", err, words)
	}
}

// TestSet_Has holds the list of operations: each has both schemas, each schema
// has a good document and a case that refuses.
func TestSet_Has(t *testing.T) {
	s := set(t)
	names := []string{"envelope", "reply", "descriptor", "hub-key", "passport-claims"}
	for _, op := range []string{
		"hub.hello", "hub.check", "platform.directory", "visit.request", "wallet.balance", "wallet.charge",
		"wallet.refund", "hub.ping", "player.lookup", "message.send", "player.profile", "invite.send",
		"place.status", "visit.end", "wallet.read", "wallet.debit", "wallet.credit",
	} {
		names = append(names, op+".payload", op+".result")
	}
	refusing := map[string]bool{}
	for _, file := range readCases(t) {
		for _, c := range file.Cases {
			refusing[file.Schema] = refusing[file.Schema] || c.Expect == "refused"
		}
	}
	for _, name := range names {
		t.Run("OK "+name, func(t *testing.T) {
			if !s.Has(name) {
				t.Error("there is no such schema")
			}
			if !refusing[name] {
				t.Error("no case shows it refuse")
			}
		})
	}
	t.Run("OK nothing else", func(t *testing.T) {
		for name := range s.compiled {
			if !slices.Contains(names, name) {
				t.Errorf("%s is no operation of 0.1", name)
			}
		}
	})
	t.Run("Err unknown", func(t *testing.T) {
		if s.Has("market.open.payload") || s.Check("market.open.payload", map[string]any{}) == nil {
			t.Error("an unknown schema was found")
		}
	})
}

// TestSet_Check_EveryField changes every field of every good document in the
// ways that no field allows.
func TestSet_Check_EveryField(t *testing.T) {
	s := set(t)
	for _, file := range readCases(t) {
		t.Run(file.Schema, func(t *testing.T) {
			for _, at := range pointers(parse(t, string(file.Good)), "") {
				checkField(t, s, file, at)
			}
		})
	}
}

func checkField(t *testing.T, s *Set, file caseFile, at string) {
	t.Helper()
	try := func(change string, at string, value any) error {
		return s.Check(file.Schema, put(t, parse(t, string(file.Good)), at, value))
	}
	refuse := func(change string, value any) {
		t.Helper()
		if try(change, at, value) == nil {
			t.Errorf("%s taken at %q", change, at)
		}
	}
	if !mayBeNull(file, at) {
		refuse("null is", nil)
	}
	switch lookup(parse(t, string(file.Good)), at).(type) {
	case json.Number:
		for _, written := range []string{"1.0", "1e0", "1E1", "-0", "0.5", "1e999999", "9007199254740992", "-9007199254740992"} {
			refuse(written+" is", json.Number(written))
		}
		refuse("text is", "1")
	case map[string]any:
		// Stats are a map of names, so a strange name is no unknown field there.
		if !strings.HasSuffix(at, "/stats") {
			if err := try("an unknown field", at+"/x_later", nil); err != nil {
				t.Errorf("an unknown field at %q is refused: %v", at, err)
			}
		}
		refuse("a list is", []any{})
	case []any:
		refuse("an object is", map[string]any{})
	default:
		refuse("an object is", map[string]any{})
	}
}

// mayBeNull: only reply_to and the id of a reply that is no ok.
func mayBeNull(file caseFile, at string) bool {
	return file.Schema == "envelope" && at == "/reply_to" ||
		file.Schema == "reply" && at == "/id" && bytes.Contains(file.Good, []byte(`"ok": false`))
}

func TestSet_Check_Length(t *testing.T) {
	s := set(t)
	for _, c := range []struct {
		name, letter string
		count        int
		expect       string
	}{
		{"OK 1000", "e", 1000, "accepted"},
		{"OK 1000 of four bytes each", "😀", 1000, "accepted"},
		{"Err 1001", "e", 1001, "refused"},
		{"Err 1001 of four bytes each", "😀", 1001, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Check("message.send.payload", map[string]any{"text": strings.Repeat(c.letter, c.count)})
			judge(t, err, c.expect, "payload.text must have at most 1000 characters")
		})
	}
}

// TestSet_Check_Secret: what is refused may be a passport, so no error repeats it.
func TestSet_Check_Secret(t *testing.T) {
	s := set(t)
	t.Run("Err says the field alone", func(t *testing.T) {
		doc := map[string]any{"sgip": "0.1", "public_key": "hush", "key_id": "hush", "expires_at": "hush", "ops": "hush"}
		if err := s.Check("hub-key", doc); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("Err hides strange names", func(t *testing.T) {
		doc := map[string]any{"accepted": map[string]any{"stats": map[string]any{strings.Repeat("a", 32) + "\x1b[31m": true}}}
		if err := s.Check("visit.end.result", doc); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("Err is the same each time", func(t *testing.T) {
		first := s.Check("wallet.debit.payload", map[string]any{"host": 1})
		for range 50 {
			if again := s.Check("wallet.debit.payload", map[string]any{"host": 1}); again.Error() != first.Error() {
				t.Fatalf("%q, then %q", first, again)
			}
		}
	})
}
