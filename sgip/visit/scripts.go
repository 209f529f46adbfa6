package visit

import _ "embed"

//go:embed visit.js
var visitScript []byte

//go:embed trip.js
var tripScript []byte

// VisitScript is the visit page's one script; its first comment says what the
// page must hold and which events it hears (section 7.2).
func VisitScript() []byte { return visitScript }

// TripScript is the home page's script while one of its players is abroad
// (section 7.2).
func TripScript() []byte { return tripScript }
