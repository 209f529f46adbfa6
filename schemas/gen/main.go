// Command gen writes common.json from common.json.tmpl and the vocabulary, so
// that the registry stays the single source of the shared words (8.1). Run it
// by `go generate ./schemas`.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed common.json.tmpl
var commonTemplate string

func main() {
	text, err := common("../vocabulary")
	if err == nil {
		err = os.WriteFile("common.json", text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// common lays the words of the vocabulary in folder into the template.
func common(folder string) ([]byte, error) {
	tmpl, err := template.New("common.json").Funcs(template.FuncMap{
		"ids": func(domain string) (string, error) {
			ids, err := registered(folder, domain)
			return list(ids, "[", "]"), err
		},
		"stats": func(value string) (string, error) {
			ids, err := registered(folder, "stats")
			for i, id := range ids {
				ids[i] = fmt.Sprintf(`%s: { "$ref": "#/$defs/%s" }`, id, value)
			}
			return list(ids, "{", "}"), err
		},
	}).Parse(commonTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, nil); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// registered reads the ids of a domain, quoted. Deprecated ones are among them:
// they stay valid on the wire.
func registered(folder, domain string) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(folder, domain+".json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Terms []struct {
			ID string `json:"id"`
		} `json:"terms"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", domain, err)
	}
	ids := make([]string, len(file.Terms))
	for i, term := range file.Terms {
		ids[i] = fmt.Sprintf("%q", term.ID)
	}
	return ids, nil
}

// list writes items one to a line, at the depth of a definition's members.
func list(items []string, begin, end string) string {
	const indent = "\n        "
	return begin + indent + strings.Join(items, ","+indent) + "\n      " + end
}
