package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"

	"github.com/gofiber/fiber/v2"
)

//go:embed templates
var shellTemplates embed.FS

// FragmentHeader asks for one part of a page, by its element id.
const FragmentHeader = "X-Fragment"

// KeepHeader names the one large part, marked data-keep, that the page holds
// already: the answer may leave it empty.
const KeepHeader = "X-Keep"

// fragmentID is what the header may hold: an element id, so that it names a
// template of the page and nothing else.
var fragmentID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// pages is one set of templates, shell and site together.
type pages struct {
	set  *template.Template
	name string
}

// document is what the layout is given.
type document struct {
	Title template.HTML
	Page  string
	Site  string
	Bar   template.HTML
	Main  template.HTML
	Data  any
}

func newPages(a *App) (*pages, error) {
	set := template.New("site").Funcs(template.FuncMap{
		"asset": a.Asset,
		"money": FormatMoney,
	})
	set, err := set.ParseFS(shellTemplates, "templates/*.html")
	return &pages{set: set, name: a.options.Name}, err
}

// MountTemplates adds a site's templates, all *.html at the root of fsys. They
// share one set: a template's name is unique, and a site may replace the
// shell's "bar" and "head".
func (a *App) MountTemplates(fsys fs.FS, funcs template.FuncMap) error {
	set, err := a.pages.set.Funcs(funcs).ParseFS(fsys, "*.html")
	if err != nil {
		return fmt.Errorf("site templates: %w", err)
	}
	a.pages.set = set
	return nil
}

// Render answers with the page in its layout, or with the part that the request
// asks for by X-Fragment (which then stands in the answer too, so that the
// script knows it from a whole page).
func (a *App) Render(c *fiber.Ctx, status int, tmpl string, data any) error {
	if id := c.Get(FragmentHeader); fragmentID.MatchString(id) {
		if part := tmpl + "-" + id; a.pages.set.Lookup(part) != nil {
			c.Set(FragmentHeader, id)
			return a.RenderBare(c, status, part, data)
		}
	}
	d := document{Title: template.HTML(template.HTMLEscapeString(a.options.Name)), Page: tmpl, Site: a.options.Name, Data: data}
	if a.pages.set.Lookup(tmpl+"-title") != nil {
		title, err := a.pages.run(tmpl+"-title", data)
		if err != nil {
			return err
		}
		d.Title = title
	}
	var err error
	if d.Main, err = a.pages.run(tmpl, data); err != nil {
		return err
	}
	if d.Bar, err = a.pages.run("bar", data); err != nil {
		return err
	}
	return a.RenderBare(c, status, "layout", d)
}

// RenderBare answers with one template as it is, without the layout.
func (a *App) RenderBare(c *fiber.Ctx, status int, tmpl string, data any) error {
	html, err := a.pages.run(tmpl, data)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Status(status).SendString(string(html))
}

func (p *pages) run(name string, data any) (template.HTML, error) {
	var out bytes.Buffer
	if err := p.set.ExecuteTemplate(&out, name, data); err != nil {
		return "", fmt.Errorf("render %s: %w", name, err)
	}
	return template.HTML(out.String()), nil
}
