package conformance

import (
	"time"

	"sgip.example/starter/sgip"
)

// passportLife is short: the passport of a check ends up in the game's logs if
// the game logs queries.
const passportLife = time.Minute

// Traveller issues passports for a Suite: to a player of home who is in no game,
// under a name that stands nowhere else.
func Traveller(hub sgip.Signer, clock func() time.Time, newID func() string, home string) func(host string) (token, name string, err error) {
	return func(host string) (token, name string, err error) {
		now := clock()
		name = "Traveller " + newID()
		token, err = sgip.SignPassport(hub, sgip.Passport{
			Issuer: sgip.HubID, Subject: "traveller", Home: home, Host: host,
			Issued: now.Unix(), Expires: now.Add(passportLife).Unix(),
			ID: newID(), VisitID: newID(), Scope: []string{sgip.ScopeVisit}, Name: name,
		})
		return token, name, err
	}
}
