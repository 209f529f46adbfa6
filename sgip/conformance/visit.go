package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"sgip.example/starter/sgip/outbound"
)

// launch is the visit URL with home and visit added to the query it may have
// (contract 7.2), and more where given.
func (r *run) launch(more url.Values) string {
	query := url.Values{"home": {r.passport.Home}, "visit": {r.passport.VisitID}}
	for name, values := range more {
		query[name] = values
	}
	joint := "?"
	if strings.Contains(r.doors.Visit, "?") {
		joint = "&"
	}
	return r.doors.Visit + joint + query.Encode()
}

// page fetches the visit page as a browser would.
func (r *run) page(ctx context.Context, more url.Values) (outbound.Response, error) {
	if r.doors.Visit == "" {
		return outbound.Response{}, fmt.Errorf("not fetched: %w", r.doors.visitFault)
	}
	page, err := r.Client.Get(ctx, r.launch(more), maxPage)
	if err != nil {
		return outbound.Response{}, fmt.Errorf("the page %s", trouble(err, checkWithin))
	}
	return page, nil
}

func (r *run) checkVisitPage(ctx context.Context) (string, error) {
	page, err := r.page(ctx, nil)
	switch {
	case err != nil:
		return "", err
	case redirects(page):
		return "", fmt.Errorf("status %d: the visit page must be served at its own URL, without a redirect", page.Status)
	case page.Status != http.StatusOK:
		return "", fmt.Errorf("status %d, wanted 200 with home and visit in the query; neither needs to be known for the page to load", page.Status)
	case mediaType(page) != "text/html":
		return "", errors.New("must be served as Content-Type: text/html")
	case len(bytes.TrimSpace(page.Body)) == 0:
		return "", errors.New("the page is empty")
	}
	return "loads", nil
}

// checkVisitQueryPassport puts a good passport where none may be taken from. A
// game that refuses the request as a whole passes as well as one that ignores
// what it doesn't know.
func (r *run) checkVisitQueryPassport(ctx context.Context) (string, error) {
	page, err := r.page(ctx, url.Values{"passport": {r.token}, "token": {r.token}})
	switch {
	case err != nil:
		return "", err
	case len(page.Header.Values("Set-Cookie")) > 0:
		return "", errors.New("a cookie was set for a passport in the query; a passport is taken by message or fragment only (7.2)")
	case redirects(page):
		return "", fmt.Errorf("status %d: a passport in the query led elsewhere; ignore what else is in the query (7.2)", page.Status)
	case shows(page, r.token):
		return "", errors.New("the answer repeats the passport from the query")
	case shows(page, r.name):
		return "", errors.New("the answer greets the player by the name in the query's passport, so it was read; " +
			"a passport is taken by message or fragment only (7.2)")
	}
	return "not taken", nil
}

func redirects(page outbound.Response) bool { return page.Status >= 300 && page.Status < 400 }

// shows looks for text in the whole answer.
func shows(page outbound.Response, text string) bool {
	if text == "" {
		return false
	}
	for _, values := range page.Header {
		if strings.Contains(strings.Join(values, "\n"), text) {
			return true
		}
	}
	return bytes.Contains(page.Body, []byte(text))
}

// checkVisitHeaders looks at what decides whether the page works in a frame and
// keeps its secrets (contract 7.2).
func (r *run) checkVisitHeaders(ctx context.Context) (string, error) {
	page, err := r.page(ctx, nil)
	if err != nil {
		return "", err
	}
	var faults []error
	fault := func(wrong bool, words string) {
		if wrong {
			faults = append(faults, errors.New(words))
		}
	}
	get := func(name string) string { return strings.Join(page.Header.Values(name), ", ") }
	opener := get("Cross-Origin-Opener-Policy")
	fault(get("X-Frame-Options") != "", "X-Frame-Options blocks the frame; use frame-ancestors alone")
	fault(!strings.Contains(get("Content-Security-Policy"), "frame-ancestors"),
		"Content-Security-Policy needs frame-ancestors: the home's origins in the directory, or 'none'")
	fault(opener != "" && opener != "unsafe-none", "Cross-Origin-Opener-Policy must be unsafe-none, or a visit in a tab loses its opener")
	fault(get("Referrer-Policy") != "no-referrer", "Referrer-Policy must be no-referrer")
	fault(!strings.Contains(get("Cache-Control"), "no-store"), "Cache-Control must be no-store")
	if err := joined(faults); err != nil {
		return "", err
	}
	return "as a page that is framed needs them", nil
}
