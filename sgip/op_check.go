package sgip

// CheckReport answers hub.check@1 (9.1). Conforms is true when every required
// check passed.
type CheckReport struct {
	PlatformID string  `json:"platform_id"`
	CheckedAt  string  `json:"checked_at"`
	Conforms   bool    `json:"conforms"`
	Checks     []Check `json:"checks"`
}

// Check is what one check found. Detail is for people: what was seen, and where
// it isn't right, what was wanted.
type Check struct {
	Name     string `json:"name"`
	Passed   bool   `json:"passed"`
	Required bool   `json:"required"`
	Detail   string `json:"detail"`
}
