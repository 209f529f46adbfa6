package sgip

import (
	"net/url"
	"strings"
)

// PlaceQuery is the payload of place.status@1.
type PlaceQuery struct {
	Place string `json:"place"`
}

// PlaceReport answers it: how many players are there, never who (section 9).
type PlaceReport struct {
	Place   string   `json:"place"`
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Open    bool     `json:"open"`
	Players int64    `json:"players"`
	Verbs   []string `json:"verbs"`
}

const placeScheme = "place://"

// PlaceID is the address of a place (section 8.4).
func PlaceID(platform, district, slug string) string {
	return placeScheme + platform + "/" + url.PathEscape(district) + "/" + url.PathEscape(slug)
}

// SplitPlace splits "place://lagos.example/yaba/mama_put"; ok is false for
// anything else.
func (m Mode) SplitPlace(place string) (platform, district, slug string, ok bool) {
	rest, ok := strings.CutPrefix(place, placeScheme)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 || !m.ValidPlatform(parts[0]) {
		return "", "", "", false
	}
	district, errDistrict := url.PathUnescape(parts[1])
	slug, errSlug := url.PathUnescape(parts[2])
	if errDistrict != nil || errSlug != nil || district == "" || slug == "" {
		return "", "", "", false
	}
	return parts[0], district, slug, true
}
