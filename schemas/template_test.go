package schemas_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	starter "sgip.example/starter"
	"sgip.example/starter/schemas"
)

func TestDescriptorTemplate(t *testing.T) {
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	read := func(t *testing.T) map[string]any {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(starter.DescriptorTemplate())))
		if err != nil {
			t.Fatal(err)
		}
		return doc.(map[string]any)
	}
	t.Run("OK once a game's own is laid in", func(t *testing.T) {
		d := read(t)
		for _, field := range []string{"inbox", "visit", "return"} {
			path, ok := d[field].(string)
			if !ok || !strings.HasPrefix(path, "/") {
				t.Errorf("%s is %v, not a path", field, d[field])
			}
			d[field] = "https://lagos.example" + path
		}
		d["platform_id"] = "lagos.example"
		d["public_keys"] = []any{"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="}
		d["capabilities"] = []any{"hub.ping@1", "player.lookup@1", "message.send@1"}
		if err := set.Check("descriptor", d); err != nil {
			t.Error(err)
		}
	})
	t.Run("OK opens nothing by itself", func(t *testing.T) {
		d := read(t)
		for _, field := range []string{"platform_id", "public_keys", "capabilities", "money", "visitors"} {
			if _, ok := d[field]; ok {
				t.Errorf("the template decides on %s", field)
			}
		}
	})
	t.Run("OK a caller can't change it", func(t *testing.T) {
		clear(starter.DescriptorTemplate())
		read(t)
	})
	t.Run("Err as it is", func(t *testing.T) {
		if set.Check("descriptor", read(t)) == nil {
			t.Error("paths passed for URLs")
		}
	})
}
