// Package fault defines what errors and findings of all packages share: a code, a sentence, and the settings that remedy the
// problem, by name and value. It does not depend on how a program receives its settings. The command prints a remedy as a flag, the
// page as a field, and a program that embeds polydag sets it.
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

// Kind returns a kind of fault, to be matched with errors.Is. code is for programs. text is for people: the fault, a semicolon, and
// the remedy.
func Kind(code, text string) error { return &kind{code, text} }

type kind struct{ code, text string }

func (k *kind) Error() string { return k.text }

// Code returns the code of the kind of err, or "" if it has none.
func Code(err error) string {
	var k *kind
	if errors.As(err, &k) {
		return k.code
	}
	return ""
}

// An Error is a fault with its own remedies.
type Error struct {
	Err  error  // the kind of fault
	Text string // the problem; empty means the text of Err
	Way  string // the remedy as a sentence, which contains the String of each of Remedies
	// Remedies lists the settings in Way.
	Remedies []Remedy
}

// New returns a fault of the given kind. way is formatted by fmt.Sprintf, and its arguments of type Remedy become the remedies of
// the error.
func New(kind error, text, way string, args ...any) *Error {
	w := Out(way, args...)
	return &Error{Err: kind, Text: text, Way: w.Text, Remedies: w.Remedies}
}

// Error returns the problem and, after a semicolon, the remedy if there is one.
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

// A Way is a remedy as a sentence, with its settings.
type Way struct {
	Text     string
	Remedies []Remedy
}

// Out formats a sentence by fmt.Sprintf and stores the arguments of type Remedy.
func Out(format string, args ...any) Way {
	w := Way{Text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if r, ok := a.(Remedy); ok && !slices.ContainsFunc(w.Remedies, func(o Remedy) bool { return o.String() == r.String() }) {
			w.Remedies = append(w.Remedies, r)
		}
	}
	return w
}
