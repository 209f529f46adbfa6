package sgip

// Mode is the naming rule in force. The zero Mode is production.
type Mode struct {
	// Local admits ids under .localhost, with an optional port (contract 2).
	Local bool
	// PlainHTTP says that the hub itself runs plain HTTP, so that names under
	// .localhost may have http URLs. It has no meaning without Local.
	PlainHTTP bool
}

// ValidPlatform reports whether id is a platform id (contract 0): a lower-case
// DNS name of at least two labels, no IP address, no port; in local mode also a
// name under .localhost with an optional port.
func (m Mode) ValidPlatform(id string) bool { panic("unwritten") }

// SplitPlayer splits "tunde@lagos.example"; ok is false for anything else.
func (m Mode) SplitPlayer(player string) (handle, platform string, ok bool) { panic("unwritten") }

// Scheme is "https", or "http" for a name under .localhost beside a plain hub.
func (m Mode) Scheme(platform string) string { panic("unwritten") }

// Origin is the web origin of the platform's own domain.
func (m Mode) Origin(platform string) string { return m.Scheme(platform) + "://" + platform }

// DescriptorURL is where the platform's descriptor is fetched: always port 443
// outside local mode (section 2).
func (m Mode) DescriptorURL(platform string) string {
	return m.Origin(platform) + "/.well-known/sgip.json"
}

// CheckURL holds raw against section 2: right scheme, no user info, no
// fragment, no query where query is false, host on the platform's domain. The
// error says in words what is wrong; the caller names the field.
func (m Mode) CheckURL(platform, raw string, query bool) error { panic("unwritten") }

// ValidHandle reports whether handle is [a-z0-9_]{2,32}.
func ValidHandle(handle string) bool { panic("unwritten") }

// PlayerID is "<handle>@<platform>".
func PlayerID(handle, platform string) string { return handle + "@" + platform }

// Label is the first DNS label of a platform id: what <platform> stands for in
// extensions and game-only currencies.
func Label(platform string) string { panic("unwritten") }

// ValidULID reports whether id is a ULID in its canonical form.
func ValidULID(id string) bool { panic("unwritten") }

// CheckText holds text to contract 0: 1 to max code points, at least one
// visible character, no control characters but newline and tab, no tag. The
// error is InvalidPayload and names field.
func CheckText(field, text string, max int) error { panic("unwritten") }
