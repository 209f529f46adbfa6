package town

import (
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
)

// inviteView is the form of an invitation, as it was filled in.
type inviteView struct {
	base
	With, WithName, WithTown string
	Places                   []game.Place
	Activity, At, Text       string
	Most                     int
	Trouble                  *trouble
}

// invitation is an invitation on the letter sheet.
type invitation struct {
	ID, With string
	Words    string // what it is to, in this town's own words where there are some
	Theirs   string // the sender's words, where they differ
	Verb     string // icon
	Place    string // where it leads; "" for none
	Where    string
	At       string
	CanReply bool
	Reply    string // "accepted" and so on, in words; "" while open
}

func (p *messagePages) mountInvites(r fiber.Router) {
	r.Get("/messages/:with/invite", p.signedIn(p.showInvite))
	r.Post("/messages/:with/invite", p.signedIn(p.invite))
	r.Post("/messages/:with/answer", p.signedIn(p.answer))
}

// withWhom is the other side of a conversation, from the address.
func withWhom(c *fiber.Ctx) (string, error) {
	with, err := url.PathUnescape(c.Params("with"))
	if err != nil || with == "" || len(with) > maxPersonID {
		return "", fiber.ErrNotFound
	}
	return with, nil
}

func (p *messagePages) showInvite(c *fiber.Ctx) error {
	with, err := withWhom(c)
	if err != nil {
		return err
	}
	return p.renderInvite(c, fiber.StatusOK, inviteView{With: with})
}

func (p *messagePages) renderInvite(c *fiber.Ctx, status int, v inviteView) error {
	handle, platform, abroad := strings.Cut(v.With, "@")
	v.base, v.WithName, v.Most, v.Places = p.base(c), handle, maxLetter, p.town.World().Places
	if abroad {
		v.WithTown = p.towns(c.UserContext()).name(platform)
	}
	return p.app.Render(c, status, "invite", v)
}

// formTime is how browsers send a date and a time.
const formTime = "2006-01-02T15:04"

func (p *messagePages) invite(c *fiber.Ctx) error {
	with, err := withWhom(c)
	if err != nil {
		return err
	}
	v := inviteView{With: with, Activity: c.FormValue("activity"), At: strings.TrimSpace(c.FormValue("at")), Text: strings.TrimSpace(newlines(c.FormValue("text")))}
	var at time.Time
	if v.At != "" {
		if at, err = time.ParseInLocation(formTime, v.At, time.UTC); err != nil {
			v.Trouble = &trouble{"That isn't a date we can read", "Nothing was sent, and your text is still here.", "Write it like 2026-12-24T19:00, or leave it open."}
			return p.renderInvite(c, fiber.StatusUnprocessableEntity, v)
		}
	}
	sent, err := p.box.Invite(c.UserContext(), p.me(c).ID, with, v.Activity, at, v.Text)
	if err == nil {
		return c.Redirect("/messages/"+url.PathEscape(sent.With), fiber.StatusSeeOther)
	}
	t, ok := letterTrouble(err, cut(with, 60))
	if !ok {
		return notFoundOr(err)
	}
	v.Trouble = &t
	return p.renderInvite(c, fiber.StatusUnprocessableEntity, v)
}

// What an answer says. The other game shows it as a letter that answers.
const (
	answerYes = "I'll be there!"
	answerNo  = "Sorry, I can't make it."
)

func (p *messagePages) answer(c *fiber.Ctx) error {
	with, err := withWhom(c)
	if err != nil {
		return err
	}
	text := answerNo
	if c.FormValue("answer") == "yes" {
		text = answerYes
	}
	sent, err := p.box.AnswerInvite(c.UserContext(), p.me(c).ID, with, c.FormValue("id"), text)
	if err == nil {
		return c.Redirect("/messages/"+url.PathEscape(sent.With), fiber.StatusSeeOther)
	}
	t, ok := letterTrouble(err, cut(with, 60))
	if !ok {
		return notFoundOr(err)
	}
	return p.render(c, fiber.StatusUnprocessableEntity, lettersView{With: with, Trouble: &t})
}

// newInvitation lays an invitation out, with what the letters after it say of it.
func (p *messagePages) newInvitation(m game.Message, letters []game.Message) *invitation {
	v := &invitation{ID: m.ID, With: m.With, Words: m.Invite.Label, Verb: verbIcon(m.Invite.Verb)}
	if !m.Mine {
		if words, local := p.box.LocalWords(*m.Invite); local && words != m.Invite.Label {
			v.Words, v.Theirs = words, m.Invite.Label
		}
	}
	if place := p.town.World().Place(m.Invite.Place); place != nil {
		v.Where, v.Place = place.Name, "/places?place="+url.QueryEscape(place.Slug)
	} else if m.Invite.Place != "" {
		v.Where = orElse(sgip.PlaceKindWord(m.Invite.PlaceKind), "There")
		v.Place = "/places?place=" + url.QueryEscape(m.Invite.Place)
	} else {
		v.Where = sgip.PlaceKindWord(m.Invite.PlaceKind)
	}
	if !m.Invite.At.IsZero() {
		v.At = m.Invite.At.UTC().Format("Mon 2 Jan 2006, 15:04") + " UTC"
	}
	v.CanReply = !m.Mine
	for _, answer := range letters {
		if answer.ReplyTo == m.ID && answer.Mine != m.Mine {
			v.CanReply, v.Reply = false, answeredWords(answer.Mine)
		}
	}
	return v
}

func answeredWords(mine bool) string {
	if mine {
		return "You have answered"
	}
	return "Answered"
}

// answersWords says which letter a letter answers, "" where it stands alone.
func answersWords(m game.Message, letters []game.Message) string {
	for _, asked := range letters {
		if m.ReplyTo == asked.ID && asked.Mine != m.Mine {
			if asked.Invite != nil {
				return asked.Invite.Label
			}
			return cut(asked.Text, 40)
		}
	}
	return ""
}

// newlines makes line ends what the network takes.
func newlines(typed string) string {
	return strings.ReplaceAll(strings.ReplaceAll(typed, "\r\n", "\n"), "\r", "\n")
}
