// Package visit is the security-critical half of a visit (section 7, contract
// 7.2): the script and the handler that take a passport by message or fragment,
// guest sessions, and the home page's script that hands the passport over. The
// game supplies the look of the page and, through Stage, what a guest can do.
package visit

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
)

// Guest is a visitor whose passport has been verified.
type Guest struct {
	VisitID   string
	ID        string // sub@home, lasting
	Handle    string
	Home      string
	Name      string // shown name; the handle where the passport has none
	Avatar    string
	Stats     map[string]int // only what the passport brought
	Budget    *sgip.Money    // nil: no home money on this visit
	StartedAt time.Time
	ExpiresAt time.Time // of the last passport
}

// Stage is the host game's part.
type Stage interface {
	// Arrive puts the guest into the town; it runs in the transaction that
	// starts the session and must bear being called again for the same visit.
	Arrive(ctx context.Context, g Guest) error
	// Depart takes the guest out, in the transaction that ends the visit and
	// writes down visit.end@1, and returns what the guest brings home.
	Depart(ctx context.Context, g Guest, reason string) (sgip.Souvenirs, error)
}

// Enter is the body of POST /visit/session with what surrounds it.
type Enter struct {
	Passport string
	Home     string // from the launch URL
	VisitID  string // from the launch URL
	Token    string // the current guest token, or ""
}

// Session answers it. ExpiresAt is in Unix seconds.
type Session struct {
	Token     string      `json:"token"`
	Guest     GuestHeader `json:"guest"`
	ExpiresAt int64       `json:"expires_at"`
}

// GuestHeader is the public part of a guest.
type GuestHeader struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Avatar string `json:"avatar,omitempty"`
	Home   string `json:"home"`
}

// Page is what the visit page needs to know about the launch URL's home.
type Page struct {
	Home      string
	VisitID   string
	Name      string   // of the home game; its id while it is unknown
	Icon      string   // short text, may be ""
	ReturnURL string   // where a tab's player goes home to, "" while it is unknown
	Origins   []string // of the home, from the directory; empty while it is unknown
	Ancestors string   // the value of frame-ancestors, always set
	// Trouble is why nobody is trusted, "" otherwise: InvalidPayload for a launch
	// URL without home or visit, NotFound for a home that isn't on the network,
	// PlatformOffline while the directory can't be had.
	Trouble sgip.Code
}
