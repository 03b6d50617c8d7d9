package describe

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag/method"
)

// Sign returns 1 if the effect of an edge is an increase, -1 if it is a decrease, and 0 if it is neither. It comes from the weights or,
// without them, from a table or means of two numeric categories. Categories in words have no order, and a curve that falls back by more
// than half of its rise has no sign.
func Sign(weight, standardized float64, f *method.Effect) int {
	switch {
	case f != nil && (f.Form == method.EffectCurve && turns(f) || len(f.X) == 0 && inWords(f.FromLevels) || inWords(f.ToLevels)):
		return 0
	case weight != 0:
		return cmp.Compare(weight, 0)
	case standardized != 0:
		return cmp.Compare(standardized, 0)
	case f == nil || !ascends(f.FromLevels):
		return 0
	case f.Form == method.EffectTable && ascends(f.ToLevels):
		return cmp.Compare(f.P[1][1]-f.P[0][1], 0)
	case f.Form == method.EffectMeans:
		return cmp.Compare(f.Y[1]-f.Y[0], 0)
	}
	return 0
}

// turns reports whether a curve, where most rows are, ends less than half of its height from where it began.
func turns(f *method.Effect) bool {
	var y []float64
	for k, x := range f.X {
		if f.Low == nil || x >= *f.Low && x <= *f.High {
			y = append(y, f.Y[k])
		}
	}
	return len(y) > 1 && math.Abs(y[len(y)-1]-y[0]) < (slices.Max(y)-slices.Min(y))/2
}

// inWords reports whether a category is not a number.
func inWords(levels []string) bool {
	return slices.ContainsFunc(levels, func(l string) bool {
		_, err := strconv.ParseFloat(l, 64)
		return err != nil
	})
}

// ascends reports whether there are two categories and both are numbers.
func ascends(levels []string) bool {
	if len(levels) != 2 {
		return false
	}
	low, err1 := strconv.ParseFloat(levels[0], 64)
	high, err2 := strconv.ParseFloat(levels[1], 64)
	return err1 == nil && err2 == nil && low < high
}
