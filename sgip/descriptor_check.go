package sgip

import (
	"fmt"
	"slices"
	"strings"
)

// maxAbout is the longest description of a game, in code points (contract 2).
const maxAbout = 280

// ParseDescriptor reads and judges a fetched descriptor: I-JSON, schema,
// platform_id equal to the name it was fetched from, URLs on its domain, keys,
// required ops, currencies and money rules. With checkKeys the keys' order is
// checked too (the hub at hello). The error is InvalidPayload, naming the field.
func ParseDescriptor(mode Mode, platform string, body []byte, checkKeys bool) (Descriptor, error) {
	doc, err := decodeAny(body, MaxBody)
	if err != nil {
		return Descriptor{}, err
	}
	if err := checkSchema("descriptor", doc); err != nil {
		return Descriptor{}, err
	}
	var d Descriptor
	if err := unmarshal(body, &d); err != nil {
		return Descriptor{}, err
	}
	if d.PlatformID != platform || !mode.ValidPlatform(platform) {
		return Descriptor{}, Errorf(InvalidPayload, "platform_id must be the name that the descriptor is served at")
	}
	for _, check := range []func(Mode) error{d.checkWords, d.checkURLs, d.checkCapabilities, d.checkCurrencies, d.checkAccepts, d.checkVisitors} {
		if err := check(mode); err != nil {
			return Descriptor{}, err
		}
	}
	return d, d.checkKeys(checkKeys)
}

func (d Descriptor) checkWords(Mode) error {
	if !validVersion(d.SGIP) {
		return Errorf(InvalidPayload, "sgip must be 0.<minor>")
	}
	if err := CheckText("name", d.Name, MaxName); err != nil {
		return err
	}
	if d.Description != "" {
		if err := CheckText("description", d.Description, maxAbout); err != nil {
			return err
		}
	}
	if d.Icon != "" {
		return CheckText("icon", d.Icon, MaxAvatar)
	}
	return nil
}

func (d Descriptor) checkURLs(mode Mode) error {
	for _, f := range []struct {
		name, url       string
		optional, query bool
	}{
		{"inbox", d.Inbox, false, false},
		{"visit", d.Visit, false, true},
		{"return", d.Return, true, true},
		{"icon_url", d.IconURL, true, true},
	} {
		if f.url == "" && f.optional {
			continue
		}
		if err := mode.CheckURL(d.PlatformID, f.url, f.query); err != nil {
			return Errorf(InvalidPayload, "%s %s", f.name, err)
		}
	}
	return nil
}

func (d Descriptor) checkCapabilities(Mode) error {
	for i, op := range d.Capabilities {
		if !op.Valid() {
			return Errorf(InvalidPayload, "capabilities[%d] must be an op", i)
		}
	}
	for _, op := range RequiredOps() {
		if !d.Declares(op) {
			return Errorf(InvalidPayload, "capabilities must have %s in it", op)
		}
	}
	return nil
}

// checkCurrencies also holds the opt-in to spending abroad to its rules (7.4).
func (d Descriptor) checkCurrencies(Mode) error {
	for i, code := range d.Currencies {
		if !ValidCurrency(code) {
			return Errorf(InvalidPayload, "currencies[%d] must be a currency code", i)
		}
		if label, _, own := strings.Cut(code, ":"); own && label != Label(d.PlatformID) {
			return Errorf(InvalidPayload, "currencies[%d] must begin with this game's own label, %s:", i, Label(d.PlatformID))
		}
	}
	if d.Money == nil || d.Money.SpendingAbroad == nil {
		return nil
	}
	for _, op := range []Op{WalletRead, WalletDebit, WalletCredit} {
		if !d.Declares(op) {
			return Errorf(InvalidPayload, "capabilities must have %s in it, since money.spending_abroad is there", op)
		}
	}
	return d.checkDailyLimits()
}

func (d Descriptor) checkDailyLimits() error {
	seen := map[string]bool{}
	for i, limit := range d.Money.SpendingAbroad.DailyLimits {
		field := fmt.Sprintf("money.spending_abroad.daily_limits[%d].currency", i)
		if !slices.Contains(d.Currencies, limit.Currency) {
			return Errorf(InvalidPayload, "%s must be one of currencies", field)
		}
		if seen[limit.Currency] {
			return Errorf(InvalidPayload, "%s has a limit already", field)
		}
		seen[limit.Currency] = true
	}
	return nil
}

// checkAccepts judges each entry by itself. Whether its home game is there and
// limits the currency, and whether it completes a ring, the hub decides.
func (d Descriptor) checkAccepts(mode Mode) error {
	if d.Money == nil {
		return nil
	}
	for i, a := range d.Money.Accepts {
		field := fmt.Sprintf("money.accepts[%d]", i)
		switch {
		case !mode.ValidPlatform(a.From):
			return Errorf(InvalidPayload, "%s.from must be a platform id", field)
		case a.From == d.PlatformID:
			return Errorf(InvalidPayload, "%s.from must be another game", field)
		case a.Give.Amount < 1 || a.Get.Amount < 1:
			return Errorf(InvalidPayload, "%s: give and get must be at least 1", field)
		case !slices.Contains(d.Currencies, a.Get.Currency):
			return Errorf(InvalidPayload, "%s.get.currency must be one of currencies", field)
		case a.DailyInflowLimit.Currency != a.Get.Currency:
			return Errorf(InvalidPayload, "%s.daily_inflow_limit must be in the currency of get", field)
		}
	}
	return nil
}

func (d Descriptor) checkVisitors(mode Mode) error {
	if d.Visitors == nil {
		return nil
	}
	list := d.Visitors.From
	if list == nil {
		list = d.Visitors.Except
	}
	if list == nil || (d.Visitors.From != nil && d.Visitors.Except != nil) {
		return Errorf(InvalidPayload, "visitors must have exactly one of from and except")
	}
	for i, platform := range *list {
		if !mode.ValidPlatform(platform) {
			return Errorf(InvalidPayload, "visitors[%d] must be a platform id", i)
		}
	}
	return nil
}

// maxKeys is how many keys a platform may list: two, during a rotation (section 6).
const maxKeys = 2

func (d Descriptor) checkKeys(order bool) error {
	if len(d.PublicKeys) < 1 || len(d.PublicKeys) > maxKeys {
		return Errorf(InvalidPayload, "public_keys must have one or two keys in it")
	}
	if len(d.PublicKeys) == maxKeys && d.PublicKeys[0] == d.PublicKeys[1] {
		return Errorf(InvalidPayload, "public_keys must not list one key twice")
	}
	for i, text := range d.PublicKeys {
		key, err := ParsePublicKey(text)
		if err == nil && order {
			err = key.CheckOrder()
		}
		if err != nil {
			return Wrap(InvalidPayload, err, fmt.Sprintf("public_keys[%d]: %s", i, AsError(err).Message))
		}
	}
	return nil
}
