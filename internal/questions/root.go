package questions

import (
	"strings"
	"unicode"
)

// rootWords are words in column names that usually mark a variable that nothing else in a table changes.
var rootWords = []struct{ words, reason string }{
	{"sex gender male female", "sex is usually fixed before everything else"},
	{"age birthyear born birth", "age is the time since birth, which nothing else changes"},
	{"race ethnicity nationality", "origin is fixed at birth"},
	{"region country state city district area location site", "a place is usually fixed before what is measured there"},
	{"date year month season weekday day hour time timestamp", "nothing in a table changes the calendar"},
	{"arm treatment randomized", "a randomized treatment is assigned before the outcomes"},
}

// likelyRoot returns the reason why a column of this name is usually a root, or "".
func likelyRoot(name string) string {
	for _, word := range wordsOf(name) {
		for _, r := range rootWords {
			for _, w := range strings.Fields(r.words) {
				if word == w {
					return r.reason
				}
			}
		}
	}
	return ""
}

// wordsOf splits a column name at everything that is not a letter and before capitals: BirthYear, birth_year, birth.year.
func wordsOf(name string) []string {
	var out []string
	word := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, part := range strings.FieldsFunc(name, word) {
		start := 0
		runes := []rune(part)
		for i := 1; i < len(runes); i++ {
			if unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i-1]) {
				out = append(out, strings.ToLower(string(runes[start:i])))
				start = i
			}
		}
		out = append(out, strings.ToLower(string(runes[start:])))
	}
	return out
}
