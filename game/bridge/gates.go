package bridge

import (
	"slices"

	"sgip.example/starter/sgip"
)

// Visitors is whom the town takes, as the hub is told (section 7.5): what its
// folder says, less the games that the keeper keeps out; nobody while the gates
// are closed.
func (b *Bridge) Visitors(template *sgip.Visitors) *sgip.Visitors {
	gates := b.town.Gates()
	switch {
	case gates.Closed:
		return &sgip.Visitors{From: &[]string{}}
	case len(gates.Games) == 0:
		return template
	case template != nil && template.From != nil:
		from := []string{}
		for _, game := range *template.From {
			if !slices.Contains(gates.Games, game) {
				from = append(from, game)
			}
		}
		return &sgip.Visitors{From: &from}
	}
	except := slices.Clone(gates.Games)
	if template != nil && template.Except != nil {
		except = append(except, *template.Except...)
	}
	slices.Sort(except) // one order, so that the descriptor changes only when it does
	except = slices.Compact(except)
	return &sgip.Visitors{Except: &except}
}
