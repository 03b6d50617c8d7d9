package trust

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag/method"
)

// Sign is 1 if To tends to increase with From and -1 if it tends to decrease. It comes from the weight or, without one, from
// a table or means of two numeric categories. It is 0 for categories in words, which have no order, even if they have a
// weight, and for a curve that falls back by more than half of its rise, or the reverse.
func (e Edge) Sign() int {
	switch f := e.Effect; {
	case f != nil && (f.Form == method.EffectCurve && turns(f) || len(f.X) == 0 && inWords(f.FromLevels) || inWords(f.ToLevels)):
		return 0
	case e.Weight != 0:
		return cmp.Compare(e.Weight, 0)
	case e.Standardized != 0:
		return cmp.Compare(e.Standardized, 0)
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
