package sgip

// Profile is how a home game shows its traveller.
type Profile struct {
	Name   string         `json:"name,omitempty"`
	Avatar string         `json:"avatar,omitempty"`
	Stats  map[string]int `json:"stats,omitempty"`
}

// VisitRequestPayload asks for a passport; with VisitID it refreshes one.
type VisitRequestPayload struct {
	Host    string   `json:"host"`
	VisitID string   `json:"visit_id,omitempty"`
	Budget  *Money   `json:"budget,omitempty"`
	Scope   []string `json:"scope,omitempty"`
	Profile *Profile `json:"profile,omitempty"`
}

// VisitRequestResult answers it. ExpiresAt is in Unix seconds.
type VisitRequestResult struct {
	VisitID    string `json:"visit_id"`
	Passport   string `json:"passport"`
	ExpiresAt  int64  `json:"expires_at"`
	LaunchURL  string `json:"launch_url"`
	HostOrigin string `json:"host_origin"`
	Embed      Embed  `json:"embed"`
}

// Reasons of visit.end@1.
const (
	EndLeft    = "left"
	EndIdle    = "idle"
	EndExpired = "expired"
	EndRemoved = "removed"
)

// MaxSouvenir is how far one visit may move a stat at home (7.3).
const MaxSouvenir = 20

// VisitEndPayload tells home that a visit is over (7.3).
type VisitEndPayload struct {
	VisitID       string     `json:"visit_id"`
	Reason        string     `json:"reason"`
	StayedSeconds int64      `json:"stayed_seconds,omitzero"`
	Souvenirs     *Souvenirs `json:"souvenirs,omitempty"`
}

// Souvenirs are what the guest brings home.
type Souvenirs struct {
	Stats    map[string]int `json:"stats,omitempty"`
	Postcard string         `json:"postcard,omitempty"`
	Verbs    []string       `json:"verbs,omitempty"`
}

// VisitEndResult tells what the home game applied.
type VisitEndResult struct {
	Accepted Accepted `json:"accepted"`
}

// Accepted are the applied changes, after the cap and the clamp.
type Accepted struct {
	Stats map[string]int `json:"stats"`
}
