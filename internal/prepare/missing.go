package prepare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
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
	for _, v := range row {
		if v != v {
			return true
		}
	}
	return false
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
	var names []string
	worst := worstFirst(missing)
	for _, c := range worst[:min(len(worst), 5)] {
		names = append(names, fmt.Sprintf("%s %d", c.Name, c.Count))
	}
	where := strings.Join(names, ", ")
	if more := len(worst) - 5; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	verb := "values are"
	if total == 1 {
		verb = "value is"
	}
	head := fmt.Sprintf("%d %s missing (%s)", total, verb, where)
	switch opt.Missing {
	case "drop":
		return []string{fmt.Sprintf("%s: %s of %d (%s) with a missing value dropped.", head, count(read-used, "row"), read, percent(read-used, read))}
	case missingKeep:
		return []string{head + ": the incomplete rows are used, assuming that values are missing at random."}
	default:
		return []string{head + ": each correlation uses the rows that have both values."}
	}
}
