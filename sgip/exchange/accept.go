package exchange

import (
	"context"
	"crypto/sha256"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"sgip.example/starter/sgip"
)

// accepted is a request whose signature and time are good. With refusal set its
// envelope or its sender isn't, which is told only after its nonce is spent.
type accepted struct {
	Incoming
	hash       [32]byte
	nonce      string // "" when taken up again at start
	introduced bool   // its key was found through the sender's descriptor
	refusal    error
}

// checkFraming judges size and framing (contract 0) and gives the path that was
// signed: the raw target up to its query.
func (in *Inbox) checkFraming(r Request) (path string, err error) {
	if r.Method != http.MethodPost {
		return "", sgip.Errorf(sgip.NotFound, "envelopes are sent with POST")
	}
	if !strings.HasPrefix(r.Target, "/") || strings.HasPrefix(r.Target, "//") {
		return "", sgip.Errorf(sgip.InvalidPayload, "the request target must begin with a single /")
	}
	path, _, _ = strings.Cut(r.Target, "?")
	if in.c.Path != "" && path != in.c.Path {
		return "", sgip.Errorf(sgip.NotFound, "nothing is served here")
	}
	switch {
	case r.TooLarge || len(r.Body) > sgip.MaxBody:
		return "", sgip.Wrap(sgip.InvalidPayload, sgip.ErrTooLarge, "the body is larger than 64 KiB")
	case len(r.ContentLengths) > 1:
		return "", sgip.Errorf(sgip.InvalidPayload, "there must be at most one Content-Length")
	case len(r.ContentLengths) > 0 && r.TransferEncoding:
		return "", sgip.Errorf(sgip.InvalidPayload, "Content-Length and Transfer-Encoding exclude each other")
	case len(r.ContentEncodings) > 0:
		return "", sgip.Errorf(sgip.InvalidPayload, "a Content-Encoding isn't taken")
	case len(r.ContentTypes) != 1 || !isJSON(r.ContentTypes[0]):
		return "", sgip.Errorf(sgip.InvalidPayload, "the Content-Type must be application/json")
	}
	return path, nil
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// accept checks header form, signature and time, then JSON, envelope and sender,
// in the order of contract 5. An error is told at once; the nonce isn't spent.
func (in *Inbox) accept(ctx context.Context, r Request, path string) (accepted, error) {
	sig, err := sgip.ParseSignature(r.Signatures)
	if err != nil {
		return accepted{}, err
	}
	a := accepted{nonce: sig.Nonce}
	a.Body, a.KeyID = r.Body, sig.KeyID
	if in.c.Introductions != nil {
		// Reading the envelope first changes nothing that can be seen, except for
		// the operations whose key can't be found without it.
		a.Envelope, a.refusal = sgip.ParseEnvelope(in.c.Mode, r.Body)
		if in.introduces(a) {
			return a, in.introduce(ctx, sig, r, path, &a)
		}
	}
	key, err := in.c.Keys.Key(ctx, sig.KeyID)
	if err != nil {
		return accepted{}, err
	}
	if err := sig.Verify(key, r.Method, path, r.Body); err != nil {
		return accepted{}, err
	}
	if err := sig.CheckTime(in.c.Clock()); err != nil {
		return accepted{}, err
	}
	if in.c.Introductions == nil {
		a.Envelope, a.refusal = sgip.ParseEnvelope(in.c.Mode, r.Body)
	}
	a.hash = sha256.Sum256(r.Body)
	if a.refusal == nil {
		a.refusal = in.checkSender(ctx, a)
	}
	return a, nil
}

func (in *Inbox) checkSender(ctx context.Context, a accepted) error {
	if err := in.c.Keys.Admit(ctx, a.KeyID, a.Envelope); err != nil {
		return err
	}
	return checkPlayer(a.Envelope)
}

func checkPlayer(env sgip.Envelope) error {
	if env.From.Player != "" && !strings.HasSuffix(env.From.Player, "@"+env.From.Platform) {
		return sgip.Errorf(sgip.Forbidden, "from.player must be a player of from.platform")
	}
	return nil
}

// introduces reports whether the sender's key is to be found through its
// descriptor. An envelope that can't be read whole may still say its op.
func (in *Inbox) introduces(a accepted) bool {
	if a.refusal == nil {
		return a.To.Platform == in.c.Self && in.c.Introductions.Introduces(a.Op)
	}
	op := a.Op
	if op == "" {
		var peek struct {
			Op sgip.Op `json:"op"`
		}
		if json.Unmarshal(a.Body, &peek) != nil {
			return false
		}
		op = peek.Op
	}
	return in.c.Introductions.Introduces(op)
}

// introduce checks in the other order of contract 5: JSON and envelope, rate by
// source address, descriptor, signature by a key it lists, time. Nobody can use
// up another's nonces or rate that way, since of the sender nothing is kept or
// counted before the signature is good.
func (in *Inbox) introduce(ctx context.Context, sig sgip.Signature, r Request, path string, a *accepted) error {
	a.introduced = true
	if a.refusal != nil {
		return a.refusal
	}
	keys, err := in.c.Introductions.Keys(ctx, a.Envelope, r.Source)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if key.ID != sig.KeyID {
			continue
		}
		if err := sig.Verify(key, r.Method, path, a.Body); err != nil {
			return err
		}
		if err := sig.CheckTime(in.c.Clock()); err != nil {
			return err
		}
		a.hash = sha256.Sum256(a.Body)
		a.refusal = checkPlayer(a.Envelope)
		return nil
	}
	return sgip.Errorf(sgip.BadSignature, "the descriptor of %s doesn't list the key that signed this", a.From.Platform)
}
