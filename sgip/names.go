package sgip

import "strings"

// Mode is the naming rule in force. The zero Mode is production.
type Mode struct {
	// Local admits ids under .localhost, with an optional port (contract 2).
	Local bool
	// PlainHTTP says that the hub itself runs plain HTTP, so that names under
	// .localhost may have http URLs. It has no meaning without Local.
	PlainHTTP bool
}

// Limits of DNS (RFC 1035 2.3.4), in ASCII characters.
const (
	maxDomain   = 253
	maxDNSLabel = 63
)

// ValidPlatform reports whether id is a platform id (contract 0): a lower-case
// DNS name of at least two labels, no IP address, no port; in local mode also a
// name under .localhost with an optional port.
func (m Mode) ValidPlatform(id string) bool {
	host, port, hasPort := strings.Cut(id, ":")
	if !validDomain(host) {
		return false
	}
	if !isLocalhost(host) {
		return !hasPort
	}
	return m.Local && (!hasPort || validPort(port))
}

// SplitPlayer splits "tunde@lagos.example"; ok is false for anything else.
func (m Mode) SplitPlayer(player string) (handle, platform string, ok bool) {
	handle, platform, ok = strings.Cut(player, "@")
	if !ok || !ValidHandle(handle) || !m.ValidPlatform(platform) {
		return "", "", false
	}
	return handle, platform, true
}

// Scheme is "https", or "http" for a name under .localhost beside a plain hub.
func (m Mode) Scheme(platform string) string {
	if m.Local && m.PlainHTTP && isLocalhost(domainOf(platform)) {
		return "http"
	}
	return "https"
}

// Origin is the web origin of the platform's own domain, written as browsers
// write it: without the scheme's own port.
func (m Mode) Origin(platform string) string {
	return joinOrigin(m.Scheme(platform), platform)
}

// DescriptorURL is where the platform's descriptor is fetched: always port 443
// outside local mode (section 2).
func (m Mode) DescriptorURL(platform string) string {
	return m.Origin(platform) + "/.well-known/sgip.json"
}

// ValidHandle reports whether handle is [a-z0-9_]{2,32}.
func ValidHandle(handle string) bool {
	if len(handle) < 2 || len(handle) > 32 {
		return false
	}
	for i := range len(handle) {
		if !isLowerDigit(handle[i]) && handle[i] != '_' {
			return false
		}
	}
	return true
}

// PlayerID is "<handle>@<platform>".
func PlayerID(handle, platform string) string { return handle + "@" + platform }

// Label is the first DNS label of a platform id: what <platform> stands for in
// extensions and game-only currencies.
func Label(platform string) string {
	label, _, _ := strings.Cut(platform, ".")
	return label
}

// ValidULID reports whether id is a ULID in its canonical form: 26 characters
// of Crockford's base32 in capitals that fit 128 bits. Look-alikes that lenient
// parsers fold (I, L, O, small letters) are refused.
func ValidULID(id string) bool {
	if len(id) != 26 || id[0] > '7' {
		return false
	}
	for i := range len(id) {
		if !isCrockford(id[i]) {
			return false
		}
	}
	return true
}

func isCrockford(c byte) bool {
	switch {
	case c >= '0' && c <= '9':
		return true
	case c < 'A' || c > 'Z':
		return false
	}
	return c != 'I' && c != 'L' && c != 'O' && c != 'U'
}

// validDomain holds a name to the form of contract 0. A last label that begins
// with a digit is refused: no top-level domain does, and browsers and resolvers
// take such names for IPv4 addresses in one of their odd spellings (0x7f.1).
func validDomain(name string) bool {
	if len(name) > maxDomain {
		return false
	}
	labels := 0
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if !validDNSLabel(label) {
			return false
		}
		labels++
		last = label
	}
	return labels >= 2 && isLower(last[0])
}

func validDNSLabel(label string) bool {
	if label == "" || len(label) > maxDNSLabel || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return onlyLabelBytes(label)
}

// validLabel is the label of contract 0, as it stands in extensions and
// game-only currencies.
func validLabel(label string) bool {
	return label != "" && len(label) <= maxDNSLabel && label[0] != '-' && onlyLabelBytes(label)
}

func onlyLabelBytes(label string) bool {
	for i := range len(label) {
		if !isLowerDigit(label[i]) && label[i] != '-' {
			return false
		}
	}
	return true
}

// validPort is 1 to 65535 in plain digits.
func validPort(port string) bool {
	n, ok := plainDigits(port)
	return ok && n >= 1 && n <= 65535
}

func isLocalhost(domain string) bool { return strings.HasSuffix(domain, ".localhost") }

// domainOf is the id without a local port.
func domainOf(platform string) string {
	domain, _, _ := strings.Cut(platform, ":")
	return domain
}

func isDigit(c byte) bool      { return c >= '0' && c <= '9' }
func isLower(c byte) bool      { return c >= 'a' && c <= 'z' }
func isLowerDigit(c byte) bool { return isLower(c) || isDigit(c) }

// validWord is [a-z][a-z0-9_]*, the shape of op words.
func validWord(word string) bool {
	if word == "" || !isLower(word[0]) {
		return false
	}
	for i := range len(word) {
		if !isLowerDigit(word[i]) && word[i] != '_' {
			return false
		}
	}
	return true
}

// maxDigits keeps plainDigits inside an int64.
const maxDigits = 18

// plainDigits reads a whole number without sign, fraction, exponent or leading
// zero: the only spelling of a number that this protocol knows.
func plainDigits(text string) (int64, bool) {
	if text == "" || len(text) > maxDigits || (text[0] == '0' && len(text) > 1) {
		return 0, false
	}
	var n int64
	for i := range len(text) {
		if !isDigit(text[i]) {
			return 0, false
		}
		n = n*10 + int64(text[i]-'0')
	}
	return n, true
}
