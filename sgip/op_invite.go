package sgip

// MaxLabel is how many code points a label may have (contract 0).
const MaxLabel = 140

// InvitePayload is the payload of invite.send@1: to do something, by a shared
// verb and in the sender's own words; where, of what kind that place is, when
// (RFC 3339, UTC) and a few lines more.
type InvitePayload struct {
	Verb      string `json:"verb"`
	Label     string `json:"label"`
	Place     string `json:"place,omitempty"`
	PlaceKind string `json:"place_kind,omitempty"`
	At        string `json:"at,omitempty"`
	Text      string `json:"text,omitempty"`
}

// InviteResult answers it.
type InviteResult struct {
	Received bool `json:"received"`
}
