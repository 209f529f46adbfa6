package game

// Kind says what went wrong; compare with errors.Is.
type Kind string

// The kinds of errors a Town returns. Anything else is a fault of the store.
const (
	ErrNoPlayer Kind = "no such player"   // absent, or hidden from the asker
	ErrBlocked  Kind = "blocked"          // the receiver doesn't want to hear from the sender
	ErrPoor     Kind = "not enough money" // nothing was taken
	ErrClosed   Kind = "closed"           // outside the opening hours
	ErrBusy     Kind = "busy"             // something else is under way
	ErrAway     Kind = "not there"        // on the way, elsewhere, or not visiting
	ErrNoSuch   Kind = "no such thing"    // unknown place, activity, sale, session
	ErrTaken    Kind = "taken"            // handle or stall of someone else
	ErrInvalid  Kind = "not possible"     // breaks a rule; the message says which
)

// Error makes a Kind comparable by errors.Is.
func (k Kind) Error() string { return string(k) }

// Error is the one error type of the game. Message is for the person: what
// happened and what to do.
type Error struct {
	Kind    Kind
	Message string
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Unwrap gives errors.Is the kind.
func (e *Error) Unwrap() error { return e.Kind }

func refuse(kind Kind, message string) error { return &Error{Kind: kind, Message: message} }
