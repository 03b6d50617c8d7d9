package prepare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// wholeRows passes on the complete rows.
type wholeRows struct {
	d    int
	to   sink
	kept int
}

func (s *wholeRows) add(rows []float64, clean bool) error {
	if !clean {
		kept := rows[:0]
		for i := 0; i < len(rows); i += s.d {
			if row := rows[i : i+s.d]; finite(row) || !anyMissing(row) {
				kept = append(kept, row...)
			}
		}
		rows = kept
	}
	s.kept += len(rows) / s.d
	return s.to.add(rows, true)
}

func (s *wholeRows) finish() (*dataset.Moments, []string, error) {
	if s.kept < 2 {
		return nil, nil, &MissingError{Left: s.kept}
	}
	return s.to.finish()
}

func anyMissing(row []float64) bool {
	return slices.ContainsFunc(row, func(v float64) bool { return v != v })
}

// blame adds the missing values to an error that they caused.
func blame(err error, missing []MissingColumn, read int, auto bool) error {
	var e *MissingError
	if errors.As(err, &e) {
		e.Columns, e.Rows, e.Auto = missing, read, auto
	}
	return err
}

// worstFirst returns a copy sorted by the number of missing values, the largest first. Ties stay in the order of the table.
func worstFirst(columns []MissingColumn) []MissingColumn {
	worst := slices.Clone(columns)
	slices.SortStableFunc(worst, func(a, b MissingColumn) int { return cmp.Compare(b.Count, a.Count) })
	return worst
}

func missingNotes(missing []MissingColumn, read, used int, opt *options) []string {
	if len(missing) == 0 {
		return nil
	}
	total := 0
	for _, c := range missing {
		total += c.Count
	}
	var where []string
	for _, c := range worstFirst(missing) {
		where = append(where, fmt.Sprintf("%s %d", c.Name, c.Count))
	}
	verb := "values are"
	if total == 1 {
		verb = "value is"
	}
	head := fmt.Sprintf("%d %s missing (%s)", total, verb, names.List(where, 5))
	switch opt.Missing {
	case "drop":
		return []string{fmt.Sprintf("%s: %s of %d (%s) with a missing value dropped.", head, count(read-used, "row"), read, percent(read-used, read))}
	case missingKeep:
		return []string{head + ": the incomplete rows are used, assuming that values are missing at random."}
	default:
		return []string{head + ": each correlation uses the rows that have both values."}
	}
}
