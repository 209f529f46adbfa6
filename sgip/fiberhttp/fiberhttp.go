// Package fiberhttp puts the protocol's endpoints on Fiber: the raw request goes
// in, status and bytes come out. Build the app with Config, put a Guard on it,
// then mount Inbox, JSON, Session and Script. What a handler gets of Fiber is copied first thing,
// since Fiber reuses its memory.
package fiberhttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

const (
	// headerLimit holds the request line and all headers; Fiber's own 4 KiB would
	// answer 431 before any handler runs.
	headerLimit = 16 << 10
	// readWithin is how long a request may take to come in, to its last byte:
	// more than a slow line needs for 64 KiB, so that nobody holds a connection
	// by dripping.
	readWithin = 15 * time.Second
	// idleWithin is how long an unused connection stays open: well over what
	// outbound keeps one for.
	idleWithin = 75 * time.Second
)

// Config is the server's configuration. It sets no time-out for writing: an
// event stream would end by it.
func Config(log *slog.Logger) fiber.Config {
	return fiber.Config{
		CaseSensitive:                true,
		StrictRouting:                true,
		Immutable:                    true,
		DisableStartupMessage:        true,
		DisablePreParseMultipartForm: true,
		ReadBufferSize:               headerLimit,
		BodyLimit:                    sgip.MaxBody,
		ReadTimeout:                  readWithin,
		IdleTimeout:                  idleWithin,
		ErrorHandler:                 errorHandler(log),
	}
}

// errorHandler answers, in the JSON of section 5, what never reached a handler
// or came back from one as an error.
func errorHandler(log *slog.Logger) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		refusal := sgip.AsError(err)
		if e, ok := errors.AsType[*fiber.Error](err); ok {
			refusal = refusalOf(e)
		}
		if refusal.Code == sgip.Internal {
			log.Error("protocol path", "path", c.Path(), "err", err)
		}
		return send(c, sgip.ErrorReply("", refusal))
	}
}

// refusalOf says in the protocol's words what the server refused by itself.
func refusalOf(e *fiber.Error) *sgip.Error {
	switch e.Code {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return sgip.Errorf(sgip.NotFound, "nothing is served here with this method")
	case http.StatusRequestEntityTooLarge:
		return sgip.Wrap(sgip.InvalidPayload, sgip.ErrTooLarge, "the body is larger than 64 KiB")
	case http.StatusRequestHeaderFieldsTooLarge:
		return sgip.Errorf(sgip.InvalidPayload, "the headers are larger than 16 KiB")
	case http.StatusRequestTimeout:
		return sgip.Errorf(sgip.InvalidPayload, "the request didn't come in whole within 15 s")
	}
	if e.Code >= http.StatusInternalServerError {
		return sgip.Wrap(sgip.Internal, e, "a fault on this side")
	}
	return sgip.Errorf(sgip.InvalidPayload, "the request isn't well-formed HTTP")
}

func send(c *fiber.Ctx, r sgip.Reply) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(r.Status()).Send(r.Encode())
}

// Machine tells the protocol's paths from pages: the given ones, in any case and
// with any slash at their end, so that a near miss is answered in JSON as well.
func Machine(paths ...string) func(path string) bool {
	return func(path string) bool {
		near := strings.ToLower(strings.TrimRight(path, "/"))
		return slices.Contains(paths, near)
	}
}

// Inbox serves an inbox, or the hub's ops. Mount it for all methods: the inbox
// answers those it doesn't take, and put a Guard on the app.
func Inbox(in interface {
	Serve(ctx context.Context, r exchange.Request) exchange.Response
}) fiber.Handler {
	return func(c *fiber.Ctx) error {
		response := in.Serve(c.UserContext(), requestOf(c))
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Status(response.Status).Send(response.Body)
	}
}

// requestOf copies a request out of Fiber's memory. Fiber and fasthttp keep the
// last of several Content-Type or Content-Length headers, so these are read from
// the header's own bytes.
func requestOf(c *fiber.Ctx) exchange.Request {
	header := &c.Request().Header
	lines := headerLines(string(header.RawHeaders()))
	return exchange.Request{
		Method:           string(header.Method()),
		Target:           string(header.RequestURI()),
		Signatures:       lines.values(sgip.SignatureHeader),
		ContentTypes:     lines.values(fiber.HeaderContentType),
		ContentEncodings: lines.values(fiber.HeaderContentEncoding),
		ContentLengths:   lines.values(fiber.HeaderContentLength),
		TransferEncoding: len(lines.values(fiber.HeaderTransferEncoding)) > 0,
		Body:             slices.Clone(c.Request().Body()),
		Source:           c.Context().RemoteIP().String(),
	}
}

// headers are the lines of a request's header, as sent.
type headers []string

// headerLines puts folded lines back into one.
func headerLines(raw string) headers {
	var lines headers
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if folded := strings.TrimLeft(line, " \t"); folded != line && len(lines) > 0 {
			lines[len(lines)-1] += " " + folded
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

func (h headers) values(name string) []string {
	var values []string
	for _, line := range h {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(key, name) {
			values = append(values, strings.Trim(value, " \t"))
		}
	}
	return values
}

// JSON serves a document that is made anew for each request: the descriptor, the
// hub's key file.
func JSON(get func(ctx context.Context) ([]byte, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		body, err := get(c.UserContext())
		if err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		c.Set(fiber.HeaderCacheControl, "no-cache")
		return c.Send(body)
	}
}

// Script serves one of the protocol's scripts for the browser.
func Script(body []byte) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, "text/javascript; charset=utf-8")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
		c.Set(fiber.HeaderCacheControl, "no-cache")
		return c.Send(body)
	}
}
