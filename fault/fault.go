// Package fault holds what errors and findings of every package have in common: a code that says which fault it is, a sentence,
// and the settings that would remedy it, by name and value. Nothing here knows how a program is told its settings: the command
// words a remedy as a flag, the page as a field, and a program that embeds polydag sets it.
//
//	var missing *fault.Error
//	if errors.As(err, &missing) {
//		for _, r := range missing.Remedies {
//			fmt.Println(r.Setting, r.Value, r.Columns)
//		}
//	}
//
// Experimental: the API of this package may change before 1.0.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind returns one kind of fault, to be matched with errors.Is. The code names it for programs, the text for people: the fault, a
// semicolon, and the way out.
func Kind(code, text string) error { return &kind{code, text} }

type kind struct{ code, text string }

func (k *kind) Error() string { return k.text }

// Code returns the code of the kind that err is of, or nothing where it has none.
func Code(err error) string {
	var k *kind
	if errors.As(err, &k) {
		return k.code
	}
	return ""
}

// An Error is a fault with a way out of its own.
type Error struct {
	Err  error  // the kind of fault
	Text string // what is wrong; that of Err where it is empty
	Way  string // what can be done; each of Remedies stands in it as its String
	// Remedies are the settings that Way speaks of.
	Remedies []Remedy
}

// New returns a fault of the given kind. The way is formatted as by fmt.Sprintf, and the arguments that are remedies are
// those of the error.
func New(kind error, text, way string, args ...any) *Error {
	w := Out(way, args...)
	return &Error{Err: kind, Text: text, Way: w.Text, Remedies: w.Remedies}
}

// Error returns what is wrong and the way out, if there is one, with a semicolon between.
func (e *Error) Error() string {
	text := e.Text
	if text == "" {
		text, _, _ = strings.Cut(e.Err.Error(), "; ")
	}
	if e.Way == "" {
		return text
	}
	return text + "; " + e.Way
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Err }

// A Way is a way out as a sentence, with its remedies.
type Way struct {
	Text     string
	Remedies []Remedy
}

// Out formats a sentence as fmt.Sprintf does and keeps the arguments that are remedies.
func Out(format string, args ...any) Way {
	w := Way{Text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if r, ok := a.(Remedy); ok && !slices.ContainsFunc(w.Remedies, func(o Remedy) bool { return o.String() == r.String() }) {
			w.Remedies = append(w.Remedies, r)
		}
	}
	return w
}
