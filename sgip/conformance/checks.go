package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"sgip.example/starter/sgip"
)

// staleBy is how far off the time of a stale request is: more than MaxSkew by
// enough that clocks which differ a little don't decide.
const staleBy = sgip.MaxSkew + 30*time.Second

// drift is from how far apart on two clocks are worth a word.
const drift = 5 * time.Second

func (r *run) ping(what string) (try, error) { return r.envelope(what, sgip.HubPing, "", nil) }

func (r *run) checkPing(ctx context.Context) (string, error) {
	ping, err := r.ping("a ping")
	if err != nil {
		return "", err
	}
	reply, err := r.post(ctx, r.signed(ping, r.Hub, 0))
	if err != nil {
		return "", err
	}
	if !reply.OK {
		return "", fmt.Errorf("answered %s: %s", answered(reply), pingHint(reply.Error.Code))
	}
	if err := sgip.CheckResult(r.Mode, sgip.HubPing, reply.Result); err != nil {
		return "", errors.New(sgip.AsError(err).Message)
	}
	var pong sgip.Ping
	if err := sgip.DecodeResult(r.Mode, sgip.HubPing, reply, &pong); err != nil {
		return "", err
	}
	at, err := sgip.ParseTime(pong.Time)
	if err != nil {
		return "", errors.New("result.time: " + sgip.AsError(err).Message)
	}
	switch ahead := at.Sub(r.Clock()).Round(time.Second); {
	case ahead >= drift:
		return fmt.Sprintf("answered; the game's clock is %d s ahead", int(ahead.Seconds())), nil
	case ahead <= -drift:
		return fmt.Sprintf("answered; the game's clock is %d s behind", int(-ahead.Seconds())), nil
	}
	return "answered", nil
}

// pingHint says what to look at when a good request is refused.
func pingHint(code sgip.Code) string {
	switch code {
	case sgip.BadSignature:
		return "compare the string that is signed, line by line, with vectors/signing.json: the raw path without the query, " +
			"the body's bytes as received; and the key with the hub's at /.well-known/sgip-hub.json"
	case sgip.Expired:
		return "the clocks of game and hub differ by more than 300 s, or ts isn't read as Unix seconds"
	case sgip.InvalidPayload:
		return "from is { \"platform\": \"sgip-hub\" }, reply_to may be null, and payload is {}"
	case sgip.Forbidden:
		return "an envelope from sgip-hub, signed with the hub's key and addressed to this game, is allowed"
	case sgip.PlatformOffline:
		return "the game couldn't get the hub's key"
	}
	return "a correctly signed hub.ping@1 must be answered ok"
}

func (r *run) checkUnsigned(ctx context.Context) (string, error) {
	ping, err := r.ping("a request without " + sgip.SignatureHeader)
	if err != nil {
		return "", err
	}
	return r.refused(ctx, sgip.BadSignature, ping)
}

// checkWrongKey also catches a game that looks only at the key id.
func (r *run) checkWrongKey(ctx context.Context) (string, error) {
	open, err1 := r.ping("a request signed by a key that isn't the hub's")
	forged, err2 := r.ping("a request under the hub's keyId, signed by another key")
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	forged = r.signed(forged, r.stranger, 0)
	forged.signature = strings.Replace(forged.signature, r.stranger.Public.ID, r.Hub.Public.ID, 1)
	return r.refused(ctx, sgip.BadSignature, r.signed(open, r.stranger, 0), forged)
}

func (r *run) checkStale(ctx context.Context) (string, error) {
	const seconds = int(staleBy / time.Second)
	old, err1 := r.ping(fmt.Sprintf("a request %d s old", seconds))
	early, err2 := r.ping(fmt.Sprintf("a request dated %d s ahead", seconds))
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return r.refused(ctx, sgip.Expired, r.signed(old, r.Hub, -staleBy), r.signed(early, r.Hub, staleBy))
}

// checkReplayedNonce repeats a request as it was, and its nonce in another one.
func (r *run) checkReplayedNonce(ctx context.Context) (string, error) {
	first, err1 := r.ping("the first request")
	other, err2 := r.ping("another request with a nonce that was used before")
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	nonce := r.NewID()
	first = r.signedWith(first, r.Hub, 0, nonce)
	reply, err := r.post(ctx, first)
	if err != nil {
		return "", fmt.Errorf("%s: %w", first.what, err)
	}
	if !reply.OK {
		return "", fmt.Errorf("the first request was answered %s already, so that a repeat shows nothing", answered(reply))
	}
	first.what = "the same request again"
	return r.refused(ctx, sgip.BadSignature, first, r.signedWith(other, r.Hub, 0, nonce))
}

// checkMalformedEnvelope sends, well signed, what isn't an envelope.
func (r *run) checkMalformedEnvelope(ctx context.Context) (string, error) {
	var tries []try
	for _, bad := range malformed() {
		t, err := r.ping(bad.what)
		if err != nil {
			return "", err
		}
		t.body = bad.spoil(t.body, t.id)
		t.id = loosely(t.body)
		tries = append(tries, r.signed(t, r.Hub, 0))
	}
	return r.refused(ctx, sgip.InvalidPayload, tries...)
}

// loosely is the id that a lenient parser finds in body: a refusal may repeat it,
// or give null.
func loosely(body []byte) string {
	var seen struct {
		ID string `json:"id"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&seen) != nil {
		return ""
	}
	return seen.ID
}

func (r *run) checkUndeclaredOp(ctx context.Context) (string, error) {
	// Two kinds: an op that nobody can have declared, and a version of a required
	// one that doesn't exist.
	strange := sgip.Op("x-conformance.n" + strings.ToLower(r.NewID()) + "@1")
	later := r.undeclaredVersion()
	odd, err1 := r.envelope("an op that nobody declares", strange, "", nil)
	next, err2 := r.envelope("the undeclared "+string(later), later, r.nobody, sgip.MessagePayload{Text: greeting})
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return r.refused(ctx, sgip.OpUnsupported, r.signed(odd, r.Hub, 0), r.signed(next, r.Hub, 0))
}

// greeting is the text of a message that nobody gets.
const greeting = "Is anyone there?"

func (r *run) undeclaredVersion() sgip.Op {
	declared := map[sgip.Op]bool{}
	for _, op := range r.doors.Capabilities {
		declared[op] = true
	}
	for version := 2; ; version++ {
		if op := sgip.Op(fmt.Sprintf("message.send@%d", version)); !declared[op] {
			return op
		}
	}
}

func (r *run) checkLookupUnknown(ctx context.Context) (string, error) {
	lookup, err := r.envelope("player.lookup@1 for a player who doesn't exist", sgip.PlayerLookup, "", sgip.PlayerQuery{Player: r.nobody})
	if err != nil {
		return "", err
	}
	return r.refused(ctx, sgip.NotFound, r.signed(lookup, r.Hub, 0))
}

// checkMessageUnknown sends no from.player: that the addressee doesn't exist
// comes before that (contract 9).
func (r *run) checkMessageUnknown(ctx context.Context) (string, error) {
	message, err := r.envelope("message.send@1 to a player who doesn't exist", sgip.MessageSend, r.nobody, sgip.MessagePayload{Text: greeting})
	if err != nil {
		return "", err
	}
	return r.refused(ctx, sgip.NotFound, r.signed(message, r.Hub, 0))
}
