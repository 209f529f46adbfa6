package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// mask stands where a passport or token was.
const mask = "•••"

// Masked is JSON that can be looked at with its passports and tokens masked, and
// in no other way. Masking costs nothing until someone looks.
type Masked struct{ raw []byte }

// JSON gives the bytes with every field named passport or token masked, at any
// depth; nil for what isn't JSON, since there nobody can tell.
func (m Masked) JSON() []byte {
	var out bytes.Buffer
	from := jsontext.NewDecoder(bytes.NewReader(m.raw))
	to := jsontext.NewEncoder(&out)
	for {
		token, err := from.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes())
		}
		if err != nil {
			return nil
		}
		secret := isName(from) && secretName(token.String())
		if err := to.WriteToken(token); err != nil {
			return nil
		}
		if !secret {
			continue
		}
		if err := errors.Join(from.SkipValue(), to.WriteToken(jsontext.String(mask))); err != nil {
			return nil
		}
	}
}

// Format keeps the raw bytes out of logs, whatever the verb.
func (m Masked) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "%s", m.JSON()) }

// isName reports whether the token just read is a member's name.
func isName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == '{' && length%2 == 1
}

func secretName(name string) bool { return name == "passport" || name == "token" }
