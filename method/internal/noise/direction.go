// Package noise learns directions from noise that is not Gaussian, under linear effects.
package noise

import (
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// shapeLevel is the p-value, corrected for the number of columns, up to which a residual is not Gaussian.
const shapeLevel = 1e-3

// NotGaussian counts the columns with edges whose residuals under g are not Gaussian. Twice the gain of a fitted density is compared with χ²
// of as many degrees of freedom as it has parameters. The test is conservative, since mean and variance were fitted before.
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

// DirectionP returns the p-value of the direction of each edge of g, in the order of g.Edges, corrected for the number of edges by Holm's
// method (1979). It is 1 for an edge that cannot be reversed with few others.
//
// search.Reversed makes a graph with the edge turned that can express every distribution that g can. The two graphs are compared by the test of Vuong
// (1989), "Likelihood ratio tests for model selection and non-nested hypotheses": with l_i the difference of their
// log-likelihoods in row i, √m·mean(l)/sd(l) is standard normal where both are equally near the truth. The turned graph has no
// fewer parameters and pays nothing for them. Where the noise is Gaussian both fit about equally well, l has not the
// variance that the test supposes, and the statistic, half the difference of two χ² divided by the root of about their sum, is
// smaller than a standard normal one: the test errs on the safe side. Of the two ways to turn an edge the one counts
// that fits better.
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

// vuong returns the probability of the test of g against the graph in which the changed columns have other parents, 1 where the
// other fits better or there is none.
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

// holm corrects probabilities for their number: the k-th smallest of n is multiplied by n - k + 1, and none is less than one before
// it.
func holm(p []float64) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	most := 0.0
	for k, i := range order {
		most = max(most, min(1, p[i]*float64(len(p)-k)))
		p[i] = most
	}
}
