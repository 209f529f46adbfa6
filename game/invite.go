package game

import (
	"context"
	"time"
)

// Invite is what an invitation is to. Verb and PlaceKind are shared words, Label
// is the sender's own.
type Invite struct {
	Verb      string    `json:"verb"`
	Label     string    `json:"label"`
	Place     string    `json:"place,omitempty"` // of this town a slug, else place://…
	PlaceKind string    `json:"place_kind,omitempty"`
	At        time.Time `json:"at,omitzero"` // zero for no time
}

// Invite sends an invitation as Write sends a text, which may be "" here.
func (t *Town) Invite(ctx context.Context, who PersonID, to string, i Invite, text, messageID string) (Message, error) {
	return t.send(ctx, Message{ID: messageID, Owner: who, With: to, Text: text, Invite: &i})
}

// InviteTo is an invitation to something that can be done in this town.
// ErrNoSuch for an unknown activity, ErrInvalid for a time that has passed.
func (t *Town) InviteTo(activity string, at time.Time) (Invite, error) {
	a := t.world.Activity(activity)
	if a == nil || a.BuysStall {
		return Invite{}, refuse(ErrNoSuch, "There is no such thing to do here.")
	}
	if !at.IsZero() && at.Before(t.now()) {
		return Invite{}, refuse(ErrInvalid, "That time has passed already.")
	}
	p := t.world.Place(a.Place)
	return Invite{Verb: a.Verb, Label: a.Label, Place: p.Slug, PlaceKind: p.Kind, At: at}, nil
}

// AnswerInvite answers an invitation by someone, who may be of this town or
// another. ErrNoSuch for one that isn't there, else as Write.
func (t *Town) AnswerInvite(ctx context.Context, who PersonID, with, inviteID, text, messageID string) (Message, error) {
	letter, err := t.store.Letter(ctx, who, with, inviteID)
	if err != nil {
		return Message{}, err
	}
	if letter.Invite == nil {
		return Message{}, refuse(ErrNoSuch, "That wasn't an invitation.")
	}
	return t.send(ctx, Message{ID: messageID, Owner: who, With: with, Text: text, ReplyTo: inviteID})
}

// LocalVerb finds what stands for a shared verb here: the activity that residents
// call by their own words. nil where the town has nothing by that verb.
func (w *World) LocalVerb(verb string) *Activity {
	for i := range w.Places {
		for j := range w.Places[i].Activities {
			if a := &w.Places[i].Activities[j]; a.Verb == verb && !a.BuysStall {
				return a
			}
		}
	}
	return nil
}
