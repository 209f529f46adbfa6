package bridge

import (
	"context"
	"strings"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// Write sends a text to a neighbour ("ada") or to a player of another game
// ("lena@berlin.example"). What is sent abroad is on disk when Write returns;
// how it ended shows in the conversation.
func (b *Bridge) Write(ctx context.Context, who game.PersonID, to, text string) (game.Message, error) {
	if err := sgip.CheckText("text", text, sgip.MaxMessage); err != nil {
		return game.Message{}, err
	}
	to = b.strip(to)
	return b.post(ctx, to, func(ctx context.Context) (game.Message, error) {
		return b.town.Write(ctx, who, to, text, b.newID())
	})
}

// Receive delivers a message from abroad (message.send@1).
func (b *Bridge) Receive(ctx context.Context, m platform.Message) error {
	handle, _, _ := strings.Cut(m.To, "@")
	return b.deliver(ctx, game.Message{ID: m.ID, ReplyTo: m.ReplyTo, Owner: game.PersonID(handle), With: m.From, Text: m.Text})
}

// Delivered notes what became of a message sent abroad.
func (b *Bridge) Delivered(ctx context.Context, messageID string, err *sgip.Error) error {
	why := ""
	if err != nil {
		why = string(err.Code)
	}
	return b.town.MessageEnded(ctx, messageID, why)
}

// Waits notes that a message is held until the other game is back.
func (b *Bridge) Waits(ctx context.Context, messageID string) error {
	return b.town.MessageWaits(ctx, messageID)
}
