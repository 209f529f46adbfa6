package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
)

// Place is where a town stands on the network.
type Place struct {
	ID     string // platform id
	Origin string // of its own pages
	Mode   sgip.Mode
	// Peers says which platform a short name in network.json stands for.
	Peers map[string]string
}

// Currency is the wire code of the world's money: an ISO 4217 code as it is; a
// game-only code gets the label of the game that runs the world (section 8.4).
func Currency(platform, code string) string {
	if _, own, ok := strings.Cut(code, ":"); ok {
		return sgip.Label(platform) + ":" + own
	}
	return code
}

// Template lays the world and its network.json into the descriptor template,
// whose addresses are paths on the town's own origin.
// Entries for a short name that no peer stands for are left out and returned,
// so that the caller can say so. The seat adds the keys and the capabilities.
func Template(template []byte, w *game.World, network []byte, at Place) (d sgip.Descriptor, unknown []string, err error) {
	if err := json.Unmarshal(template, &d); err != nil {
		return d, nil, fmt.Errorf("descriptor template: %w", err)
	}
	if err := json.Unmarshal(network, &d); err != nil {
		return d, nil, fmt.Errorf("network.json: %w", err)
	}
	d.SGIP, d.PlatformID = sgip.Version, at.ID
	d.Name, d.Description, d.Icon = w.Name, w.Description, w.Icon
	d.Languages = []string{w.Language}
	for _, address := range []*string{&d.Inbox, &d.Visit, &d.Return} {
		*address = at.Origin + *address
	}
	own := Currency(at.ID, w.Currency)
	if !slices.Contains(d.Currencies, own) {
		d.Currencies = append(d.Currencies, own)
	}
	if d.Money == nil {
		return d, nil, nil
	}
	d.Money.Accepts, unknown, err = resolvePeers(d.Money.Accepts, at)
	return d, unknown, err
}

func resolvePeers(entries []sgip.Accepts, at Place) (known []sgip.Accepts, unknown []string, err error) {
	for _, a := range entries {
		if strings.Contains(a.From, ".") {
			known = append(known, a)
			continue
		}
		id, ok := at.Peers[a.From]
		if !ok {
			unknown = append(unknown, a.From)
			continue
		}
		if id == at.ID {
			return nil, nil, errors.New("network.json: money.accepts: --peer " + a.From + " is this game itself")
		}
		a.From = id
		known = append(known, a)
	}
	return known, unknown, nil
}
