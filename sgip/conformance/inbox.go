package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

// try is one request to the inbox.
type try struct {
	what      string // in words, for the detail
	id        string // of the envelope; "" where none can be read
	body      []byte
	signature string // value of the header; "" for a request without it
}

// envelope writes an operation from the hub to the game, unsigned.
func (r *run) envelope(what string, op sgip.Op, player string, payload any) (try, error) {
	id := r.NewID()
	to := sgip.Address{Platform: r.platform, Player: player}
	env, err := sgip.NewEnvelope(id, op, sgip.Address{Platform: sgip.HubID}, to, payload)
	if err != nil {
		return try{}, err
	}
	body, err := env.Encode()
	return try{what: what, id: id, body: body}, err
}

// signed is t as by signs it, off by some time, with a fresh nonce.
func (r *run) signed(t try, by sgip.Signer, off time.Duration) try {
	return r.signedWith(t, by, off, r.NewID())
}

func (r *run) signedWith(t try, by sgip.Signer, off time.Duration, nonce string) try {
	t.signature = by.Sign(http.MethodPost, rawPath(r.doors.Inbox), r.Clock().Add(off), nonce, t.body)
	return t
}

// rawPath is the path of a checked URL as it will stand in the request line.
func rawPath(checked string) string {
	u, err := url.Parse(checked)
	if err != nil || u.EscapedPath() == "" {
		return "/"
	}
	return u.EscapedPath()
}

// post sends t once. The error says in words why what came back is no reply.
func (r *run) post(ctx context.Context, t try) (sgip.Reply, error) {
	if r.doors.Inbox == "" {
		return sgip.Reply{}, fmt.Errorf("not sent: %w", r.doors.inboxFault)
	}
	header := map[string]string{"Content-Type": "application/json"}
	if t.signature != "" {
		header[sgip.SignatureHeader] = t.signature
	}
	response, err := r.Client.Post(ctx, r.doors.Inbox, header, t.body, sgip.MaxBody)
	if err != nil {
		return sgip.Reply{}, fmt.Errorf("the reply %s", trouble(err, checkWithin))
	}
	if mediaType(response) != "application/json" {
		return sgip.Reply{}, fmt.Errorf("the reply, status %d, isn't Content-Type: application/json; every reply, refusals too, is the JSON of section 5", response.Status)
	}
	reply, err := sgip.ParseReply(response.Body, t.id, sgip.MaxBody)
	if err != nil {
		return sgip.Reply{}, fmt.Errorf("the reply, status %d, isn't the JSON of section 5: %s", response.Status, sgip.AsError(err).Message)
	}
	return reply, nil
}

// refused wants every try answered with code, and lists those that weren't.
func (r *run) refused(ctx context.Context, code sgip.Code, tries ...try) (string, error) {
	faults := make([]error, len(tries))
	var under sync.WaitGroup
	for i, t := range tries {
		under.Go(func() { faults[i] = r.refusedOnce(ctx, code, t) })
	}
	under.Wait()
	if err := joined(faults); err != nil {
		return "", err
	}
	return "refused with " + string(code), nil
}

func (r *run) refusedOnce(ctx context.Context, code sgip.Code, t try) error {
	reply, err := r.post(ctx, t)
	if err != nil {
		return fmt.Errorf("%s: %w", t.what, err)
	}
	if got := answered(reply); got != string(code) {
		return fmt.Errorf("%s: answered %s, wanted %s", t.what, got, code)
	}
	return nil
}

// joined is one line of all faults, nil if there are none.
func joined(faults []error) error {
	var words []string
	for _, fault := range faults {
		if fault != nil {
			words = append(words, fault.Error())
		}
	}
	if words == nil {
		return nil
	}
	return errors.New(strings.Join(words, "; "))
}

// maxCode is how much of a code is repeated: a few times the longest there is.
const maxCode = 40

// answered is "ok", or the code of the refusal.
func answered(reply sgip.Reply) string {
	if reply.OK {
		return "ok"
	}
	code := string(reply.Error.Code) // a word in ASCII
	return code[:min(len(code), maxCode)]
}
