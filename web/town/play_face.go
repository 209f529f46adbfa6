package town

import (
	"fmt"
	"hash/fnv"
	"html/template"
)

// portrait is a passport photo: an engraving in one ink on a tinted ground,
// always the same for the same person.
func portrait(id any) template.HTML {
	h := fnv.New32a()
	fmt.Fprint(h, id)
	n := h.Sum32()
	hair := []string{
		`<path d="M13 19q-1-10 9-10t9 10q-2-5-5-6-6 3-13 6z"/>`,
		`<path d="M12 22q-3-15 10-15t10 15l-1 9q-1-12-3-15-8 1-12 0-2 3-3 15z"/>`,
		`<circle cx="22" cy="8" r="4.500"/><path d="M13 20q-1-10 9-10t9 10q-3-5-9-5t-9 5z"/>`,
		`<path d="M11 20q-3-4 0-7 0-4 4-4 2-4 7-3 5-1 7 3 4 0 4 4 3 3 0 7-2-7-11-6-9-1-11 6z"/>`,
		`<path d="M12 17q10-5 20 0l1-3q-1-7-11-7t-11 7z"/><path d="M10 17q12-4 24 0v2q-12-4-24 0z"/>`,
		`<path d="M13 19q0-9 9-9 8 0 9 8l-3-2-1-3-3 3-3-3-3 3-3-1z"/>`,
	}[n%6]
	collar := []string{"M16 39l6 6 6-6", "M15 39q7 7 14 0", "M22 40v12M16 38l6 5 6-5"}[n/6%3]
	return template.HTML(fmt.Sprintf(`<svg class="face tint-%d" viewBox="0 0 44 52" aria-hidden="true"><rect class="f-ground" width="44" height="52"/><path class="f-lines" d="M0 8h44M0 16h44M0 24h44M0 32h44M0 40h44"/><g class="f-ink"><path d="M6 52q0-13 11-14l1-5h8l1 5q11 1 11 14z"/>%s</g><path class="f-skin" d="M14 20q0-8 8-8t8 8q0 13-8 14-8-1-8-14z"/><g class="f-ink">%s</g><path class="f-line" d="%s M18.500 23h.01M25.500 23h.01M19.500 28.500q2.500 2 5 0"/></svg>`,
		n/18%6, "", hair, collar))
}
