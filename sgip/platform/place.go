package platform

import (
	"context"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// Place is how a place is doing: how many players are there, and never who.
type Place struct {
	Name    string
	Kind    string // shared word
	Open    bool
	Players int64
	Verbs   []string // shared words: what can be done there
}

// Places tells other games about places (place.status@1).
type Places interface {
	// Place finds a place of the game by district and slug; NotFound if there is none.
	Place(ctx context.Context, district, slug string) (Place, error)
}

// placeStatus answers place.status@1.
func (s *Seat) placeStatus(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var query sgip.PlaceQuery
	if err := in.Decode(s.c.Mode, &query); err != nil {
		return exchange.Answer{}, err
	}
	platform, district, slug, ok := s.c.Mode.SplitPlace(query.Place)
	if !ok || platform != s.c.ID {
		return exchange.Answer{}, noPlace(query.Place)
	}
	p, err := s.places.Place(ctx, district, slug)
	if sgip.CodeOf(err) == sgip.NotFound {
		return exchange.Answer{}, noPlace(query.Place)
	}
	if err != nil {
		return exchange.Answer{}, err
	}
	status := sgip.PlaceReport{Place: query.Place, Name: p.Name, Kind: p.Kind, Open: p.Open, Players: p.Players, Verbs: p.Verbs}
	if status.Verbs == nil {
		status.Verbs = []string{} // required, may be empty
	}
	return exchange.Answer{Result: status}, nil
}

func noPlace(place string) error { return sgip.Errorf(sgip.NotFound, "No place %s", place) }

// PlaceStatus asks another game how one of its places is doing
// (place.status@1). It goes over the network, so it must not run in a transaction.
func (s *Seat) PlaceStatus(ctx context.Context, place string) (sgip.PlaceReport, error) {
	platform, _, _, ok := s.c.Mode.SplitPlace(place)
	if !ok {
		return sgip.PlaceReport{}, noPlace(place)
	}
	var status sgip.PlaceReport
	err := s.askOf(ctx, sgip.Address{Platform: platform}, sgip.PlaceStatus, "", sgip.PlaceQuery{Place: place}, &status)
	return status, err
}
