package cli

import (
	"cmp"
	"errors"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// particulars are the parts of an error that programs go by, as pairs of a key and a value: its code, the place in the table where it
// has one, and the settings that would remedy it.
func particulars(err error) []any {
	args := []any{"code", code(err)}
	var at *dataset.ParseError
	if errors.As(err, &at) {
		args = append(args, "place", place{at.File, at.Line, at.Row, at.Column, at.Name, at.Value})
	}
	if remedies := fault.Remedies(err); len(remedies) > 0 {
		args = append(args, "remedies", remedies)
	}
	return args
}

// place is where in a table a fault lies. What is not known is left out.
type place struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Row    int    `json:"row,omitempty"`
	Column int    `json:"column,omitempty"`
	Name   string `json:"name,omitempty"`
	Value  string `json:"value,omitempty"`
}

// code is that of the fault, or what kind of an end it was: usage, stopped, interrupted or failure.
func code(err error) string {
	end := "failure"
	switch {
	case exitCode(err) == exitUsage:
		end = "usage"
	case exitCode(err) == exitUnconverged:
		end = "stopped"
	case errors.Is(err, errInterrupted):
		end = "interrupted"
	}
	return cmp.Or(fault.Code(err), end)
}
