package schemas

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFiles reads every schema as it is published, by name.
func schemaFiles(t *testing.T) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".json" {
			return err
		}
		raw, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		var doc map[string]any
		all[name] = nil
		if err := json.Unmarshal(raw, &doc); err != nil {
			return err
		}
		all[name] = doc
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFiles_Standard: the files are valid 2020-12 for those who don't know our
// keyword, and then differ from ours in nothing but how numbers are written.
func TestFiles_Standard(t *testing.T) {
	c := jsonschema.NewCompiler()
	docs := schemaFiles(t)
	for name, doc := range docs {
		if doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" || doc["$id"] != base+name {
			t.Errorf("%s is called %v of %v", name, doc["$id"], doc["$schema"])
		}
		if err := c.AddResource(base+name, doc); err != nil {
			t.Fatal(err)
		}
	}
	for name := range docs {
		t.Run("OK "+name, func(t *testing.T) {
			if _, err := c.Compile(base + name); err != nil {
				t.Error(err)
			}
		})
	}
	for _, file := range readCases(t) {
		t.Run("OK "+file.Schema+" elsewhere", func(t *testing.T) {
			name := file.Schema + ".json"
			if _, ok := docs[name]; !ok {
				name = "ops/" + name
			}
			compiled, err := c.Compile(base + name)
			if err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(parse(t, string(file.Good))); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFiles_Conventions holds every schema to what the loader and the protocol
// rely on.
func TestFiles_Conventions(t *testing.T) {
	for name, doc := range schemaFiles(t) {
		t.Run("OK "+name, func(t *testing.T) { checkConventions(t, "#", doc) })
	}
}

// costly keywords compare numbers as big rationals or all items with each other,
// which a stranger's document could turn against us; propertyNames reports its
// faults at the wrong place in the library used here.
var costly = []string{"uniqueItems", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "propertyNames"}

func checkConventions(t *testing.T, at string, node any) {
	t.Helper()
	if list, ok := node.([]any); ok {
		for _, child := range list {
			checkConventions(t, at, child)
		}
		return
	}
	schema, ok := node.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range costly {
		if _, ok := schema[keyword]; ok {
			t.Errorf("%s has %s", at, keyword)
		}
	}
	_, isSchema := schema["type"].(string)
	_, hasMin := schema["minimum"]
	_, hasMax := schema["maximum"]
	plain := schema["plainInteger"] == true
	if plain != (schema["type"] == "integer") || schema["type"] == "number" || plain != hasMin || plain != hasMax {
		t.Errorf("%s: numbers are integers with plainInteger, minimum and maximum", at)
	}
	if _, ok := schema["pattern"].(string); ok && isSchema && schema["title"] == nil {
		t.Errorf("%s has a pattern but no title to say it in words", at)
	}
	if _, ok := schema["patternProperties"]; !ok && schema["additionalProperties"] != nil {
		t.Errorf("%s: unknown fields are allowed", at)
	}
	for key, child := range schema {
		if key != "examples" {
			checkConventions(t, at+"/"+key, child)
		}
	}
}

var reference = regexp.MustCompile(`\$ref: "?([^"\s]+)"?`)

// TestOpenAPI_References: the description leads to files and parts that exist,
// and to each document that HTTP carries.
func TestOpenAPI_References(t *testing.T) {
	raw, err := files.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	docs := schemaFiles(t)
	var used []string
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		target := match[1]
		used = append(used, target)
		t.Run("OK "+target, func(t *testing.T) {
			if part, ok := strings.CutPrefix(target, "#/components/"); ok {
				group, name, _ := strings.Cut(part, "/")
				_, block, found := strings.Cut(text, "\n  "+group+":\n")
				if !found || !strings.Contains(block, "\n    "+name+":\n") && !strings.HasPrefix(block, "    "+name+":\n") {
					t.Error("there is no such component")
				}
				return
			}
			file, fragment, _ := strings.Cut(strings.TrimPrefix(target, "./"), "#")
			doc, ok := docs[file]
			if !ok || fragment != "" && lookup(doc, fragment) == nil {
				t.Error("there is no such schema")
			}
		})
	}
	for _, want := range []string{"./envelope.json", "./reply.json", "./descriptor.json", "./hub-key.json"} {
		if !slices.Contains(used, want) {
			t.Errorf("nothing refers to %s", want)
		}
	}
	for name := range docs {
		if op, ok := strings.CutSuffix(path.Base(name), ".payload.json"); ok && !strings.Contains(text, op+"@1") {
			t.Errorf("%s@1 isn't mentioned", op)
		}
	}
}
