// Package noise learns directions from non-Gaussian noise under linear effects.
package noise

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// shapeLevel is the significance level of the Gaussianity test of a residual, corrected for the number of
// columns.
const shapeLevel = 1e-3

// NotGaussian counts the columns with edges whose residuals under g are not Gaussian. It compares twice the
// gain of a fitted density with χ² with one degree of freedom per parameter. The test is conservative, because
// mean and variance were fitted before.
func NotGaussian(fit *score.NoiseFit, g *graph.Graph) (shaped int) {
	for v := range g.N() {
		if len(g.Parents(v))+len(g.Children(v)) == 0 {
			continue
		}
		if independence.ChiSquared(2*fit.Gain(v, g.Parents(v)), score.NoiseTerms)*float64(g.N()) <= shapeLevel {
			shaped++
		}
	}
	return shaped
}

// DirectionP returns the p-value of the direction of each edge of g, in the order of g.Edges, with Holm's
// correction (1979) for the number of edges. It is 1 for an edge that cannot be reversed with few other
// changes.
//
// search.Reversed returns a graph with the edge reversed that can represent every distribution of g. The test
// of Vuong (1989), "Likelihood ratio tests for model selection and non-nested hypotheses", compares the two
// graphs. With l_i the difference of their log-likelihoods in row i, √m·mean(l)/sd(l) is standard normal if
// both are equally close to the truth. The reversed graph has at least as many parameters and no penalty for
// them. For Gaussian noise both fit about equally well, and the statistic is smaller than a standard normal
// one, so the test is conservative. Of the two ways to reverse an edge, the better fit counts.
func DirectionP(fit *score.NoiseFit, g *graph.Graph) ([]float64, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	edges := g.Edges()
	p := make([]float64, len(edges))
	rows := make([]float64, fit.Rows())
	for k, e := range edges {
		for _, ahead := range []bool{true, false} {
			p[k] = max(p[k], vuong(fit, g, search.Reversed(g, order, e, ahead), rows))
		}
	}
	holm(p)
	return p, nil
}

// vuong returns the p-value of the test of g against the graph with other parents of the changed columns. It is
// 1 if the other graph fits better or does not exist.
func vuong(fit *score.NoiseFit, g *graph.Graph, changed map[int][]int, rows []float64) float64 {
	if changed == nil {
		return 1
	}
	clear(rows)
	columns := make([]int, 0, len(changed))
	for v := range changed {
		columns = append(columns, v)
	}
	slices.Sort(columns)
	for _, v := range columns {
		if !fit.AddRows(rows, v, g.Parents(v), 1) || !fit.AddRows(rows, v, changed[v], -1) {
			return 1
		}
	}
	m := float64(len(rows))
	mean, square := 0.0, 0.0
	for _, l := range rows {
		mean += l / m
	}
	for _, l := range rows {
		square += (l - mean) * (l - mean) / m
	}
	if !(mean > 0) || !(square > 0) {
		return 1
	}
	return math.Erfc(math.Sqrt(m*fit.Weight()/square)*mean/math.Sqrt2) / 2
}

// holm corrects p-values for their number: the k-th smallest of n is multiplied by n - k + 1, and the results
// are made monotone.
func holm(p []float64) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	most := 0.0
	for k, i := range order {
		most = max(most, min(1, p[i]*float64(len(p)-k)))
		p[i] = most
	}
}
