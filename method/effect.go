package method

import (
	"fmt"
	"math"
	"slices"
)

// An EffectForm says how an Effect describes an edge that has no slope, or more than one.
type EffectForm string

// The forms, by what the two columns are.
const (
	EffectTable EffectForm = "table" // the child has levels: P(child = level) at each value of the parent
	EffectMeans EffectForm = "means" // the parent has levels, the child is a number: its mean at each level
	EffectCurve EffectForm = "curve" // both are numbers: the mean of the child along the parent
)

// How large an Effect can be.
const (
	MostEffectLevels = 8  // levels of a column; where there are more, the rarest are one, "other"
	MostEffectPoints = 25 // points of a curve
	OtherLevels      = "other"
)

// Effect is what an edge does, for a person: what is to be expected of the child where the parent has a value, the other
// parents averaged over all rows. It describes the fit of the model and is no part of the search.
type Effect struct {
	Form EffectForm `json:"form"`
	// FromLevels are the levels of the parent, in the order of their values, or in a table some values of a parent that is a
	// number, which X has as numbers. ToLevels are the levels of the child of a table. Text has its own words.
	FromLevels []string `json:"from_levels,omitempty"`
	ToLevels   []string `json:"to_levels,omitempty"`
	// P of a table has a row for each of FromLevels: the probability of each of ToLevels there.
	P [][]float64 `json:"p,omitempty"`
	// Counts of a table are the rows with both levels, nothing averaged; absent where the parent is a number. Rows are those with
	// each of FromLevels.
	Counts [][]int `json:"counts,omitempty"`
	Rows   []int   `json:"rows,omitempty"`
	// X ascends over the range of the parent, and Y is the mean of the child there, each in units of its column; Y of means
	// belongs to FromLevels. 5% of the rows are below Low, and 5% above High: beyond them a curve rests on few rows.
	X    []float64 `json:"x,omitempty"`
	Y    []float64 `json:"y,omitempty"`
	Low  *float64  `json:"low,omitempty"`
	High *float64  `json:"high,omitempty"`
}

// Check reports what keeps an effect from being read: a form that there is not, lists that do not fit each other or are too
// long, or numbers out of their range.
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

// RoundEffect rounds to six digits, which is more than a description needs and half the size of a file.
func RoundEffect(v float64) float64 {
	if v == 0 || v-v != 0 {
		return v
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(v))))
	if r := math.Round(v*scale) / scale; r-r == 0 {
		return r
	}
	return v
}
