package sgip

// HelloResult answers hub.hello@1.
type HelloResult struct {
	PlatformID   string   `json:"platform_id"`
	KeyIDs       []string `json:"key_ids"`
	RegisteredAt string   `json:"registered_at"`
}

// Ping answers hub.ping@1.
type Ping struct {
	Time     string `json:"time"`
	Software string `json:"software,omitempty"`
}

// DirectoryQuery is the payload of platform.directory@1.
type DirectoryQuery struct {
	Cursor   string `json:"cursor,omitempty"`
	Limit    int    `json:"limit,omitzero"` // up to 200; 50 when absent
	Platform string `json:"platform,omitempty"`
}

// DirectoryPage is its result, ordered by id.
type DirectoryPage struct {
	Platforms  []DirectoryEntry `json:"platforms"`
	NextCursor string           `json:"next_cursor,omitempty"`
}

// DirectoryEntry is how one game is shown to the game that asks.
type DirectoryEntry struct {
	PlatformID      string    `json:"platform_id"`
	Name            string    `json:"name"`
	Description     string    `json:"description,omitempty"`
	Icon            string    `json:"icon,omitempty"`
	IconURL         string    `json:"icon_url,omitempty"`
	Languages       []string  `json:"languages,omitempty"`
	Visit           string    `json:"visit"`
	ReturnURL       string    `json:"return_url"`
	Origins         []string  `json:"origins"`
	Embed           Embed     `json:"embed"`
	Currencies      []string  `json:"currencies"`
	Accepts         []Accepts `json:"accepts"`
	SpendingAbroad  bool      `json:"spending_abroad"`
	Capabilities    []Op      `json:"capabilities"`
	VisitorsWelcome bool      `json:"visitors_welcome"`
	Online          bool      `json:"online"`
}
