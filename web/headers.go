package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Policy is what one page's headers may loosen. The zero value is the strict
// one that all pages get: own sources only, never framed.
type Policy struct {
	FrameSrc       []string // origins that this page may frame
	FrameAncestors []string // origins that may frame this page; empty: nobody
	OpenerPolicy   string   // Cross-Origin-Opener-Policy, default same-origin
	Referrer       string   // Referrer-Policy, default same-origin
}

// referrerSameOrigin and not no-referrer: under the latter browsers send the
// Origin of a form post as null, and the origin check would refuse our own pages.
const referrerSameOrigin = "same-origin"

func pageHeaders(c *fiber.Ctx) { SetPolicy(c, Policy{}) }

// SetPolicy writes the security headers of a page by its policy. Handlers call
// it for pages that frame or are framed; all others have the strict ones already.
func SetPolicy(c *fiber.Ctx, p Policy) {
	c.Set(fiber.HeaderContentSecurityPolicy, p.csp())
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, orElse(p.Referrer, referrerSameOrigin))
	c.Set("Cross-Origin-Opener-Policy", orElse(p.OpenerPolicy, "same-origin"))
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderPermissionsPolicy, "camera=(), microphone=(), geolocation=(), payment=()")
}

func (p Policy) csp() string {
	list := func(origins []string) string {
		if len(origins) == 0 {
			return "'none'"
		}
		return strings.Join(origins, " ")
	}
	return "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'" +
		"; frame-src " + list(p.FrameSrc) + "; frame-ancestors " + list(p.FrameAncestors)
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
