package polydag

import (
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag/method"
)

// Size is Strength on a scale from 0 to 1, for drawings: √(1 - 2^(-2·Strength)), the correlation of two Gaussian columns that tell
// as many bits of each other. An edge that costs more than it saves has 0. Results of the version before have no strengths:
// there it is the size of the standardized weight, which is the same for a column with one parent.
func (e Edge) Size() float64 {
	if e.Strength == 0 {
		return min(math.Abs(e.Standardized), 1)
	}
	return math.Sqrt(-math.Expm1(-2 * math.Ln2 * max(e.Strength, 0)))
}

// Bits is Strength or, where a result has none, what Size stands for: at most 8 bits.
func (e Edge) Bits() float64 {
	if e.Strength != 0 {
		return e.Strength
	}
	return min(-math.Log1p(-e.Size()*e.Size())/(2*math.Ln2), 8)
}

// Sign is 1 where To tends to be larger with From and -1 where it tends to be smaller, by the weight or, where there is none, by a
// table or means of two levels that are numbers. It is 0 for levels in words, which have no order, and for a curve that comes back
// more than half of the way.
func (e Edge) Sign() int {
	f := e.Effect
	switch {
	case f != nil && f.Form == method.EffectCurve && turns(f):
		return 0
	case e.Weight != 0:
		return signOf(e.Weight)
	case e.Standardized != 0:
		return signOf(e.Standardized)
	case f == nil || !ascends(f.FromLevels):
		return 0
	case f.Form == method.EffectTable && ascends(f.ToLevels):
		return signOf(f.P[1][1] - f.P[0][1])
	case f.Form == method.EffectMeans:
		return signOf(f.Y[1] - f.Y[0])
	}
	return 0
}

// turns reports whether a curve ends, where most rows are, less than half of its height from where it began.
func turns(f *Effect) bool {
	var y []float64
	for k, x := range f.X {
		if f.Low == nil || x >= *f.Low && x <= *f.High {
			y = append(y, f.Y[k])
		}
	}
	return len(y) > 1 && math.Abs(y[len(y)-1]-y[0]) < (slices.Max(y)-slices.Min(y))/2
}

// ascends reports whether there are two levels, both of them numbers.
func ascends(levels []string) bool {
	if len(levels) != 2 {
		return false
	}
	low, err1 := strconv.ParseFloat(levels[0], 64)
	high, err2 := strconv.ParseFloat(levels[1], 64)
	return err1 == nil && err2 == nil && low < high
}

func signOf(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}
