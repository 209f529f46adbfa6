package visit

import (
	"context"
	"net/url"
	"strings"

	"sgip.example/starter/sgip"
)

// nobody is the frame-ancestors value of a page that may not be framed.
const nobody = "'none'"

// Page tells who may frame the visit page that the launch URL asks for, and from
// which origins a passport is taken: those the hub's directory lists for home.
// Where nobody can be trusted the page is still good to be shown, and Trouble
// says why; an error is a fault on this side.
func (v *Visits) Page(ctx context.Context, home, visitID string) (Page, error) {
	if !v.c.Mode.ValidPlatform(home) || home == v.c.Host || !sgip.ValidULID(visitID) {
		return Page{Ancestors: nobody, Trouble: sgip.InvalidPayload}, nil
	}
	page := Page{Home: home, VisitID: visitID, Name: home, Ancestors: nobody}
	entry, err := v.c.Seat.Entry(ctx, home)
	if code := sgip.CodeOf(err); code == sgip.NotFound || code == sgip.PlatformOffline {
		page.Trouble = code
		return page, nil
	}
	if err != nil {
		return page, err
	}
	page.Name, page.Icon, page.ReturnURL = entry.Name, entry.Icon, entry.ReturnURL
	for _, origin := range entry.Origins {
		if isOrigin(origin) {
			page.Origins = append(page.Origins, origin)
		}
	}
	if len(page.Origins) > 0 && v.c.Seat.EmbedAllowed() {
		page.Ancestors = strings.Join(page.Origins, " ")
	}
	return page, nil
}

// isOrigin wants scheme and host and nothing else, since the value goes into a
// header and is compared whole.
func isOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return false
	}
	return u.Scheme+"://"+u.Host == origin && !strings.ContainsAny(u.Host, " ;,'\"*")
}
