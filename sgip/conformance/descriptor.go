package conformance

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/outbound"
)

// Fetch gets a game's descriptor as it is served, by the rules of section 2. The
// error, PlatformOffline, says in words why it can't be had.
func (s Suite) Fetch(ctx context.Context, platform string) (outbound.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	served, err := s.Client.Get(ctx, s.Mode.DescriptorURL(platform), sgip.MaxBody)
	if err != nil {
		return outbound.Response{}, sgip.Wrap(sgip.PlatformOffline, err, "the descriptor "+trouble(err, fetchWithin))
	}
	return served, nil
}

// Doors are what of a descriptor a check needs, even where the rest is wrong.
type Doors struct {
	Inbox        string // "" if it can't be used
	Visit        string // likewise
	Capabilities []sgip.Op
	Keys         []sgip.PublicKey // those that are good keys (section 6)

	inboxFault, visitFault error // why they can't
}

// ReadDoors finds the doors of platform in a descriptor, passing over whatever
// else is wrong with it. The error, InvalidPayload, says which of inbox and visit
// can't be used, because it is missing or not on the platform's domain.
func ReadDoors(mode sgip.Mode, platform string, body []byte) (Doors, error) {
	var fields map[string]jsontext.Value
	if len(body) > sgip.MaxBody || json.Unmarshal(body, &fields) != nil {
		err := sgip.Errorf(sgip.InvalidPayload, "the descriptor isn't one JSON object of at most %d bytes", sgip.MaxBody)
		return Doors{inboxFault: errors.New(err.Message), visitFault: errors.New(err.Message)}, err
	}
	var d Doors
	// What isn't there or is of the wrong kind stays empty.
	_ = json.Unmarshal(fields["capabilities"], &d.Capabilities)
	var keys []string
	_ = json.Unmarshal(fields["public_keys"], &keys)
	for _, text := range keys {
		if key, err := sgip.ParsePublicKey(text); err == nil && key.CheckOrder() == nil {
			d.Keys = append(d.Keys, key)
		}
	}
	d.Inbox, d.inboxFault = door(mode, platform, "inbox", fields["inbox"], false)
	d.Visit, d.visitFault = door(mode, platform, "visit", fields["visit"], true)
	for _, fault := range []error{d.inboxFault, d.visitFault} {
		if fault != nil {
			return d, sgip.Errorf(sgip.InvalidPayload, "%s", fault)
		}
	}
	return d, nil
}

func door(mode sgip.Mode, platform, name string, raw jsontext.Value, query bool) (string, error) {
	var url string
	if json.Unmarshal(raw, &url) != nil || url == "" {
		return "", fmt.Errorf("%s must be a URL", name)
	}
	if err := mode.CheckURL(platform, url, query); err != nil {
		return "", fmt.Errorf("%s %w", name, err)
	}
	return url, nil
}

func (r *run) checkDescriptor(context.Context) (string, error) {
	if r.served.Status != http.StatusOK {
		return "", fmt.Errorf("was answered with status %d; serve it with 200, without a redirect (section 2)", r.served.Status)
	}
	if kind := mediaType(r.served); kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return "", errors.New("must be served as Content-Type: application/json")
	}
	d, err := sgip.ParseDescriptor(r.Mode, r.platform, r.served.Body, true)
	if err != nil {
		return "", errors.New(sgip.AsError(err).Message + " (schemas/descriptor.json, section 2)")
	}
	return fmt.Sprintf("version %s, keys: %d, ops: %d", d.SGIP, len(d.PublicKeys), len(d.Capabilities)), nil
}

// mediaType is "" where there isn't exactly one that can be read.
func mediaType(response outbound.Response) string {
	kinds := response.Header.Values("Content-Type")
	if len(kinds) != 1 {
		return ""
	}
	kind, _, err := mime.ParseMediaType(kinds[0])
	if err != nil {
		return ""
	}
	return kind
}
