package dataset

import (
	"fmt"

	"github.com/polydag/polydag/fault"
)

// Values of ColumnNote.What.
const (
	ReadMarker     = "missing-marker" // a mark such as * was read as a missing value
	ReadCurrency   = "currency"       // amounts of money, read without the currency
	ReadPercent    = "percent"        // percentages, read without the percent sign
	ReadUnit       = "unit"           // numbers with one common unit, read without it
	ReadThousands  = "thousands"      // numbers with thousands separators
	ReadStored     = "stored"         // numbers stored as text in a workbook
	ReadDecimal    = "decimal-comma"  // numbers with a decimal separator that differs from the rest of the table
	ReadDayFirst   = "date-dmy"       // dates, day first
	ReadMonthFirst = "date-mdy"       // dates, month first
	ReadYearFirst  = "date-ymd"       // dates, year first
	ReadAmbiguous  = "date-ambiguous" // dates where no cell shows whether the day or the month comes first; read as month first
	ReadMixed      = "mixed"          // numbers and words, kept as text
	ReadIdentifier = "identifier"     // integers above 2^53, kept as text
	ReadRounded    = "rounded"        // numbers that include integers above 2^53
)

// A ColumnNote describes how the cells of one column were read if they are neither plain numbers nor plain
// words.
type ColumnNote struct {
	Column string `json:"column"`
	What   string `json:"what"` // one of the Read constants
	// Example is the first such cell in the file, and Line is its line.
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
	ReadStored:     "cells such as %s are numbers stored as text.",
	ReadDecimal:    "cells such as %s are numbers with another decimal sign than the rest of the table.",
	ReadDayFirst:   "dates such as %s are seconds since 1970; the day comes first.",
	ReadMonthFirst: "dates such as %s are seconds since 1970; the month comes first.",
	ReadYearFirst:  "dates such as %s are seconds since 1970.",
	ReadAmbiguous:  "dates such as %s are seconds since 1970.",
	ReadMixed:      "kept as text, because %s is not a number.",
	ReadIdentifier: "kept as text, because %s is a whole number above 2^53, which a number would round.",
	ReadRounded:    "whole numbers above 2^53 such as %s are rounded.",
}

// A ColumnNoter is a source that reports how it read its columns' cells. prepare.Gather adds the notes to the profile.
type ColumnNoter interface {
	ColumnNotes() []ColumnNote
}
