package platform

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// Invitation asks a player of another game to do something together. From and To
// are player ids; Verb is the shared word and Label the sender's own.
type Invitation struct {
	ID        string // envelope id; an answer names it as ReplyTo
	ReplyTo   string
	From      string
	To        string
	Verb      string
	Label     string
	Place     string    // place://<platform>/<district>/<slug>, or ""
	PlaceKind string    // shared word, or ""
	At        time.Time // zero for no time
	Text      string    // may be ""
}

// Inviter takes invitations (invite.send@1). What became of one that was sent
// with Invite is told to Delivery, like that of a message.
type Inviter interface {
	// Invited delivers an invitation in the transaction of its envelope, by the
	// rule, and on the path, of Game.Receive.
	Invited(ctx context.Context, i Invitation) error
}

// invited answers invite.send@1 as receive answers message.send@1.
func (s *Seat) invited(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.InvitePayload
	if err := in.Decode(s.c.Mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	if err := s.addressed(ctx, in); err != nil {
		return exchange.Answer{}, err
	}
	i := Invitation{
		ID: in.ID, ReplyTo: replyTo(in), From: in.From.Player, To: in.To.Player,
		Verb: p.Verb, Label: p.Label, Place: p.Place, PlaceKind: p.PlaceKind, Text: p.Text,
	}
	if p.At != "" {
		at, err := time.Parse(time.RFC3339, p.At)
		if err != nil {
			return exchange.Answer{}, sgip.Wrap(sgip.InvalidPayload, err, "payload.at: must be a time that exists")
		}
		i.At = at.UTC()
	}
	if err := s.inviter.Invited(ctx, i); err != nil {
		return exchange.Answer{}, uniform(err, in.To.Player)
	}
	return exchange.Answer{Result: sgip.InviteResult{Received: true}}, nil
}

// Invite writes down an invitation to a player of another game (invite.send@1),
// as Send does a message, and in one order with those.
func (s *Seat) Invite(ctx context.Context, i Invitation) error {
	payload := sgip.InvitePayload{Verb: i.Verb, Label: i.Label, Place: i.Place, PlaceKind: i.PlaceKind, Text: i.Text}
	if !i.At.IsZero() {
		payload.At = sgip.FormatTime(i.At)
	}
	return s.sendLetter(ctx, sgip.InviteSend, Message{ID: i.ID, ReplyTo: i.ReplyTo, From: i.From, To: i.To}, payload)
}
