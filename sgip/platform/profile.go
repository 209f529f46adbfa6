package platform

import (
	"context"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// Profile is what a game tells of a player whom anyone may find. Empty fields
// are left out, and so are stats that the vocabulary doesn't have.
type Profile struct {
	Player
	Bio          string
	District     string // never an address
	Stats        map[string]int
	Relationship string // of the asker to the player, by shared word
}

// Profiles shows players to other games (player.profile@1).
type Profiles interface {
	// Profile finds a player by the rule, and on the path, of Discoverable.
	Profile(ctx context.Context, handle, asker string) (Profile, error)
}

// profile answers player.profile@1 as lookup answers player.lookup@1.
func (s *Seat) profile(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	player, handle, err := s.asked(in)
	if err != nil {
		return exchange.Answer{}, err
	}
	p, err := s.profiles.Profile(ctx, handle, asker(in))
	if err != nil {
		return exchange.Answer{}, uniform(err, player)
	}
	card := sgip.ProfileCard{Player: player, Name: p.Name, Avatar: p.Avatar, Bio: p.Bio, District: p.District, Relationship: p.Relationship}
	for id, value := range p.Stats {
		if sgip.RegisteredStat(id) {
			if card.Stats == nil {
				card.Stats = map[string]int{}
			}
			card.Stats[id] = value
		}
	}
	return exchange.Answer{Result: card}, nil
}

// Profile asks another game about one of its players (player.profile@1, or
// player.lookup@1 where that game has no profiles). handle is who asks. It goes
// over the network, so it must not run in a transaction. NotFound for an absent
// or hidden player, Forbidden for an asker whom the player has blocked.
func (s *Seat) Profile(ctx context.Context, handle, player string) (sgip.ProfileCard, error) {
	_, platform, ok := s.c.Mode.SplitPlayer(player)
	if !ok {
		return sgip.ProfileCard{}, noPlayer(player)
	}
	to, from := sgip.Address{Platform: platform}, sgip.PlayerID(handle, s.c.ID)
	var card sgip.ProfileCard
	err := s.askOf(ctx, to, sgip.PlayerProfile, from, sgip.PlayerQuery{Player: player}, &card)
	if sgip.CodeOf(err) == sgip.OpUnsupported {
		var short sgip.PlayerCard
		err = s.askOf(ctx, to, sgip.PlayerLookup, from, sgip.PlayerQuery{Player: player}, &short)
		card = sgip.ProfileCard{Player: short.Player, Name: short.Name, Avatar: short.Avatar}
	}
	if err == nil && card.Player != player {
		err = sgip.Errorf(sgip.PlatformOffline, "the answer is about someone else")
	}
	if err != nil {
		return sgip.ProfileCard{}, err
	}
	return card, nil
}
