package web

import (
	"bufio"
	"time"

	"github.com/gofiber/fiber/v2"
)

// heartbeat is how often an idle stream writes: often enough that proxies don't
// cut it and that a reader who is gone is noticed, by a failed flush.
const heartbeat = 20 * time.Second

// Stream answers with an event stream that says "ping" whenever wake does. The
// page then fetches what it shows; no state travels here. It ends when the
// reader is gone, when wake is closed or when the house shuts down, and calls
// stop exactly once. Nothing of the request is used once it runs.
func (a *App) Stream(c *fiber.Ctx, wake <-chan struct{}, stop func()) error {
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no")
	done := a.done
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer stop()
		pings(w, wake, done)
	})
	return nil
}

func pings(w *bufio.Writer, wake, done <-chan struct{}) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	text := ": open\n\n"
	for {
		if _, err := w.WriteString(text); err != nil {
			return
		}
		if err := w.Flush(); err != nil {
			return
		}
		select {
		case _, open := <-wake:
			if !open {
				return
			}
			text = "event: ping\ndata: 1\n\n"
		case <-beat.C:
			text = ": beat\n\n"
		case <-done:
			return
		}
	}
}
