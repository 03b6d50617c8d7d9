package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
)

const (
	// ruleOdds is the largest contribution, in log odds, of each of two rules about directions in real tables. The first rule says
	// that the column with fewer distinct values is the cause. The second says that the cause predicts the effect by a cubic
	// polynomial with the smaller error, both scaled to the range 0 to 1 (RECI, Blöbaum et al. 2018). The rules are right for 0.78
	// and 0.72 of 106 edges of real tables with a known order. They are priors and not evidence from one table, so they count only
	// if a check failed or the model leaves the direction open. The best fit is 1.6. One value for both rules predicts tables
	// outside of the fit better than two values, and a third value for the direction of the failed model makes it worse. 1.5 is
	// used because the rules are right less often (0.75 and 0.72) in tables outside of the fit. docs/explanation/confidence.md
	// describes the study. Neither rule applies to a column with two values, for which both would always say that it comes first: it
	// has the fewest values and, scaled to its range, the largest error. Such columns are as often the last (a diagnosis) as the first.
	ruleOdds = 1.5
	// asymmetryRows limits the number of rows.
	asymmetryRows = 3000
)

// asymmetry compares pairs of columns in a sample of rows.
type asymmetry struct {
	columns  [][]float64 // scaled to the range 0 to 1; nil without a sample
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

// reason returns the evidence of the two rules for an edge, added to other log odds and limited to most.
func (a *asymmetry) reason(e graph.Edge, odds, most float64) Reason {
	text := "no rows to compare the two variables by"
	if a.columns != nil && min(a.distinct[e.From], a.distinct[e.To]) <= 2 {
		text = "the rules about real tables do not apply to a variable with two values"
	} else if a.columns != nil {
		x, y := a.distinct[e.From], a.distinct[e.To]
		odds += ruleOdds * math.Tanh(math.Log(float64(y)/float64(x))/2)
		text = fmt.Sprintf("in real tables the variable with fewer distinct values usually comes first (%d and %d)", x, y)
		if !a.nominal[e.From] && !a.nominal[e.To] {
			ratio := math.Log(a.unexplained(e.From, e.To) / a.unexplained(e.To, e.From))
			odds += ruleOdds * math.Tanh(ratio)
			text += fmt.Sprintf(", and so does the one that predicts the other with less error (mean squared error %.2g times that of the opposite direction)", math.Exp(-ratio))
		}
	}
	return Reason{Source: FromTables, P: logistic(bounded(odds, most)), Text: text}
}

// unexplained returns the mean squared error of a cubic polynomial in column y that predicts column x.
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
