package game

import (
	"context"
	"unicode"
	"unicode/utf8"
)

// maxMessage is how many code points a message may have, at home as abroad.
const maxMessage = 1000

// maxLabel is how many a label may have.
const maxLabel = 140

// Write sends a text to a resident by handle, delivered at once, or to a player
// of another game by full id: then it is sending until MessageEnded. The caller
// strips the town's own platform from an id. ErrNoPlayer for a stranger,
// ErrBlocked, ErrInvalid for a text that no game takes or for a guest, who
// writes from home.
func (t *Town) Write(ctx context.Context, who PersonID, to string, text string, messageID string) (Message, error) {
	return t.send(ctx, Message{ID: messageID, Owner: who, With: to, Text: text})
}

// send is how every letter goes out: a text, an invitation, an answer.
func (t *Town) send(ctx context.Context, m Message) (Message, error) {
	m.Mine, m.State, m.Read = true, MessageSending, true
	if err := m.check(); err != nil {
		return Message{}, err
	}
	if m.Owner.Guest() {
		return Message{}, refuse(ErrInvalid, "Guests write from home: your messages wait for you there.")
	}
	if string(m.Owner) == m.With {
		return Message{}, refuse(ErrInvalid, "That is you.")
	}
	err := t.tx(ctx, func(ctx context.Context) error {
		m.At = t.now()
		t.wake(ctx, m.Owner)
		if !PersonID(m.With).Guest() {
			m.State = MessageDelivered
			if err := t.deliverHere(ctx, m); err != nil {
				return err
			}
		}
		_, err := t.store.AddMessage(ctx, m)
		return err
	})
	if err != nil {
		return Message{}, err
	}
	return m, nil
}

// check holds a letter to what every game takes.
func (m Message) check() error {
	if m.Invite == nil {
		return CheckText(m.Text, maxMessage)
	}
	if err := CheckText(m.Invite.Label, maxLabel); err != nil {
		return err
	}
	if m.Text == "" { // an invitation says enough without
		return nil
	}
	return CheckText(m.Text, maxMessage)
}

// deliverHere puts the receiver's copy of a resident's message into their box.
func (t *Town) deliverHere(ctx context.Context, m Message) error {
	to, err := t.resident(ctx, m.With)
	if err != nil {
		return err
	}
	blocked, err := t.store.Blocked(ctx, to.ID, string(m.Owner))
	if err != nil {
		return err
	}
	if blocked {
		return refuse(ErrBlocked, to.Name+" doesn't take messages from you.")
	}
	m.Owner, m.With, m.Mine, m.Read = to.ID, string(m.Owner), false, false
	t.wake(ctx, to.ID)
	_, err = t.store.AddMessage(ctx, m)
	return err
}

// Receive takes a message or an invitation from abroad: Owner is the receiver,
// With the sender's player id. The same ID from the same sender is kept once. ErrNoPlayer for an
// absent player and alike for a hidden one who never wrote to the sender; then
// ErrBlocked; ErrInvalid for a text that no game takes.
func (t *Town) Receive(ctx context.Context, m Message) error {
	if err := m.check(); err != nil {
		return err
	}
	return t.tx(ctx, func(ctx context.Context) error {
		if _, err := t.reach(ctx, m.Owner, m.With, true); err != nil {
			return err
		}
		m.Mine, m.State, m.Why, m.Read, m.At = false, MessageDelivered, "", false, t.now()
		t.wake(ctx, m.Owner)
		_, err := t.store.AddMessage(ctx, m)
		return err
	})
}

// MessageEnded says what became of a message that was sent abroad: why is ""
// when it was delivered, else the code that ended it. ErrNoSuch for an unknown one.
func (t *Town) MessageEnded(ctx context.Context, messageID, why string) error {
	state := MessageDelivered
	if why != "" {
		state = MessageFailed
	}
	return t.moveMessage(ctx, messageID, state, why)
}

// MessageWaits says that a message is held until the other game is back.
func (t *Town) MessageWaits(ctx context.Context, messageID string) error {
	return t.moveMessage(ctx, messageID, MessageWaiting, "")
}

func (t *Town) moveMessage(ctx context.Context, id string, state MessageState, why string) error {
	return t.tx(ctx, func(ctx context.Context) error {
		owner, err := t.store.EndMessage(ctx, id, state, why)
		if err != nil {
			return err
		}
		t.wake(ctx, owner)
		return nil
	})
}

// Conversations are someone's, newest first.
func (t *Town) Conversations(ctx context.Context, who PersonID) ([]Conversation, error) {
	return t.store.Conversations(ctx, who, maxConversations)
}

// Conversation are the newest messages with one person, oldest first. It marks
// them as read.
func (t *Town) Conversation(ctx context.Context, who PersonID, with string) ([]Message, error) {
	messages, err := t.store.Messages(ctx, who, with, maxMessagesShown)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if !m.Read {
			err := t.tx(ctx, func(ctx context.Context) error {
				t.wake(ctx, who)
				return t.store.MarkRead(ctx, who, with)
			})
			return messages, err
		}
	}
	return messages, nil
}

// Unread is how many messages someone hasn't seen.
func (t *Town) Unread(ctx context.Context, who PersonID) (int, error) {
	return t.store.Unread(ctx, who)
}

// CheckText holds what people write to what every game on the network takes:
// valid UTF-8 of at most limit code points with something to see, no control
// characters but newline and tab, no tags. ErrInvalid says which.
func CheckText(text string, limit int) error {
	switch {
	case !utf8.ValidString(text):
		return refuse(ErrInvalid, "That text can't be read.")
	case utf8.RuneCountInString(text) > limit:
		return refuse(ErrInvalid, "That is too long.")
	}
	visible := false
	var last rune
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return refuse(ErrInvalid, "That text holds a character that can't be shown.")
		}
		if last == '<' && (r == '/' || r == '!' || unicode.IsLetter(r)) {
			return refuse(ErrInvalid, "No tags, please: write < apart from the next letter.")
		}
		visible = visible || unicode.IsGraphic(r) && !unicode.IsSpace(r)
		last = r
	}
	if !visible {
		return refuse(ErrInvalid, "There is nothing to read in that.")
	}
	return nil
}
