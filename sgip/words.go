package sgip

import "sgip.example/starter/vocabulary"

// RegisteredStat reports whether the vocabulary has this stat (section 8.1).
func RegisteredStat(id string) bool {
	words, err := registry()
	return err == nil && words.Has(vocabulary.Stats, id)
}

// ResolveVerb finds the verb to treat id as, by section 8.3: itself where models
// says so, else the nearest broader one that is modelled. With false the
// sender's label is to be shown, unclassified.
func ResolveVerb(id string, models func(id string) bool) (string, bool) {
	words, err := registry()
	if err != nil {
		return "", false
	}
	return words.Resolve(vocabulary.Verbs, id, models)
}

// PlaceKindWord is how a kind of place is called, "" for one that isn't registered.
func PlaceKindWord(id string) string { return wordFor(vocabulary.PlaceKinds, id) }

// RelationshipWord is how a relationship is called, "" for one that isn't registered.
func RelationshipWord(id string) string { return wordFor(vocabulary.Relationships, id) }

func wordFor(domain, id string) string {
	words, err := registry()
	if err != nil {
		return ""
	}
	term, _ := words.Term(domain, id)
	return term.Label
}

// VerbWord is how a verb is called, "" for one that isn't registered.
func VerbWord(id string) string { return wordFor(vocabulary.Verbs, id) }
