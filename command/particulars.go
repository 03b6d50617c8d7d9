package command

import (
	"cmp"
	"errors"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// particulars returns the machine-readable parts of an error as pairs of a key and a value: its code, its
// position in the table, and the settings that remedy it.
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

// place is the position of a fault in a table. Unknown parts are omitted.
type place struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Row    int    `json:"row,omitempty"`
	Column int    `json:"column,omitempty"`
	Name   string `json:"name,omitempty"`
	Value  string `json:"value,omitempty"`
}

// code returns the code of a fault, or the kind of the error: usage, stopped, interrupted or failure.
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
