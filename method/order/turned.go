package order

import (
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// turnedP returns for each edge of g, in the order of g.Edges, the probability by which the noise would speak as clearly for
// its direction if it were not the better one, corrected for the number of edges by Holm's method (1979). 1 stands for an
// edge that cannot be turned with few others.
//
// A graph with the edge turned is made that can express every distribution that g can, by turning covered edges (Chickering
// 1995): either y is moved ahead of x, past all that lies on a way from x to y, or x is moved behind y, and each edge
// that is turned on the way gives both its ends the parents of both. The two graphs are compared by the test of Vuong
// (1989), "Likelihood ratio tests for model selection and non-nested hypotheses": with l_i the difference of their
// log-likelihoods in row i, √m·mean(l)/sd(l) is standard normal where both are equally near the truth. The turned graph has no
// fewer parameters and pays nothing for them. Where the noise is Gaussian both fit about equally well, l has not the
// variance that the test supposes, and the statistic, half the difference of two χ² divided by the root of about their sum, is
// smaller than a standard normal one: the test errs on the safe side. Of the two ways to turn an edge the one counts
// that fits better.
func turnedP(fit *score.NoiseFit, g *graph.Graph) ([]float64, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	edges := g.Edges()
	p := make([]float64, len(edges))
	rows := make([]float64, fit.Rows())
	for k, e := range edges {
		for _, ahead := range []bool{true, false} {
			p[k] = max(p[k], vuong(fit, g, turn(g, order, e, ahead), rows))
		}
	}
	holm(p)
	return p, nil
}

// mostTurned bounds the columns whose parents change where an edge is turned. Where more would, the edge is left alone.
const mostTurned = 12

// turn returns the new parents of the columns whose parents change when the edge x → y of g is turned; nil where they are too
// many.
func turn(g *graph.Graph, order []int, e graph.Edge, ahead bool) map[int][]int {
	changed := map[int][]int{}
	parents := func(v int) []int {
		if p, ok := changed[v]; ok {
			return p
		}
		return g.Parents(v)
	}
	// flip turns a → b and gives both the parents of both.
	flip := func(a, b int) {
		both := without(union(parents(a), parents(b)), a)
		changed[b], changed[a] = both, with(both, b)
	}
	below, above := g.Descendants([]int{e.From}), g.Ancestors([]int{e.To})
	var between []int // the columns on a way from x to y, in order
	for _, v := range order {
		if v != e.From && v != e.To && below[v] && above[v] {
			between = append(between, v)
		}
	}
	if ahead {
		slices.Reverse(between)
	}
	for _, b := range between {
		switch {
		case ahead && slices.Contains(parents(e.To), b):
			flip(b, e.To)
		case !ahead && slices.Contains(parents(b), e.From):
			flip(e.From, b)
		}
		if len(changed) > mostTurned {
			return nil
		}
	}
	flip(e.From, e.To)
	return changed
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
