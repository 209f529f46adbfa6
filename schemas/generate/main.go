// Command generate writes common.json from common.json.tmpl and the vocabulary,
// so that the registry stays the single source of the shared words (8.1). Run
// it by `go generate ./schemas`.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"text/template"

	"sgip.example/starter/vocabulary"
)

//go:embed common.json.tmpl
var commonTemplate string

func main() {
	text, err := common(commonTemplate)
	if err == nil {
		err = os.WriteFile("common.json", text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// common lays the words of the vocabulary into the template. An unknown domain
// is an error.
func common(text string) ([]byte, error) {
	words, err := vocabulary.Load()
	if err != nil {
		return nil, err
	}
	tmpl, err := template.New("common.json").Funcs(template.FuncMap{
		"ids": func(domain string) (string, error) {
			ids, err := registered(words, domain)
			return list(ids, "[", "]"), err
		},
		"stats": func(value string) (string, error) {
			ids, err := registered(words, vocabulary.Stats)
			for i, id := range ids {
				ids[i] = fmt.Sprintf(`%s: { "$ref": "#/$defs/%s" }`, id, value)
			}
			return list(ids, "{", "}"), err
		},
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, nil); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// registered lists the ids of a domain, quoted. Deprecated ones are among them:
// they stay valid on the wire.
func registered(words *vocabulary.Registry, domain string) ([]string, error) {
	d, ok := words.Domain(domain)
	if !ok {
		return nil, fmt.Errorf("there is no domain %q", domain)
	}
	ids := make([]string, len(d.Terms))
	for i, term := range d.Terms {
		ids[i] = fmt.Sprintf("%q", term.ID)
	}
	return ids, nil
}

// list writes items one to a line, at the depth of a definition's members.
func list(items []string, begin, end string) string {
	const indent = "\n        "
	return begin + indent + strings.Join(items, ","+indent) + "\n      " + end
}
