package chance

import (
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
)

// Functions define the functions of the columns in a model: category indicators for the columns in Levels, and for
// the others the column or, unless Curves is nil, the column on its scale and its curves.
type Functions struct {
	Levels []bool
	Curves *basis.Functions
	// Straight says that the curves are not used, only the scales.
	Straight bool
}

// testedCurves is how many curves of a cause are tested under smooth effects.
const testedCurves = 4

// given returns the functions of a column of the condition.
func (e Functions) given(s *sheet, j int) [][]float64 {
	x := s.column(j)
	if e.Levels[j] {
		return indicators(x)
	}
	out := [][]float64{e.scaled(x, j)}
	if e.Curves != nil && !e.Straight {
		out = append(out, e.bends(x, j, math.MaxInt)...)
	}
	return out
}

// scaled returns the values x of a numeric column on its scale.
func (e Functions) scaled(x []float64, j int) []float64 {
	if e.Curves == nil || e.Curves.Scale(j) == dataset.RawScale {
		return x
	}
	out := make([]float64, len(x))
	for i, value := range x {
		out[i] = e.Curves.Scaled(j, value)
	}
	return out
}

// curved reports whether a column has curves.
func (e Functions) curved(j int) bool {
	if e.Curves == nil || e.Straight || e.Levels[j] {
		return false
	}
	start := e.Curves.Start()
	return start[j+1]-start[j] > 1
}

// bends returns the curves of a column, which are functions of its ranks.
func (e Functions) bends(x []float64, j, most int) [][]float64 {
	start := e.Curves.Start()
	k := start[j+1] - start[j]
	most = min(most, k-1)
	out := make([][]float64, most)
	for f := range out {
		out[f] = make([]float64, len(x))
	}
	at := make([]float64, k)
	for i, value := range x {
		e.Curves.At(at, j, value)
		for f := range out {
			out[f][i] = at[f+1]
		}
	}
	return out
}

// indicators returns an indicator of each value but the first.
func indicators(x []float64) [][]float64 {
	values := slices.Clone(x)
	slices.Sort(values)
	values = slices.Compact(values)
	out := make([][]float64, len(values)-1)
	for k := range out {
		out[k] = make([]float64, len(x))
	}
	for i, value := range x {
		if k, _ := slices.BinarySearch(values, value); k > 0 {
			out[k-1][i] = 1
		}
	}
	return out
}
