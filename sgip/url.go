package sgip

import (
	"errors"
	"net/url"
	"strings"
)

// CheckURL holds raw against section 2: right scheme, no user info, no
// fragment, no query where query is false, host on the platform's domain. The
// error says in words what is wrong; the caller names the field.
func (m Mode) CheckURL(platform, raw string, query bool) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	if !query && strings.Contains(raw, "?") {
		return errors.New("must have no query")
	}
	if u.Scheme != "https" && u.Scheme != m.Scheme(platform) {
		return errors.New("must be https")
	}
	domain, host := domainOf(platform), strings.ToLower(u.Hostname())
	if host != domain && !strings.HasSuffix(host, "."+domain) {
		return errors.New("must be on " + domain + " or one of its subdomains")
	}
	return nil
}

// parseURL reads an absolute web URL in the plainest reading only. Whatever two
// parsers could read in two ways is refused, since a URL that is judged here is
// opened by browsers and clients in other languages.
func parseURL(raw string) (*url.URL, error) {
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c > '~' || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return nil, errors.New("holds a character that a URL can't have")
		}
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return nil, errors.New("must be an absolute https URL")
	}
	if u.User != nil {
		return nil, errors.New("must have no user info")
	}
	if strings.Contains(raw, "#") {
		return nil, errors.New("must have no fragment")
	}
	host, port, hasPort := strings.Cut(u.Host, ":")
	if !validDomain(strings.ToLower(host)) || (hasPort && !validPort(port)) {
		return nil, errors.New("must name a domain, with a port from 1 to 65535 if any")
	}
	if strings.HasPrefix(u.EscapedPath(), "//") {
		return nil, errors.New("must have a path that begins with a single /")
	}
	return u, nil
}

// OriginOf is the origin of an absolute web URL as browsers compare it: lower
// case, without the scheme's own port.
func OriginOf(u *url.URL) string {
	return joinOrigin(u.Scheme, strings.ToLower(u.Host))
}

// joinOrigin leaves out the scheme's own port, as browsers do when they compare.
func joinOrigin(scheme, host string) string {
	if scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}
