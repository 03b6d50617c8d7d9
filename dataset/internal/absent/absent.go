// Package absent knows the texts that stand for missing values. It is the only list of them: readers of every format and the
// encoding of text use it, so that a table gives the same graph in every format.
package absent

import (
	"bytes"
	"strings"
)

// A Class says when a text stands for a missing value.
type Class int

const (
	// Never: the text is a number or a category.
	Never Class = iota
	// Always: an empty field, NA, N/A, #N/A, NaN and ?.
	Always
	// Seldom: null and *, unless more than a fifth of a column of words has this text. It is then a category.
	Seldom
	// AmongNumbers: none, - and . In a column of words they are categories, such as the accident None beside Mild and Severe.
	AmongNumbers
)

// MostSeldom is the largest share of a column of words that a text of class Seldom may take as missing values.
const MostSeldom = 0.2

// Of returns the class of a text. It ignores case and surrounding space.
func Of(text []byte) Class {
	var lower [len("none")]byte // this is called for every cell of text, and must not allocate
	if text = bytes.TrimSpace(text); len(text) > len(lower) {
		return Never
	}
	for i, c := range text {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(text)]) {
	case "", "na", "n/a", "#n/a", "nan", "+nan", "-nan", "?":
		return Always
	case "null", "*":
		return Seldom
	case "none", "-", ".":
		return AmongNumbers
	}
	return Never
}

// Fold returns a text in lower case and without surrounding space: texts with the same result stand for missing values together.
func Fold(text []byte) string { return strings.ToLower(string(bytes.TrimSpace(text))) }
