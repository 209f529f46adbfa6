// Package vocabulary is the registry of shared words (section 8): stats, verbs,
// place kinds, transport modes and relationships, one JSON file for each
// domain. The files are the single source of truth; the wire definitions in
// schemas/common.json are generated from them.
//
// Call Load once at the start. Aliases help people to find a term and are never
// ids on the wire.
package vocabulary

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
)

//go:embed *.json
var files embed.FS

// The domains of 0.1.
const (
	Stats         = "stats"
	Verbs         = "verbs"
	PlaceKinds    = "place_kinds"
	Transport     = "transport"
	Relationships = "relationships"
)

// Term is one shared word. Its ID never changes its meaning.
type Term struct {
	ID          string   `json:"id"`
	Label       string   `json:"label"`
	Description string   `json:"description"`
	Broader     string   `json:"broader,omitempty"` // the more general term, "" at the top
	Aliases     []string `json:"aliases,omitempty"`
	OSM         string   `json:"osm,omitempty"` // OpenStreetMap tag, key=value
	Deprecated  bool     `json:"deprecated,omitempty"`
	ReplacedBy  string   `json:"replaced_by,omitempty"` // set where Deprecated is
	Status      string   `json:"status"`                // proposed or stable
}

// Domain is one kind of words.
type Domain struct {
	Name, Description string
	// Fallback says in words what to do with a term that isn't understood.
	Fallback string
	// FallbackTerm is the term that the rule names, "" where it names none.
	FallbackTerm string
	Terms        []Term
}

// Registry is all domains. It never changes once loaded.
type Registry struct {
	domains map[string]Domain
	terms   map[string]map[string]Term
}

// Load reads the embedded files. An error means that the build is broken.
func Load() (*Registry, error) {
	r := &Registry{domains: map[string]Domain{}, terms: map[string]map[string]Term{}}
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("read vocabulary: %w", err)
	}
	for _, entry := range entries {
		raw, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read vocabulary: %w", err)
		}
		domain, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("read vocabulary %s: %w", entry.Name(), err)
		}
		if domain.Name+".json" != path.Base(entry.Name()) {
			return nil, fmt.Errorf("read vocabulary %s: it calls itself %q", entry.Name(), domain.Name)
		}
		r.add(domain)
	}
	return r, nil
}

// parse reads one file. An unknown field is refused: it would be a typing error
// that nobody notices.
func parse(raw []byte) (Domain, error) {
	var file struct {
		Domain      string `json:"domain"`
		Description string `json:"description"`
		Fallback    struct {
			Rule string `json:"rule"`
			Term string `json:"term"`
		} `json:"fallback"`
		Terms []Term `json:"terms"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return Domain{}, err
	}
	return Domain{
		Name:         file.Domain,
		Description:  file.Description,
		Fallback:     file.Fallback.Rule,
		FallbackTerm: file.Fallback.Term,
		Terms:        file.Terms,
	}, nil
}

func (r *Registry) add(d Domain) {
	r.domains[d.Name] = d
	r.terms[d.Name] = make(map[string]Term, len(d.Terms))
	for _, term := range d.Terms {
		r.terms[d.Name][term.ID] = term
	}
}

// Domains lists the names of the domains in alphabetical order.
func (r *Registry) Domains() []string { return slices.Sorted(maps.Keys(r.domains)) }

// Domain gives a domain with its terms in the file's order; the terms are a copy.
func (r *Registry) Domain(name string) (Domain, bool) {
	d, ok := r.domains[name]
	d.Terms = slices.Clone(d.Terms)
	return d, ok
}

// Has reports whether id is a registered term of domain. A deprecated one still
// is: it stays valid on the wire.
func (r *Registry) Has(domain, id string) bool {
	_, ok := r.terms[domain][id]
	return ok
}

// Term gives a registered term.
func (r *Registry) Term(domain, id string) (Term, bool) {
	term, ok := r.terms[domain][id]
	return term, ok
}

// Resolve finds the term to treat id as, by 8.3: itself where models says so,
// else the nearest broader term that is modelled, else the term of the domain's
// fallback rule where that is modelled. With false, the rule's words are all
// there is to go by.
func (r *Registry) Resolve(domain, id string, models func(id string) bool) (string, bool) {
	for at := id; at != ""; at = r.terms[domain][at].Broader {
		if models(at) {
			return at, true
		}
	}
	if fallback := r.domains[domain].FallbackTerm; fallback != "" && models(fallback) {
		return fallback, true
	}
	return "", false
}
