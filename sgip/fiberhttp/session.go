package fiberhttp

import (
	"context"
	"mime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/visit"
)

// maxSessionBody bounds what the visit page's script posts: a passport and its
// wrapping.
const maxSessionBody = sgip.MaxPassport + 256

// Session serves POST /visit/session: the visit page's script hands a passport
// over (contract 7.2). home and visit of the launch URL come in the query, since
// neither is secret; the passport comes in the body and the guest token, if the
// page has one, in the Authorization header. The answer is the session, or an
// error of section 5.
func Session(v interface {
	Enter(ctx context.Context, e visit.Enter) (visit.Session, error)
}) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-store")
		entry, err := entryOf(c)
		if err != nil {
			return send(c, sgip.ErrorReply("", err))
		}
		session, err := v.Enter(c.UserContext(), entry)
		if err != nil {
			return send(c, sgip.ErrorReply("", err))
		}
		body, err := sgip.Marshal(session)
		if err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(body)
	}
}

func entryOf(c *fiber.Ctx) (visit.Enter, error) {
	kind, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEApplicationJSON {
		return visit.Enter{}, sgip.Errorf(sgip.InvalidPayload, "the Content-Type must be application/json")
	}
	body := slices.Clone(c.Request().Body())
	if len(body) > maxSessionBody {
		return visit.Enter{}, sgip.Wrap(sgip.InvalidPayload, sgip.ErrTooLarge, "the body is larger than a passport")
	}
	var posted struct {
		Passport string `json:"passport"`
	}
	if err := json.Unmarshal(body, &posted); err != nil {
		return visit.Enter{}, sgip.Wrap(sgip.InvalidPayload, err, "the body must be one JSON object with a passport")
	}
	token, _ := strings.CutPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")
	return visit.Enter{
		Passport: posted.Passport,
		Home:     strings.Clone(c.Query("home")),
		VisitID:  strings.Clone(c.Query("visit")),
		Token:    strings.Clone(token),
	}, nil
}
