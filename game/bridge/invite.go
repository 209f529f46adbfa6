package bridge

import (
	"context"
	"strings"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// Invite asks a neighbour ("ada") or a player of another game
// ("lena@berlin.example") to something that can be done in this town. Like a
// letter, what goes abroad is on disk when Invite returns.
func (b *Bridge) Invite(ctx context.Context, who game.PersonID, to, activity string, at time.Time, text string) (game.Message, error) {
	invite, err := b.town.InviteTo(activity, at)
	if err != nil {
		return game.Message{}, err
	}
	to = b.strip(to)
	return b.post(ctx, to, func(ctx context.Context) (game.Message, error) {
		return b.town.Invite(ctx, who, to, invite, text, b.newID())
	})
}

// AnswerInvite answers an invitation with a letter that names it (reply_to).
func (b *Bridge) AnswerInvite(ctx context.Context, who game.PersonID, with, inviteID, text string) (game.Message, error) {
	with = b.strip(with)
	return b.post(ctx, with, func(ctx context.Context) (game.Message, error) {
		return b.town.AnswerInvite(ctx, who, with, inviteID, text, b.newID())
	})
}

// strip leaves the handle alone of one of the town's own players.
func (b *Bridge) strip(player string) string {
	return strings.TrimSuffix(strings.TrimSpace(player), "@"+b.id)
}

// post writes a letter into the conversation and, where it goes abroad, into the
// outbox, in one transaction.
func (b *Bridge) post(ctx context.Context, to string, write func(ctx context.Context) (game.Message, error)) (game.Message, error) {
	var sent game.Message
	err := b.inTx(ctx, func(ctx context.Context) error {
		var err error
		if sent, err = write(ctx); err != nil || !strings.Contains(to, "@") {
			return err
		}
		from := sgip.PlayerID(string(sent.Owner), b.id)
		if sent.Invite == nil {
			return b.seat.Send(ctx, platform.Message{ID: sent.ID, ReplyTo: sent.ReplyTo, From: from, To: to, Text: sent.Text})
		}
		return b.seat.Invite(ctx, platform.Invitation{
			ID: sent.ID, ReplyTo: sent.ReplyTo, From: from, To: to, Verb: sent.Invite.Verb, Label: sent.Invite.Label,
			Place: b.placeID(sent.Invite.Place), PlaceKind: sent.Invite.PlaceKind, At: sent.Invite.At, Text: sent.Text,
		})
	})
	return sent, err
}

// placeID is the network's address of one of the town's places.
func (b *Bridge) placeID(slug string) string {
	p := b.town.World().Place(slug)
	if p == nil {
		return ""
	}
	return sgip.PlaceID(b.id, p.District, p.Slug)
}

// Invited delivers an invitation from abroad (invite.send@1).
func (b *Bridge) Invited(ctx context.Context, i platform.Invitation) error {
	handle, _, _ := strings.Cut(i.To, "@")
	return b.deliver(ctx, game.Message{ID: i.ID, ReplyTo: i.ReplyTo, Owner: game.PersonID(handle), With: i.From, Text: i.Text,
		Invite: &game.Invite{Verb: i.Verb, Label: i.Label, Place: i.Place, PlaceKind: i.PlaceKind, At: i.At}})
}

// deliver puts what came from abroad into a resident's box. The words for one who
// isn't there are the seat's: the same whatever was asked (contract 9).
func (b *Bridge) deliver(ctx context.Context, m game.Message) error {
	return refusal(b.town.Receive(ctx, m))
}

// Place answers place.status@1.
func (b *Bridge) Place(ctx context.Context, district, slug string) (platform.Place, error) {
	status, err := b.town.PlaceStatus(ctx, district, slug)
	if err != nil {
		return platform.Place{}, refusal(err)
	}
	p := platform.Place{Name: status.Place.Name, Kind: status.Place.Kind, Open: status.Open, Players: int64(status.Players)}
	seen := map[string]bool{}
	for _, a := range status.Place.Activities {
		if !seen[a.Verb] && !a.BuysStall {
			seen[a.Verb] = true
			p.Verbs = append(p.Verbs, a.Verb)
		}
	}
	return p, nil
}

// PlaceStatus tells how a place is doing, of this town by slug or of another by
// its address (place.status@1): how many are there, never who.
func (b *Bridge) PlaceStatus(ctx context.Context, place string) (sgip.PlaceReport, error) {
	if p := b.town.World().Place(place); p != nil {
		status, err := b.Place(ctx, p.District, p.Slug)
		return sgip.PlaceReport{Place: b.placeID(p.Slug), Name: status.Name, Kind: status.Kind,
			Open: status.Open, Players: status.Players, Verbs: status.Verbs}, err
	}
	return b.seat.PlaceStatus(ctx, place)
}

// LocalWords is how this town calls what an invitation is to: by an activity of
// its own that the shared verb, or a broader one, stands for (section 8.3); the
// sender's label where there is none.
func (b *Bridge) LocalWords(i game.Invite) (words string, local bool) {
	world := b.town.World()
	verb, ok := sgip.ResolveVerb(i.Verb, func(id string) bool { return world.LocalVerb(id) != nil })
	if !ok {
		return i.Label, false
	}
	return world.LocalVerb(verb).Label, true
}
