package town

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/game"
	"sgip.example/starter/game/bridge"
)

// letterbox is what the pages of letters ask of the bridge.
type letterbox interface {
	Write(ctx context.Context, who game.PersonID, to, text string) (game.Message, error)
	Desk(ctx context.Context) ([]bridge.Destination, error)
	Invite(ctx context.Context, who game.PersonID, to, activity string, at time.Time, text string) (game.Message, error)
	AnswerInvite(ctx context.Context, who game.PersonID, with, inviteID, text string) (game.Message, error)
	LocalWords(i game.Invite) (words string, local bool)
}

var _ letterbox = (*bridge.Bridge)(nil)

// messagePages are the letters.
type messagePages struct {
	site
	box letterbox
}

// lettersPage is the letters with their surroundings.
type lettersPage struct {
	base
	lettersView
}

func (p *messagePages) mount(r fiber.Router) {
	r.Get("/messages", p.signedIn(p.list))
	r.Post("/messages", p.signedIn(p.write))
	r.Get("/messages/live", p.signedIn(p.live))
	r.Get("/messages/:with", p.signedIn(p.conversation))
	p.mountInvites(r)
}

func (p *messagePages) list(c *fiber.Ctx) error {
	return p.render(c, fiber.StatusOK, lettersView{To: c.Query("to")})
}

func (p *messagePages) live(c *fiber.Ctx) error {
	wake, stop := p.town.Subscribe(p.me(c).ID)
	return p.app.Stream(c, wake, stop)
}

func (p *messagePages) conversation(c *fiber.Ctx) error {
	with, err := url.PathUnescape(c.Params("with"))
	if err != nil {
		return fiber.ErrNotFound
	}
	return p.render(c, fiber.StatusOK, lettersView{With: with})
}

// render fills the list and, where v.With says so, the conversation.
func (p *messagePages) render(c *fiber.Ctx, status int, v lettersView) error {
	ctx, me, now := c.UserContext(), p.me(c).ID, p.now()
	known := p.towns(ctx)
	v.Most, v.Example = maxLetter, example(known)
	if v.With != "" {
		letters, err := p.town.Conversation(ctx, me, v.With)
		if err != nil {
			return err
		}
		handle, platform, abroad := strings.Cut(v.With, "@")
		v.WithName = handle
		if abroad {
			v.WithTown = known.name(platform)
		}
		for _, m := range letters {
			n := newNote(m, v.WithTown, now)
			n.Answers = answersWords(m, letters)
			if m.Invite != nil {
				n.Invite = p.newInvitation(m, letters)
			}
			v.Letters = append(v.Letters, n)
		}
		blocks, err := p.town.Blocks(ctx, me)
		if err != nil {
			return err
		}
		v.Blocked = blockedOf(blocks, v.With)
	}
	conversations, err := p.town.Conversations(ctx, me)
	if err != nil {
		return err
	}
	for _, conv := range conversations {
		row := newLetterRow(conv, known, v.With, now)
		if row.Open {
			v.WithName = row.Name
		}
		v.Conversations = append(v.Conversations, row)
	}
	return p.app.Render(c, status, "messages", lettersPage{p.base(c), v})
}

// towns is what the directory tells, kept copies included; without it letters
// still go by full names.
func (p *messagePages) towns(ctx context.Context) towns {
	ctx, cancel := context.WithTimeout(ctx, directoryWait)
	defer cancel()
	known := towns{}
	destinations, err := p.box.Desk(ctx)
	if err != nil {
		p.log.Warn("directory", "error", err)
	}
	for _, d := range destinations {
		known[d.ID] = d
	}
	return known
}

// example is a town for the hint beside the field.
func example(known towns) string {
	first := "berlin.example"
	for id := range known {
		if first == "berlin.example" || id < first {
			first = id
		}
	}
	return first
}

// write sends a letter; what can be mended is answered with what was typed.
func (p *messagePages) write(c *fiber.Ctx) error {
	typed := strings.TrimSpace(c.FormValue("to"))
	text, wrong := cleanLetter(c.FormValue("text"))
	to, known := p.towns(c.UserContext()).address(typed, p.town.World())
	if wrong == nil && !known {
		wrong = &trouble{"We don't know where “" + cut(typed, 60) + "” is", "Your letter is still here.", "Check the name of the town, or write its full address, like lena@" + example(p.towns(c.UserContext())) + "."}
	}
	if wrong == nil {
		sent, err := p.box.Write(c.UserContext(), p.me(c).ID, to, text)
		if err == nil {
			return c.Redirect("/messages/"+url.PathEscape(sent.With), fiber.StatusSeeOther)
		}
		t, ok := letterTrouble(err, cut(typed, 60))
		if !ok {
			return err
		}
		wrong = &t
	}
	v := lettersView{To: typed, Text: text, Trouble: wrong}
	if p.writesBack(c, to) {
		v.With, v.To = to, ""
	}
	return p.render(c, fiber.StatusUnprocessableEntity, v)
}

// writesBack tells an answer in a conversation from a new letter, so that what
// went wrong is shown on the sheet it was written on.
func (p *messagePages) writesBack(c *fiber.Ctx, to string) bool {
	letters, err := p.town.Conversation(c.UserContext(), p.me(c).ID, to)
	return err == nil && len(letters) > 0
}
