package bridge

import (
	"context"
	"strings"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// penFriend is what someone is to whom a resident has written.
const penFriend = "pen_friend"

// Discoverable answers player.lookup@1; the absent and the hidden are alike.
func (b *Bridge) Discoverable(ctx context.Context, handle, asker string) (platform.Player, error) {
	p, err := b.town.Find(ctx, handle, asker)
	if err != nil {
		return platform.Player{}, refusal(err)
	}
	return player(p), nil
}

func player(p game.Person) platform.Player {
	return platform.Player{Handle: string(p.ID), Name: p.Name, Avatar: p.Avatar}
}

// Profile answers player.profile@1 by the same rule.
func (b *Bridge) Profile(ctx context.Context, handle, asker string) (platform.Profile, error) {
	p, err := b.town.Profile(ctx, handle, asker)
	if err != nil {
		return platform.Profile{}, refusal(err)
	}
	out := platform.Profile{Player: player(p.Person), Bio: p.Bio, District: p.District, Stats: p.Stats}
	if p.PenPal {
		out.Relationship = penFriend
	}
	return out, nil
}

// Card is what one resident sees of another person: a neighbour by handle, a
// player of another game by id. NotFound for one who isn't there or doesn't want
// to be found, Forbidden for one who has blocked the asker.
func (b *Bridge) Card(ctx context.Context, who game.PersonID, id string) (sgip.ProfileCard, error) {
	id = strings.TrimSuffix(id, "@"+b.id)
	if strings.Contains(id, "@") {
		return b.seat.Profile(ctx, string(who), id)
	}
	p, err := b.town.NeighbourProfile(ctx, id, who)
	if err != nil {
		return sgip.ProfileCard{}, refusal(err)
	}
	card := sgip.ProfileCard{Player: sgip.PlayerID(id, b.id), Name: p.Name, Avatar: p.Avatar, Bio: p.Bio, District: p.District, Stats: p.Stats}
	if p.PenPal {
		card.Relationship = penFriend
	}
	return card, nil
}
