package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/kind"
)

// Of 124 pairs of columns in real tables whose order is known, the one with fewer distinct values comes first in three of four, and so
// does the one from which a cubic polynomial predicts the other, both scaled to the range 0 to 1, with the smaller error (RECI, Blöbaum et
// al. 2018). They say how tables are made, and nothing about one table: they count only where the model of the table failed its
// checks. Fits that leave out one table at a time give 0.8–1.9, 1.1–1.9 and 0.1–0.6 for the three parameters. The values here are near the lower ends: the
// two rules are right for 0.81 and 0.74 of the edges of the 8 tables of the fits, and for 0.75 and 0.72 of those of 12 tables. docs/explanation/confidence.md has the study.
const (
	// A fit on all tables gives 1.42, 1.31 and 0.34. Smaller values are used, since the rules are right less often in tables that are not among them (0.75 and 0.72 of 155 pairs in 12 tables).
	//
	// distinctOdds and errorOdds are the log odds that each rule is worth at most, and compelledOdds those of a direction that the failed model fixes.
	distinctOdds, errorOdds, compelledOdds = 1.25, 1.1, 0.25
	// asymmetryRows bounds the rows that are read.
	asymmetryRows = 3000
)

// asymmetry compares pairs of columns in a sample of rows.
type asymmetry struct {
	columns  [][]float64 // scaled to the range 0 to 1; nil where there is no sample
	distinct []int
	nominal  []bool
}

func newAsymmetry(e Evidence, model Model) *asymmetry {
	a := &asymmetry{}
	if e.Sample == nil {
		return a
	}
	keep := completeRows(e.Sample)
	if len(keep) < leastResiduals {
		return a
	}
	keep = keep[:min(len(keep), asymmetryRows)]
	d := e.Moments.Dim()
	a.columns, a.distinct, a.nominal = make([][]float64, d), make([]int, d), make([]bool, d)
	for v := range d {
		x := make([]float64, len(keep))
		for k, i := range keep {
			x[k] = e.Sample.Row(i)[v]
		}
		low, high := slices.Min(x), slices.Max(x)
		for k := range x {
			if high > low {
				x[k] = (x[k] - low) / (high - low)
			}
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		a.columns[v], a.distinct[v] = x, len(slices.Compact(sorted))
		a.nominal[v] = model.Kinds != nil && model.Kinds[v].Kind == kind.Categorical && a.distinct[v] > 2
	}
	return a
}

// reason is what is usual for the two columns of an edge.
func (a *asymmetry) reason(f Facts) Reason {
	odds, text := 0.0, "no rows to compare the two variables by"
	if a.columns != nil {
		x, y := a.distinct[f.From], a.distinct[f.To]
		odds = distinctOdds * math.Tanh(math.Log(float64(y)/float64(x))/2)
		text = fmt.Sprintf("in real tables the variable with fewer distinct values usually comes first (%d and %d)", x, y)
		if !a.nominal[f.From] && !a.nominal[f.To] {
			ratio := math.Log(a.unexplained(f.From, f.To) / a.unexplained(f.To, f.From))
			odds += errorOdds * math.Tanh(ratio)
			text += fmt.Sprintf(", and so does the one that predicts the other with less error (error ratio %.2g)", math.Exp(-ratio))
		}
	}
	if f.Compelled {
		odds += compelledOdds
	}
	return Reason{Source: FromTables, P: logistic(odds), Text: text}
}

// unexplained is the mean squared error of a cubic polynomial in column y that predicts column x.
func (a *asymmetry) unexplained(x, y int) float64 {
	left := slices.Clone(a.columns[x])
	centre(left)
	powers := make([][]float64, 3)
	for k := range powers {
		powers[k] = make([]float64, len(left))
		for i, v := range a.columns[y] {
			powers[k][i] = math.Pow(v, float64(k+1))
		}
		centre(powers[k])
	}
	project(left, powers)
	sum := 0.0
	for _, v := range left {
		sum += v * v
	}
	return max(sum/float64(len(left)), 1e-12)
}
