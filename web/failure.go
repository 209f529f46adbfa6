package web

import "github.com/gofiber/fiber/v2"

// Failure is what an error page says: what happened, that nothing was lost,
// and what to do.
type Failure struct {
	Stamp      string // the word on the stamp
	What       string
	Safe       string
	Next, Link string // Link is where Next leads
}

// failure is the one table from status to words.
func failure(status int) Failure {
	switch status {
	case fiber.StatusNotFound, fiber.StatusMethodNotAllowed:
		return Failure{"No such place", "This road leads nowhere", "Nothing of yours was touched; the address may have been mistyped, or the place has moved.", "Back to the start", "/"}
	case fiber.StatusForbidden:
		return Failure{"Refused", "We couldn't take that", "The request came from another page than ours, so nothing was done with it.", "Open the page again and try once more", "/"}
	case fiber.StatusMisdirectedRequest:
		return Failure{"Wrong counter", "That name isn't ours", "You reached this house under a name that it doesn't go by. Nothing was done.", "Use the address that the house printed at its start", "/"}
	case fiber.StatusUnauthorized:
		return Failure{"Papers, please", "You aren't signed in here", "All that is yours is still in its place.", "Sign in", "/sign-in"}
	case fiber.StatusRequestEntityTooLarge:
		return Failure{"Too heavy", "That was more than we can carry", "Nothing of it was kept, and nothing else was touched.", "Make it shorter and send it again", "/"}
	case fiber.StatusTooManyRequests:
		return Failure{"A moment", "That was a lot at once", "Nothing was lost.", "Wait a little, then go on", "/"}
	case fiber.StatusServiceUnavailable:
		return Failure{"Closed", "The house is closing for a moment", "All that you did so far is written down.", "Try again shortly", "/"}
	}
	return Failure{"Spilled ink", "Something broke on our side", "What you did before is written down; what you did just now was either done whole or not at all.", "Go back and look", "/"}
}
