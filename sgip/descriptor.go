package sgip

// Descriptor is what a platform publishes at /.well-known/sgip.json (section 2).
type Descriptor struct {
	SGIP         string    `json:"sgip"`
	PlatformID   string    `json:"platform_id"`
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	Icon         string    `json:"icon,omitempty"`
	IconURL      string    `json:"icon_url,omitempty"`
	Return       string    `json:"return,omitempty"`
	Languages    []string  `json:"languages,omitempty"`
	Inbox        string    `json:"inbox"`
	Visit        string    `json:"visit"`
	PublicKeys   []string  `json:"public_keys"`
	Capabilities []Op      `json:"capabilities"`
	Currencies   []string  `json:"currencies"`
	Embed        *Embed    `json:"embed,omitempty"`
	Money        *MoneyOps `json:"money,omitempty"`
	Visitors     *Visitors `json:"visitors,omitempty"`
}

// Embed says whether the visit page may be framed; absent means allowed.
type Embed struct {
	Allowed bool `json:"allowed"`
}

// MoneyOps is the descriptor's money object (7.4).
type MoneyOps struct {
	SpendingAbroad *SpendingAbroad `json:"spending_abroad,omitempty"`
	Accepts        []Accepts       `json:"accepts,omitempty"`
}

// SpendingAbroad holds the daily limit per player for each currency that may be spent.
type SpendingAbroad struct {
	DailyLimits []Money `json:"daily_limits"`
}

// Accepts is one kind of money that a host takes.
type Accepts struct {
	From             string `json:"from"`
	Give             Money  `json:"give"`
	Get              Money  `json:"get"`
	DailyInflowLimit Money  `json:"daily_inflow_limit"`
}

// Rate is the entry's rate.
func (a Accepts) Rate() Rate { return Rate{Give: a.Give, Get: a.Get} }

// Visitors limits who may visit (7.5): exactly one of From and Except is set.
type Visitors struct {
	From   *[]string `json:"from,omitempty"`
	Except *[]string `json:"except,omitempty"`
}

// ParseDescriptor reads and judges a fetched descriptor: I-JSON, schema,
// platform_id equal to the name it was fetched from, URLs on its domain, keys,
// required ops, currencies and money rules. With checkKeys the keys' order is
// checked too (the hub at hello). The error is InvalidPayload, naming the field.
func ParseDescriptor(mode Mode, platform string, body []byte, checkKeys bool) (Descriptor, error) {
	panic("unwritten")
}

// Declares reports whether the platform answers op at its inbox.
func (d Descriptor) Declares(op Op) bool { panic("unwritten") }

// Welcomes reports whether players of home may visit (7.5).
func (d Descriptor) Welcomes(home string) bool { panic("unwritten") }

// EmbedAllowed is the default-true embed.allowed.
func (d Descriptor) EmbedAllowed() bool { return d.Embed == nil || d.Embed.Allowed }

// DailyLimit is the home's daily limit for currency; ok is false if it isn't spent abroad.
func (d Descriptor) DailyLimit(currency string) (limit Money, ok bool) { panic("unwritten") }

// ReturnURL is return, or the platform's own front page.
func (d Descriptor) ReturnURL(mode Mode) string { panic("unwritten") }

// Origins are the distinct web origins of domain, visit and return (contract 9).
func (d Descriptor) Origins(mode Mode) []string { panic("unwritten") }

// HubKey is the hub's key file at /.well-known/sgip-hub.json (6.1).
type HubKey struct {
	SGIP      string `json:"sgip"`
	PublicKey string `json:"public_key"`
	KeyID     string `json:"key_id"`
	ExpiresAt string `json:"expires_at"` // RFC 3339, UTC
	Ops       string `json:"ops"`
}

// ParseHubKey reads and judges the key file fetched from a hub.
func ParseHubKey(body []byte) (HubKey, PublicKey, error) { panic("unwritten") }
