package csv

import "strings"

// Escape protects text from being run as a formula by a spreadsheet. Text that begins with =, +, -, @, a tab or
// a CR and is not a number gets a leading apostrophe. So does such text after leading apostrophes, so that
// Unescape is the inverse.
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

// formula reports whether a spreadsheet would run s, without leading apostrophes, as a formula. It returns s
// without them.
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
