package sgip

import "encoding/json"

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
// set in the returned envelope even if err is not nil.
//
// It checks form only: who may speak for from.platform is the inbox's business.
func ParseEnvelope(mode Mode, body []byte) (Envelope, error) { panic("unwritten") }

// NewEnvelope builds an envelope around payload, which is marshalled once.
func NewEnvelope(id string, op Op, from, to Address, payload any) (Envelope, error) {
	panic("unwritten")
}

// Encode gives the bytes to send. They must be kept and sent as they are.
func (e Envelope) Encode() ([]byte, error) { panic("unwritten") }

// Decode reads the payload of a known op into v, after its schema has been
// checked (CheckPayload). The error is InvalidPayload.
func (e Envelope) Decode(mode Mode, v any) error { panic("unwritten") }
