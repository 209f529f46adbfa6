package sgip

import "slices"

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

// UnmarshalJSON reads an embed object whose allowed may be absent, which means
// true (contract 2).
func (e *Embed) UnmarshalJSON(raw []byte) error {
	o, err := readObject(raw, MaxBody)
	if err != nil {
		return err
	}
	e.Allowed = true
	if _, ok := o.get("allowed"); ok {
		e.Allowed, err = o.boolean("allowed")
	}
	return err
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
// An empty From takes no visitors and is not the same as none.
type Visitors struct {
	From   *[]string `json:"from,omitzero"`
	Except *[]string `json:"except,omitzero"`
}

// Encode gives the bytes to publish. Use it rather than encoding/json, which
// writes an absent list as null.
func (d Descriptor) Encode() ([]byte, error) { return Marshal(d) }

// Declares reports whether the platform answers op at its inbox.
func (d Descriptor) Declares(op Op) bool { return slices.Contains(d.Capabilities, op) }

// Welcomes reports whether players of home may visit (7.5).
func (d Descriptor) Welcomes(home string) bool {
	switch v := d.Visitors; {
	case v == nil:
		return true
	case v.From != nil:
		return slices.Contains(*v.From, home)
	case v.Except != nil:
		return !slices.Contains(*v.Except, home)
	}
	return true
}

// EmbedAllowed is the default-true embed.allowed.
func (d Descriptor) EmbedAllowed() bool { return d.Embed == nil || d.Embed.Allowed }

// DailyLimit is the home's daily limit for currency; ok is false if it isn't spent abroad.
func (d Descriptor) DailyLimit(currency string) (limit Money, ok bool) {
	if d.Money == nil || d.Money.SpendingAbroad == nil {
		return Money{}, false
	}
	for _, limit := range d.Money.SpendingAbroad.DailyLimits {
		if limit.Currency == currency {
			return limit, true
		}
	}
	return Money{}, false
}

// ReturnURL is return, or the platform's own front page.
func (d Descriptor) ReturnURL(mode Mode) string {
	if d.Return != "" {
		return d.Return
	}
	return mode.Origin(d.PlatformID) + "/"
}

// Origins are the distinct web origins of domain, visit and return (contract 9).
func (d Descriptor) Origins(mode Mode) []string {
	origins := []string{mode.Origin(d.PlatformID)}
	for _, raw := range []string{d.Visit, d.Return} {
		u, err := parseURL(raw)
		if err != nil {
			continue // an absent return; others were checked when the descriptor was read
		}
		if origin := OriginOf(u); !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	return origins
}
