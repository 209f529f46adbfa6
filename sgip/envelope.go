package sgip

import (
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the protocol version this module sends. Any 0.<minor> is accepted.
const Version = "0.1"

// HubID is the hub's own address; no platform may register it.
const HubID = "sgip-hub"

// MaxBody is the largest body of a request or of a game's reply, in bytes
// (contract 0). MaxHubReply is the largest reply of a hub: a directory page.
const (
	MaxBody     = 64 << 10
	MaxHubReply = 1 << 20
	// MaxDepth is how deep JSON may nest, the outer object counted.
	MaxDepth = 32
)

// Address names a platform and, for some operations, one of its players
// ("tunde@lagos.example").
type Address struct {
	Platform string `json:"platform"`
	Player   string `json:"player,omitempty"`
}

// Envelope is one operation on the wire (section 4).
type Envelope struct {
	SGIP    string          `json:"sgip"`
	ID      string          `json:"id"`
	Op      Op              `json:"op"`
	From    Address         `json:"from"`
	To      Address         `json:"to"`
	ReplyTo *string         `json:"reply_to"`
	Payload json.RawMessage `json:"payload"`
}

// ParseEnvelope reads a whole request body as one envelope: I-JSON (RFC 7493),
// at most MaxBody bytes and MaxDepth levels, unknown fields ignored, known
// fields matched by exact case, null refused except in reply_to. The error is
// always InvalidPayload and names the field. When the id could be read it is
// set in the returned envelope even if err is not nil. Payload is a view of body.
//
// It checks form only: who may speak for from.platform is the inbox's business,
// and so is a from.player of another platform, which is Forbidden.
func ParseEnvelope(mode Mode, body []byte) (Envelope, error) {
	var e Envelope
	o, err := readObject(body, MaxBody)
	if err != nil {
		return e, err
	}
	if e.ID, err = o.ulid("id"); err != nil {
		return Envelope{}, err
	}
	if e.SGIP, err = o.text("sgip"); err != nil {
		return e, err
	}
	if !validVersion(e.SGIP) {
		return e, Errorf(InvalidPayload, "sgip: must be 0.<minor>")
	}
	op, err := o.text("op")
	if err != nil {
		return e, err
	}
	if e.Op = Op(op); !e.Op.Valid() {
		return e, Errorf(InvalidPayload, "op: must be <domain>.<action>@<version>")
	}
	if e.From, err = o.address("from", mode); err != nil {
		return e, err
	}
	if e.To, err = o.address("to", mode); err != nil {
		return e, err
	}
	if e.To.Player != "" && !strings.HasSuffix(e.To.Player, "@"+e.To.Platform) {
		return e, Errorf(InvalidPayload, "to.player: must be a player of to.platform")
	}
	return e, e.readRest(o)
}

func (e *Envelope) readRest(o object) error {
	if v, ok := o.get("reply_to"); ok && !isNull(v) {
		id, err := o.ulid("reply_to")
		if err != nil {
			return err
		}
		e.ReplyTo = &id
	}
	payload, ok := o.get("payload")
	if !ok || payload.Kind() != '{' {
		return Errorf(InvalidPayload, "payload: must be an object")
	}
	e.Payload = json.RawMessage(payload)
	return nil
}

func (o object) ulid(name string) (string, error) {
	id, err := o.text(name)
	if err == nil && !ValidULID(id) {
		return "", Errorf(InvalidPayload, "%s: must be a ULID", name)
	}
	return id, err
}

func (o object) address(name string, mode Mode) (Address, error) {
	v, ok := o.get(name)
	if !ok {
		return Address{}, Errorf(InvalidPayload, "%s: is missing", name)
	}
	inner, err := nested(name, v)
	if err != nil {
		return Address{}, err
	}
	return inner.readAddress(name, mode)
}

func (o object) readAddress(name string, mode Mode) (Address, error) {
	platform, err := o.member(name, "platform")
	if err != nil {
		return Address{}, err
	}
	if platform != HubID && !mode.ValidPlatform(platform) {
		return Address{}, Errorf(InvalidPayload, "%s.platform: must be a platform id or %s", name, HubID)
	}
	if _, ok := o.get("player"); !ok {
		return Address{Platform: platform}, nil
	}
	player, err := o.member(name, "player")
	if err != nil {
		return Address{}, err
	}
	if _, _, ok := mode.SplitPlayer(player); !ok {
		return Address{}, Errorf(InvalidPayload, "%s.player: must be <handle>@<platform>", name)
	}
	return Address{Platform: platform, Player: player}, nil
}

// member is text with the name of the field in full.
func (o object) member(parent, name string) (string, error) {
	v, ok := o.get(name)
	if !ok {
		return "", Errorf(InvalidPayload, "%s.%s: is missing", parent, name)
	}
	return stringOf(parent+"."+name, v)
}

// validVersion is any 0.<minor> (section 10).
func validVersion(version string) bool {
	minor, ok := strings.CutPrefix(version, "0.")
	if !ok || minor == "" || (minor[0] == '0' && len(minor) > 1) {
		return false
	}
	return strings.Trim(minor, "0123456789") == ""
}

// NewEnvelope builds an envelope around payload, which is marshalled once; nil
// stands for {}. The error comes from marshalling alone.
func NewEnvelope(id string, op Op, from, to Address, payload any) (Envelope, error) {
	raw, err := marshalObject(payload)
	if err != nil {
		return Envelope{}, err
	}
	return Envelope{SGIP: Version, ID: id, Op: op, From: from, To: to, Payload: raw}, nil
}

// marshalObject writes what must be an object on the wire.
func marshalObject(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	raw, err := Marshal(v)
	if err != nil {
		return nil, Wrap(Internal, err, "what was to be sent couldn't be written")
	}
	if jsontext.Value(raw).Kind() != '{' {
		return nil, Errorf(Internal, "what was to be sent isn't an object")
	}
	return raw, nil
}

// Encode gives the bytes to send. They must be kept and sent as they are.
func (e Envelope) Encode() ([]byte, error) { return Marshal(e) }

// Decode reads the payload of a known op into v, after its schema has been
// checked (CheckPayload). The error is InvalidPayload.
func (e Envelope) Decode(mode Mode, v any) error {
	if err := CheckPayload(mode, e.Op, e.Payload); err != nil {
		return err
	}
	return unmarshal(e.Payload, v)
}
