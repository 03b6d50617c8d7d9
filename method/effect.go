package method

import (
	"fmt"
	"slices"
	"strconv"
)

// An EffectForm is the form of an Effect.
type EffectForm string

const (
	EffectTable EffectForm = "table" // the child is categorical: P(child = category) for each value of the parent
	EffectMeans EffectForm = "means" // the parent is categorical, the child numeric: its mean for each category
	EffectCurve EffectForm = "curve" // both are numeric: the mean of the child along the parent
)

// Limits on the size of an Effect.
const (
	MostEffectLevels = 8  // categories of a column; the rarest beyond that are merged into "other"
	MostEffectPoints = 25 // points of a curve
	OtherLevels      = "other"
)

// Effect describes an effect that is not a slope: the expected value of the child for values of the parent, with the other parents
// averaged over all rows. It describes the fitted model and is not used in the search.
type Effect struct {
	Form EffectForm `json:"form"`
	// FromLevels are the categories of the parent in order, or in a table some values of a numeric parent, which X has as numbers.
	// ToLevels are the categories of the child of a table.
	FromLevels []string `json:"from_levels,omitempty"`
	ToLevels   []string `json:"to_levels,omitempty"`
	// P has a row for each of FromLevels of a table: the probabilities of ToLevels.
	P [][]float64 `json:"p,omitempty"`
	// Counts are the numbers of rows with both categories of a table; nil if the parent is numeric. Rows are the numbers of rows
	// with each of FromLevels.
	Counts [][]int `json:"counts,omitempty"`
	Rows   []int   `json:"rows,omitempty"`
	// X ascends over the range of the parent, and Y is the mean of the child there, each in units of its column; for means, Y
	// belongs to FromLevels. 5 % of the rows are below Low and 5 % above High: beyond them a curve is based on few rows.
	X    []float64 `json:"x,omitempty"`
	Y    []float64 `json:"y,omitempty"`
	Low  *float64  `json:"low,omitempty"`
	High *float64  `json:"high,omitempty"`
	// Median says that Y are medians of the child and not means, because its model is on a log or rank scale.
	Median bool `json:"median,omitempty"`
}

// Check returns an error for an unknown form, inconsistent or too long lists, or numbers out of range.
func (e *Effect) Check() error {
	rows := len(e.FromLevels)
	switch {
	case rows > MostEffectLevels || len(e.ToLevels) > MostEffectLevels || len(e.X) > MostEffectPoints:
		return fmt.Errorf("an effect has %d and %d levels and %d points, more than %d and %d", rows, len(e.ToLevels), len(e.X), MostEffectLevels, MostEffectPoints)
	case e.Rows != nil && len(e.Rows) != rows:
		return fmt.Errorf("an effect has %d numbers of rows for %d levels", len(e.Rows), rows)
	}
	for _, v := range slices.Concat(e.X, e.Y) {
		if v-v != 0 {
			return fmt.Errorf("an effect has the value %v", v)
		}
	}
	if !slices.IsSorted(e.X) || (e.Low == nil) != (e.High == nil) || e.Low != nil && !(*e.Low <= *e.High) {
		return fmt.Errorf("the values of an effect do not ascend")
	}
	switch e.Form {
	case EffectTable:
		return e.checkTable()
	case EffectMeans:
		if rows == 0 || len(e.Y) != rows {
			return fmt.Errorf("an effect has %d means for %d levels", len(e.Y), rows)
		}
		return nil
	case EffectCurve:
		if len(e.X) < 2 || len(e.Y) != len(e.X) {
			return fmt.Errorf("a curve has %d and %d values, want as many of each, and at least 2", len(e.X), len(e.Y))
		}
		return nil
	}
	return fmt.Errorf("the form of an effect is %q, want table, means or curve", e.Form)
}

func (e *Effect) checkTable() error {
	rows, columns := len(e.FromLevels), len(e.ToLevels)
	if rows == 0 || columns == 0 || len(e.P) != rows || e.Counts != nil && len(e.Counts) != rows || e.X != nil && len(e.X) != rows {
		return fmt.Errorf("a table of effects has %d and %d levels, %d rows and %d of counts", rows, columns, len(e.P), len(e.Counts))
	}
	for i, p := range e.P {
		if len(p) != columns || e.Counts != nil && len(e.Counts[i]) != columns {
			return fmt.Errorf("row %d of a table of effects has not %d entries", i+1, columns)
		}
		for _, v := range p {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("a table of effects has the probability %v", v)
			}
		}
	}
	return nil
}

// RoundEffect rounds to six digits to save space.
func RoundEffect(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return r
}
