package dataset

import (
	"fmt"

	"github.com/polydag/polydag/fault"
)

// What a ColumnNote can say was done to a column.
const (
	ReadMarker     = "missing-marker" // a sign such as * was read as a missing value
	ReadCurrency   = "currency"       // amounts of money, without their sign
	ReadPercent    = "percent"        // percentages, without their sign
	ReadUnit       = "unit"           // numbers that all have the same unit, without it
	ReadThousands  = "thousands"      // numbers with signs between thousands
	ReadDecimal    = "decimal-comma"  // numbers with another sign before decimals than the rest of the table
	ReadDayFirst   = "date-dmy"       // dates, the day first
	ReadMonthFirst = "date-mdy"       // dates, the month first
	ReadYearFirst  = "date-ymd"       // dates, the year first
	ReadAmbiguous  = "date-ambiguous" // dates of which no cell says whether the day or the month is first; read as the month
	ReadMixed      = "mixed"          // numbers and words, kept as text
	ReadIdentifier = "identifier"     // whole numbers above 2^53, kept as text
	ReadRounded    = "rounded"        // numbers of which some whole ones are above 2^53
)

// A ColumnNote says how the cells of one column were read, where that is neither as plain numbers nor as plain words.
type ColumnNote struct {
	Column string `json:"column"`
	What   string `json:"what"` // one of the Read values
	// Example is the first cell that shows it, as it stands in the file, and Line where it stands.
	Example string `json:"example"`
	Line    int    `json:"line,omitempty"`
}

// String returns the note as one sentence.
func (n ColumnNote) String() string {
	cell := fmt.Sprintf("%q", n.Example)
	if n.Line > 0 {
		cell = fmt.Sprintf("%q (line %d)", n.Example, n.Line)
	}
	form, ok := noteForms[n.What]
	if !ok {
		return fmt.Sprintf("Column %s: %s, as in %s.", n.Column, n.What, cell)
	}
	text := fmt.Sprintf("Column %s: ", n.Column) + fmt.Sprintf(form, cell)
	if n.What == ReadAmbiguous {
		text += fmt.Sprintf(" Day and month are ambiguous; polydag assumes that the month comes first; %s reads the day first.", fault.Set("date-order", "dmy"))
	}
	return text
}

// noteForms are the sentences of the notes; %s is the example.
var noteForms = map[string]string{
	ReadMarker:     "cells such as %s are missing values.",
	ReadCurrency:   "amounts such as %s are numbers; the currency is dropped.",
	ReadPercent:    "percentages such as %s are numbers; 5%% is 5.",
	ReadUnit:       "quantities such as %s are numbers; the unit is dropped.",
	ReadThousands:  "cells such as %s are numbers with thousands separators.",
	ReadDecimal:    "cells such as %s are numbers with another decimal sign than the rest of the table.",
	ReadDayFirst:   "dates such as %s are seconds since 1970; the day comes first.",
	ReadMonthFirst: "dates such as %s are seconds since 1970; the month comes first.",
	ReadYearFirst:  "dates such as %s are seconds since 1970.",
	ReadAmbiguous:  "dates such as %s are seconds since 1970.",
	ReadMixed:      "kept as text, because %s is not a number.",
	ReadIdentifier: "kept as text, because %s is a whole number above 2^53, which a number would round.",
	ReadRounded:    "whole numbers above 2^53 such as %s are rounded.",
}

// A ColumnNoter is a source that can say how it read the cells of its columns. prepare.Gather puts the notes into the profile.
type ColumnNoter interface {
	ColumnNotes() []ColumnNote
}
