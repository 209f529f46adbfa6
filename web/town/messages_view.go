package town

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
	"sgip.example/starter/sgip"
)

// maxLetter is the most code points a letter may have (section 11).
const maxLetter = sgip.MaxMessage

// letterRow is one conversation in the list.
type letterRow struct {
	With, Name, Abroad string
	Last               string
	At, AtISO          string
	Unread             int
	Open               bool
}

// note is one letter on the sheet.
type note struct {
	ID, Text, At, AtISO string
	Mine                bool
	Kind                game.MessageState
	State               string      // in words
	Invite              *invitation // nil for a plain letter
	Answers             string      // what it answers, in words
}

// lettersView is the page of letters: the list, and one conversation or a new sheet.
type lettersView struct {
	Conversations            []letterRow
	With, WithName, WithTown string
	Letters                  []note
	To, Text                 string // as typed, when it couldn't be sent
	Example                  string // a town's id, for the hint
	Most                     int
	Trouble                  *trouble
	Blocked                  blocked
}

// towns are the games that the directory told of, by platform id.
type towns map[string]bridge.Destination

// name is how a game is called; its id where the directory is silent.
func (t towns) name(platform string) string { return orElse(t[platform].Name, platform) }

// address finds who "lena@berlin" is: a handle of this town, or a full player
// id. A town may be written by its id, its name or the first label of its id.
// ok is false for a town that nobody knows.
func (t towns) address(typed string, home *game.World) (to string, ok bool) {
	handle, place, abroad := strings.Cut(strings.ToLower(strings.TrimSpace(typed)), "@")
	if !abroad || place == home.Slug || strings.EqualFold(place, home.Name) {
		return handle, true
	}
	if _, known := t[place]; known {
		return sgip.PlayerID(handle, place), true
	}
	found := ""
	for id, d := range t {
		if sgip.Label(id) == place || strings.EqualFold(d.Name, place) {
			if found != "" {
				return "", false // two towns go by that name
			}
			found = id
		}
	}
	if found == "" && strings.Contains(place, ".") {
		found = place // the directory may be away; the hub knows
	}
	return sgip.PlayerID(handle, found), found != ""
}

// newLetterRow lays a conversation out.
func newLetterRow(c game.Conversation, t towns, open string, now time.Time) letterRow {
	handle, platform, abroad := strings.Cut(c.With, "@")
	row := letterRow{With: c.With, Name: orElse(c.Name, handle), Last: c.Last,
		At: whenWords(c.At, now), AtISO: c.At.UTC().Format(time.RFC3339), Unread: c.Unread, Open: c.With == open}
	if abroad {
		row.Abroad = t.name(platform)
	}
	if c.Invite {
		row.Last = "Invitation: " + c.Last
	}
	if c.Mine {
		row.Last = "You: " + row.Last
	}
	return row
}

// newNote lays a message out.
func newNote(m game.Message, town string, now time.Time) note {
	l := note{ID: anchor(m.ID), Text: m.Text, Mine: m.Mine, Kind: m.State, At: whenWords(m.At, now), AtISO: m.At.UTC().Format(time.RFC3339)}
	if m.Mine {
		l.State = stateWords(m, town)
	}
	return l
}

// stateWords says how far a letter has come. A name that doesn't exist and one
// that is hidden get the same words, or the words would tell them apart.
func stateWords(m game.Message, town string) string {
	switch m.State {
	case game.MessageSending:
		return "on its way"
	case game.MessageWaiting:
		return "waits until " + town + " is back"
	case game.MessageDelivered:
		return "delivered"
	}
	switch sgip.Code(m.Why) {
	case sgip.NotFound:
		return "came back: nobody by that name takes letters there"
	case sgip.Forbidden:
		return "came back: it was not accepted"
	case sgip.PlatformOffline:
		return "came back: " + town + " could not be reached"
	case sgip.InvalidPayload:
		return "came back: " + town + " couldn't read it"
	}
	return "came back: something broke on the way"
}

// letterTrouble puts a letter that couldn't be sent into words.
func letterTrouble(err error, to string) (trouble, bool) {
	const kept = "Your letter is still here."
	switch {
	case errors.Is(err, game.ErrNoPlayer):
		return trouble{"Nobody called “" + to + "” takes letters", kept, "Check the spelling, or ask them for their name."}, true
	case errors.Is(err, game.ErrBlocked):
		return trouble{"“" + to + "” doesn't take letters from you", kept, "There are others who may."}, true
	case errors.Is(err, game.ErrInvalid):
		return trouble{"This letter can't be sent as it is", kept, err.Error()}, true
	}
	if e, ok := errors.AsType[*sgip.Error](err); ok && e.Code == sgip.InvalidPayload {
		return trouble{"This letter can't be sent as it is", kept, "It needs at least one visible character and can't hold HTML tags or control characters."}, true
	}
	return trouble{}, false
}

// cleanLetter turns what a form sends into what the network takes: line ends
// are \n. It returns what is wrong with it, if anything.
func cleanLetter(typed string) (text string, wrong *trouble) {
	text = newlines(typed)
	if strings.TrimSpace(text) == "" {
		return text, &trouble{"The sheet is still empty", "Nothing was sent.", "Write a line first."}
	}
	if n := utf8.RuneCountInString(text); n > maxLetter {
		return text, &trouble{"This letter is too long", "Nothing was sent, and your text is still here.", tooLongWords(n)}
	}
	return text, nil
}

func tooLongWords(n int) string {
	return "It has " + plainAmount(int64(n), 0) + " characters; letters hold " + plainAmount(maxLetter, 0) + ". Make it shorter by " + plainAmount(int64(n-maxLetter), 0) + "."
}

// whenWords is the time of a letter: the hour today, the day before that.
func whenWords(at, now time.Time) string {
	at, now = at.UTC(), now.UTC()
	switch {
	case now.Sub(at) < time.Minute:
		return "now"
	case at.YearDay() == now.YearDay() && at.Year() == now.Year():
		return at.Format("15:04")
	case now.Sub(at) < 6*24*time.Hour:
		return at.Format("Mon 15:04")
	}
	return at.Format("2 Jan")
}
