package fiberhttp

import (
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"sgip.example/starter/sgip"
)

// Guard refuses, before any route or middleware sees it, what fasthttp lets
// through and others read differently: two Content-Lengths, one beside a
// Transfer-Encoding, and a target that doesn't begin with a single /. Call it
// once the app is built, before it listens; it holds for pages as well.
func Guard(app *fiber.App) {
	server := app.Server()
	next := server.Handler
	server.Handler = func(ctx *fasthttp.RequestCtx) {
		header := &ctx.Request.Header
		lines := headerLines(string(header.RawHeaders()))
		refusal := misframed(lines)
		if target := string(header.RequestURI()); !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
			refusal = "the request target must begin with a single /"
		}
		if refusal == "" {
			next(ctx)
			return
		}
		// What follows on this connection may be the rest of a body that another
		// server counted otherwise.
		ctx.SetConnectionClose()
		reply := sgip.ErrorReply("", sgip.Errorf(sgip.InvalidPayload, "%s", refusal))
		ctx.SetContentType(fiber.MIMEApplicationJSON)
		ctx.SetStatusCode(reply.Status())
		ctx.SetBody(reply.Encode())
	}
}

func misframed(lines headers) string {
	lengths := len(lines.values(fiber.HeaderContentLength))
	switch {
	case lengths > 1:
		return "there must be at most one Content-Length"
	case lengths > 0 && len(lines.values(fiber.HeaderTransferEncoding)) > 0:
		return "Content-Length and Transfer-Encoding exclude each other"
	}
	return ""
}
