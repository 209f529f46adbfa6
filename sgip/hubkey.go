package sgip

import (
	"strings"
	"time"
)

// HubKey is the hub's key file at /.well-known/sgip-hub.json (6.1).
type HubKey struct {
	SGIP      string `json:"sgip"`
	PublicKey string `json:"public_key"`
	KeyID     string `json:"key_id"`
	ExpiresAt string `json:"expires_at"` // RFC 3339, UTC
	Ops       string `json:"ops"`
}

// Expires is ExpiresAt as a time. From then on no signature and no passport of
// the key counts (6.1).
func (k HubKey) Expires() (time.Time, error) { return ParseTime(k.ExpiresAt) }

// ParseHubKey reads and judges the key file fetched from a hub: schema, a
// strict key whose id is key_id, a time, an ops URL without query. Whether the
// key has expired is for the caller's clock. The error is InvalidPayload.
func ParseHubKey(body []byte) (HubKey, PublicKey, error) {
	doc, err := decodeAny(body, MaxBody)
	if err != nil {
		return HubKey{}, PublicKey{}, err
	}
	if err := checkSchema("hub-key", doc); err != nil {
		return HubKey{}, PublicKey{}, err
	}
	var k HubKey
	if err := unmarshal(body, &k); err != nil {
		return HubKey{}, PublicKey{}, err
	}
	if !validVersion(k.SGIP) {
		return HubKey{}, PublicKey{}, Errorf(InvalidPayload, "sgip must be 0.<minor>")
	}
	key, err := ParsePublicKey(k.PublicKey)
	if err != nil {
		return HubKey{}, PublicKey{}, err
	}
	if key.ID != k.KeyID {
		return HubKey{}, PublicKey{}, Errorf(InvalidPayload, "key_id must be the id of public_key")
	}
	if _, err := k.Expires(); err != nil {
		return HubKey{}, PublicKey{}, err
	}
	if _, err := parseURL(k.Ops); err != nil || strings.Contains(k.Ops, "?") {
		return HubKey{}, PublicKey{}, Errorf(InvalidPayload, "ops must be a URL without query")
	}
	return k, key, nil
}

// ParseTime reads an RFC 3339 time in UTC (section 8.4); any other offset is
// InvalidPayload.
func ParseTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, Wrap(InvalidPayload, err, "a time must be RFC 3339")
	}
	if _, offset := at.Zone(); offset != 0 {
		return time.Time{}, Errorf(InvalidPayload, "a time must be in UTC")
	}
	return at.UTC(), nil
}

// FormatTime writes a time as the protocol does: RFC 3339 in UTC, whole seconds.
func FormatTime(at time.Time) string { return at.UTC().Format(time.RFC3339) }
