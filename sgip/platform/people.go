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
	player, handle, err := s.asked(in)
	if err != nil {
		return exchange.Answer{}, err
	}
	p, err := s.game.Discoverable(ctx, handle, asker(in))
	if err != nil {
		return exchange.Answer{}, uniform(err, player)
	}
	return exchange.Answer{Result: sgip.PlayerCard{Player: player, Name: p.Name, Avatar: p.Avatar}}, nil
}

// asked reads whom player.lookup@1 or player.profile@1 asks for.
func (s *Seat) asked(in exchange.Incoming) (player, handle string, err error) {
	var query sgip.PlayerQuery
	if err := in.Decode(s.c.Mode, &query); err != nil {
		return "", "", err
	}
	if in.To.Player != "" && in.To.Player != query.Player {
		return "", "", sgip.Errorf(sgip.InvalidPayload, "payload.player: must match to.player")
	}
	handle, ok := s.own(query.Player)
	if !ok {
		return "", "", noPlayer(query.Player)
	}
	return query.Player, handle, nil
}

// asker is who sends: a player, or else a platform.
func asker(in exchange.Incoming) string {
	if in.From.Player != "" {
		return in.From.Player
	}
	return in.From.Platform
}

// receive answers message.send@1.
func (s *Seat) receive(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var payload sgip.MessagePayload
	if err := in.Decode(s.c.Mode, &payload); err != nil {
		return exchange.Answer{}, err
	}
	if err := s.addressed(ctx, in); err != nil {
		return exchange.Answer{}, err
	}
	m := Message{ID: in.ID, ReplyTo: replyTo(in), From: in.From.Player, To: in.To.Player, Text: payload.Text}
	if err := s.game.Receive(ctx, m); err != nil {
		return exchange.Answer{}, uniform(err, in.To.Player)
	}
	return exchange.Answer{Result: sgip.MessageResult{Delivered: true}}, nil
}

// addressed wants a letter to name both its players. That the receiver doesn't
// exist, or may not be revealed, is told before that a sender is missing
// (contract 5).
func (s *Seat) addressed(ctx context.Context, in exchange.Incoming) error {
	handle, ok := s.own(in.To.Player)
	if !ok {
		return sgip.Errorf(sgip.InvalidPayload, "to.player: must name the player who is written to")
	}
	if in.From.Player != "" {
		return nil
	}
	if _, err := s.game.Discoverable(ctx, handle, asker(in)); err != nil {
		return uniform(err, in.To.Player)
	}
	return sgip.Errorf(sgip.InvalidPayload, "from.player: must name the player who writes")
}

func replyTo(in exchange.Incoming) string {
	if in.ReplyTo == nil {
		return ""
	}
	return *in.ReplyTo
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
	if err := sgip.CheckText("text", m.Text, sgip.MaxMessage); err != nil {
		return err
	}
	return s.sendLetter(ctx, sgip.MessageSend, m, sgip.MessagePayload{Text: m.Text})
}

// sendLetter writes down a message or an invitation with the payload that it has.
func (s *Seat) sendLetter(ctx context.Context, op sgip.Op, m Message, payload any) error {
	_, platform, ok := s.c.Mode.SplitPlayer(m.To)
	if !ok {
		return sgip.Errorf(sgip.InvalidPayload, "to: %q is not a player's name", m.To)
	}
	var replyTo *string
	if m.ReplyTo != "" {
		replyTo = &m.ReplyTo
	}
	body, err := s.encode(m.ID, op, m.From, sgip.Address{Platform: platform, Player: m.To}, replyTo, payload)
	if err != nil {
		return err
	}
	return s.post(ctx, exchange.Letter{
		ID: m.ID, Op: op, Body: body,
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

// waits tells the game that a message is held for an offline game.
func (s *Seat) waits(ctx context.Context, l exchange.Letter) error {
	if s.delivery == nil {
		return nil
	}
	if err := s.delivery.Waits(ctx, l.ID); err != nil {
		return fmt.Errorf("tell delivery: %w", err)
	}
	return nil
}
