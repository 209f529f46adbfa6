// Package schemas holds the JSON Schemas (2020-12) of the protocol, one file
// for each operation and direction, and openapi.yaml, as data for programs in
// any language.
//
// Call Load once at the start and keep the Set. The package checks shapes only:
// which names local mode admits, whose domain a URL is on and what a signature
// covers is the business of package sgip.
package schemas

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:generate go run ./generate

//go:embed *.json ops/*.json openapi.yaml
var files embed.FS

// base is what every file's $id begins with; nothing is ever fetched from it.
const base = "https://sgip.example/schemas/"

// common holds the definitions that the others share.
const common = "common.json"

// Set is every schema, compiled. It may be used from many goroutines.
type Set struct {
	compiled map[string]*jsonschema.Schema
	// titles has the title found at each place of each schema: what a value
	// there must be, in words.
	titles map[string]string
}

// Load compiles all embedded schemas. An error means that the build is broken.
func Load() (*Set, error) {
	c := jsonschema.NewCompiler()
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: base + "plain-integer", Compile: compilePlain})
	c.AssertVocabs()
	s := &Set{compiled: map[string]*jsonschema.Schema{}, titles: map[string]string{}}
	names, err := add(c, s.titles)
	if err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	for _, name := range names {
		compiled, err := c.Compile(base + name)
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", name, err)
		}
		s.compiled[strings.TrimSuffix(path.Base(name), ".json")] = compiled
	}
	return s, nil
}

// add hands every schema file to the compiler and lists those that describe a
// whole document.
func add(c *jsonschema.Compiler, titles map[string]string) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".json" {
			return err
		}
		raw, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		var doc any
		if err := json.Unmarshal(raw, &doc); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name != common {
			names = append(names, name)
		}
		collectTitles(titles, base+name+"#", doc)
		foldIntegers(doc)
		return c.AddResource(base+name, doc)
	})
	return names, err
}

// collectTitles notes the title of each schema under its location.
func collectTitles(titles map[string]string, at string, node any) {
	switch node := node.(type) {
	case map[string]any:
		if title, ok := node["title"].(string); ok {
			titles[at] = title
		}
		for key, child := range node {
			collectTitles(titles, at+"/"+escape.Replace(key), child)
		}
	case []any:
		for i, child := range node {
			collectTitles(titles, fmt.Sprintf("%s/%d", at, i), child)
		}
	}
}

// escape writes a key as a token of a JSON pointer in a URL fragment.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// Has reports whether there is a schema of that name: "envelope", or
// "<op without its version>.payload" and ".result".
func (s *Set) Has(name string) bool {
	_, ok := s.compiled[name]
	return ok
}

// Check holds doc to the schema called name. doc must come from
// jsonschema.UnmarshalJSON, which keeps numbers as they were written. The error
// names one field in plain words and never repeats its value, which may be a
// secret: "payload.amount.amount must be a whole number in plain digits …".
func (s *Set) Check(name string, doc any) error {
	schema, ok := s.compiled[name]
	if !ok {
		return fmt.Errorf("there is no schema called %s", name)
	}
	err := schema.Validate(doc)
	if err == nil {
		return nil
	}
	return s.explain(name, err)
}
