package platform

import "sgip.example/starter/sgip"

// Gates decides whose players may visit (section 7.5).
type Gates interface {
	// Visitors is what the descriptor says of visitors just now, given what its
	// template says; nil is everyone. It is asked each second, so it must not
	// block: a change is on its way to the hub, by the next hello, soon after.
	Visitors(template *sgip.Visitors) *sgip.Visitors
}
