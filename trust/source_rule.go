package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
)

const (
	// valueOdds is the largest contribution, in log odds, of the rule that the column with fewer distinct values is the cause, and
	// errorOdds that of the rule that the cause predicts the effect by a cubic polynomial with the smaller error, both scaled to the
	// range 0 to 1 (RECI, Blöbaum et al. 2018). By ranks the second rule is right for 0.52 of the pairs, so that it is a statement about
	// long tails: skewed columns come later. At columns of codes, both count codeShare. The best fits for 441 edges and pairs of real
	// tables are 2.1 and 1.6, less in tables outside of the fit. ruleMost limits their sum, so that rules alone never state a direction.
	// They are priors and not evidence from one table. Neither rule applies to a column with two values, for which both would always say
	// that it comes first. Such columns are as often the last (a diagnosis) as the first.
	valueOdds, errorOdds, codeShare, ruleMost = 1.5, 1.0, 0.3, 1.2
	// leastRule is the smallest contribution that is worth a reason.
	leastRule = 0.02
	// asymmetryRows limits the number of rows.
	asymmetryRows = 3000
)

// asymmetry compares pairs of columns in a sample of rows.
type asymmetry struct {
	columns  [][]float64 // scaled to the range 0 to 1; nil without a sample
	distinct []int
	nominal  []bool
	codes    []bool // ordinal or nominal
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
	a.columns, a.distinct, a.nominal, a.codes = make([][]float64, d), make([]int, d), make([]bool, d), make([]bool, d)
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
		a.codes[v] = a.nominal[v] || model.Kinds != nil && model.Kinds[v].Kind == kind.Ordinal
	}
	return a
}

// byRule is the evidence of two rules about real tables.
func byRule(c *Claim) (Reason, bool) {
	r := Reason{Source: FromRule}
	if c.ruled == 0 || c.pairs.columns == nil || min(c.pairs.distinct[c.From], c.pairs.distinct[c.To]) <= 2 {
		return r, false
	}
	odds, text := c.pairs.odds(c.Edge)
	r.LogOdds, r.Text = c.ruled*bounded(odds, ruleMost), text
	return r, math.Abs(r.LogOdds) >= leastRule
}

// odds returns the log odds of an edge by the two rules.
func (a *asymmetry) odds(e graph.Edge) (odds float64, text string) {
	x, y := a.distinct[e.From], a.distinct[e.To]
	odds = valueOdds * math.Tanh(math.Log(float64(y)/float64(x))/2)
	text = fmt.Sprintf("in real tables the variable with fewer distinct values usually comes first (%d and %d)", x, y)
	if !a.nominal[e.From] && !a.nominal[e.To] {
		ratio := math.Log(a.unexplained(e.From, e.To) / a.unexplained(e.To, e.From))
		odds += errorOdds * math.Tanh(ratio)
		text += fmt.Sprintf(", and so does the one that predicts the other with less error (mean squared error %.2g times that of the opposite direction)", math.Exp(-ratio))
	}
	if a.codes[e.From] || a.codes[e.To] {
		odds *= codeShare
	}
	return odds, text
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
