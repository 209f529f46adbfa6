package sgip

import "encoding/json"

// Reply is the synchronous answer to an envelope (section 5). Exactly one of
// Result and Error is set.
type Reply struct {
	OK     bool
	ID     string // "" stands for null
	Result json.RawMessage
	Error  *Error
}

// OKReply answers the envelope id with result, which is marshalled once.
func OKReply(id string, result any) (Reply, error) { panic("unwritten") }

// ErrorReply answers with the refusal that err tells (see AsError).
func ErrorReply(id string, err error) Reply { panic("unwritten") }

// Encode gives the JSON of section 5.
func (r Reply) Encode() []byte { panic("unwritten") }

// ParseReply reads a whole response body under the rules of ParseEnvelope, at
// most limit bytes. wantID is the id of the envelope that was sent: an ok with
// another id is an error; an error reply with id null counts and gets wantID.
// An error code outside section 5 is kept as it is.
func ParseReply(body []byte, wantID string, limit int) (Reply, error) { panic("unwritten") }

// Queued reports whether the hub holds the envelope for an offline platform
// (section 5): an ok whose result is {"queued": true}.
func (r Reply) Queued() bool { panic("unwritten") }

// Status is the informative HTTP status of a reply (contract 0).
func (r Reply) Status() int { panic("unwritten") }
