package sgip

import (
	"unicode"
	"unicode/utf8"
)

// CheckText holds text to contract 0: 1 to max code points, at least one
// visible character, no control characters but newline and tab, no tag (< and
// then a letter, / or !). The error is InvalidPayload and names field.
func CheckText(field, text string, max int) error {
	if !utf8.ValidString(text) {
		return Errorf(InvalidPayload, "%s: must be UTF-8", field)
	}
	if text == "" || utf8.RuneCountInString(text) > max {
		return Errorf(InvalidPayload, "%s: must have 1 to %d characters", field, max)
	}
	shown := false
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return Errorf(InvalidPayload, "%s: must have no control characters but newline and tab", field)
		}
		shown = shown || visible(r)
	}
	if !shown {
		return Errorf(InvalidPayload, "%s: must have a visible character", field)
	}
	if hasTag(text) {
		return Errorf(InvalidPayload, "%s: must have no HTML", field)
	}
	return nil
}

// brailleBlank is a symbol to Unicode, and yet nothing to see.
const brailleBlank = '\u2800'

// visible says which characters leave something on the screen by themselves. It
// names what doesn't, so that characters newer than this program's tables count.
func visible(r rune) bool {
	return r != brailleBlank && !unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Me,
		unicode.Other_Default_Ignorable_Code_Point)
}

func hasTag(text string) bool {
	afterLess := false
	for _, r := range text {
		if afterLess && (r == '/' || r == '!' || unicode.IsLetter(r)) {
			return true
		}
		afterLess = r == '<'
	}
	return false
}
