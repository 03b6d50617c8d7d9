package csv

import "strings"

// Escape returns text as a spreadsheet shows it and does not run it: text that begins with =, +, -, @, a tab or a CR, and is not a
// number, gets an apostrophe in front. So does text that begins with apostrophes before one of these, so that Unescape gives every
// text back.
func Escape(s string) string {
	if _, runs := formula(s); runs {
		return "'" + s
	}
	return s
}

// Unescape undoes Escape.
func Unescape(s string) string {
	if len(s) == 0 || s[0] != '\'' {
		return s
	}
	if _, runs := formula(s); runs {
		return s[1:]
	}
	return s
}

// formula reports whether a spreadsheet would take s, without the apostrophes at its start, for a formula, and returns it without them.
func formula(s string) (bare string, runs bool) {
	bare = strings.TrimLeft(s, "'")
	if len(bare) < 2 {
		return bare, false
	}
	switch bare[0] {
	case '=', '+', '-', '@', '\t', '\r':
		return bare, !decimal([]byte(bare), '.')
	}
	return bare, false
}
