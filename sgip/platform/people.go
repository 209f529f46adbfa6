package platform

import (
	"context"
	"fmt"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// ping answers hub.ping@1.
func (s *Seat) ping(context.Context, exchange.Incoming) (exchange.Answer, error) {
	return exchange.Answer{Result: sgip.Ping{
		Time:     s.c.Clock().UTC().Format(time.RFC3339),
		Software: s.c.Software,
	}}, nil
}

// lookup answers player.lookup@1. The hidden and the absent get the same bytes.
func (s *Seat) lookup(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var query sgip.PlayerQuery
	if err := in.Decode(s.c.Mode, &query); err != nil {
		return exchange.Answer{}, err
	}
	if in.To.Player != "" && in.To.Player != query.Player {
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "payload.player: must match to.player")
	}
	handle, ok := s.own(query.Player)
	if !ok {
		return exchange.Answer{}, noPlayer(query.Player)
	}
	player, err := s.game.Discoverable(ctx, handle)
	if err != nil {
		return exchange.Answer{}, uniform(err, query.Player)
	}
	return exchange.Answer{Result: sgip.PlayerCard{
		Player: query.Player, Name: player.Name, Avatar: player.Avatar,
	}}, nil
}

// receive answers message.send@1. That the player doesn't exist, or may not be
// revealed, is told before that a sender is missing (contract 9).
func (s *Seat) receive(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var payload sgip.MessagePayload
	if err := in.Decode(s.c.Mode, &payload); err != nil {
		return exchange.Answer{}, err
	}
	handle, ok := s.own(in.To.Player)
	if !ok {
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "to.player: must name the player who gets the message")
	}
	if in.From.Player == "" {
		if _, err := s.game.Discoverable(ctx, handle); err != nil {
			return exchange.Answer{}, uniform(err, in.To.Player)
		}
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "from.player: must name the player who writes")
	}
	m := Message{ID: in.ID, From: in.From.Player, To: in.To.Player, Text: payload.Text}
	if in.ReplyTo != nil {
		m.ReplyTo = *in.ReplyTo
	}
	if err := s.game.Receive(ctx, m); err != nil {
		return exchange.Answer{}, uniform(err, in.To.Player)
	}
	return exchange.Answer{Result: sgip.MessageResult{Delivered: true}}, nil
}

// own is the handle of one of this game's players.
func (s *Seat) own(player string) (handle string, ok bool) {
	handle, platform, ok := s.c.Mode.SplitPlayer(player)
	return handle, ok && platform == s.c.ID
}

// uniform makes every not_found about a player the same, so that words can't
// tell a hidden player from an absent one.
func uniform(err error, player string) error {
	if sgip.CodeOf(err) == sgip.NotFound {
		return noPlayer(player)
	}
	return err
}

func noPlayer(player string) error {
	return sgip.Errorf(sgip.NotFound, "No player %s", player)
}

// Send writes down a message to a player of another game (message.send@1); the
// game hears what became of it through Delivery. m.ID is the envelope id, a
// ULID. It belongs in the transaction that shows the message to its writer.
// InvalidPayload for a text or a name that no game would take.
func (s *Seat) Send(ctx context.Context, m Message) error {
	_, platform, ok := s.c.Mode.SplitPlayer(m.To)
	if !ok {
		return sgip.Errorf(sgip.InvalidPayload, "to: %q is not a player's name", m.To)
	}
	if err := sgip.CheckText("text", m.Text, sgip.MaxMessage); err != nil {
		return err
	}
	var replyTo *string
	if m.ReplyTo != "" {
		replyTo = &m.ReplyTo
	}
	body, err := s.encode(m.ID, sgip.MessageSend, m.From,
		sgip.Address{Platform: platform, Player: m.To}, replyTo, sgip.MessagePayload{Text: m.Text})
	if err != nil {
		return err
	}
	return s.post(ctx, exchange.Letter{
		ID: m.ID, Op: sgip.MessageSend, Body: body,
		Lane: "messages/" + platform, // in the order they were written
	})
}

// delivered tells the game how a message ended.
func (s *Seat) delivered(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
	if s.delivery == nil {
		return nil
	}
	if err := s.delivery.Delivered(ctx, l.ID, r.Error); err != nil {
		return fmt.Errorf("tell delivery: %w", err)
	}
	return nil
}
