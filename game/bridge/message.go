package bridge

import (
	"context"
	"errors"
	"strings"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// Write sends a text to a neighbour ("ada") or to a player of another game
// ("lena@berlin.example"). What is sent abroad is on disk when Write returns;
// how it ended shows in the conversation.
func (b *Bridge) Write(ctx context.Context, who game.PersonID, to, text string) (game.Message, error) {
	to = strings.TrimSuffix(strings.TrimSpace(to), "@"+b.id)
	if err := sgip.CheckText("text", text, sgip.MaxMessage); err != nil {
		return game.Message{}, err
	}
	var sent game.Message
	err := b.inTx(ctx, func(ctx context.Context) error {
		var err error
		sent, err = b.town.Write(ctx, who, to, text, b.newID())
		if err != nil || !strings.Contains(to, "@") {
			return err
		}
		return b.seat.Send(ctx, platform.Message{ID: sent.ID, From: sgip.PlayerID(string(who), b.id), To: to, Text: text})
	})
	return sent, err
}

// Receive delivers a message from abroad (message.send@1).
func (b *Bridge) Receive(ctx context.Context, m platform.Message) error {
	handle, _, _ := strings.Cut(m.To, "@")
	err := b.town.Receive(ctx, game.Message{ID: m.ID, Owner: game.PersonID(handle), With: m.From, Text: m.Text})
	if errors.Is(err, game.ErrNoPlayer) {
		// The words must be those of player.lookup@1 for someone who isn't there.
		return sgip.Errorf(sgip.NotFound, "no player %s", m.To)
	}
	return refusal(err)
}

// Delivered notes what became of a message sent abroad.
func (b *Bridge) Delivered(ctx context.Context, messageID string, err *sgip.Error) error {
	why := ""
	if err != nil {
		why = string(err.Code)
	}
	return b.town.MessageEnded(ctx, messageID, why)
}
