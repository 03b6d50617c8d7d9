package trust

import (
	"cmp"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// OfPosterior returns the confidences of a posterior that the method itself approximated by weighted graphs. There are no
// chains to compare: ESS is the number of equally weighted graphs with the same variance, and nothing is said of convergence.
func OfPosterior(p *method.Posterior, names []string, seed uint64) *Confidence {
	d, n := len(names), len(p.Graphs)
	edge, ancestor, squares := matrix.New[float64](d, d), matrix.New[float64](d, d), 0.0
	for k, edges := range p.Graphs {
		squares += p.Weights[k] * p.Weights[k]
		g := graph.New(d)
		for _, e := range edges {
			g.AddEdge(e.From, e.To)
			edge.Data[e.From*d+e.To] += p.Weights[k]
		}
		for i := range d {
			for j := range d {
				if i != j && g.HasPath(i, j) {
					ancestor.Data[i*d+j] += p.Weights[k]
				}
			}
		}
	}
	c := &Confidence{
		Resampling: PosteriorGraphs, Unit: "graphs", Replicates: n, Asked: n, Seed: seed, Calibration: "none", Graph: NoConsensus, Pairs: []Pair{},
		Posterior: &PosteriorSummary{Score: p.Score, EdgeOdds: p.EdgeOdds, Chains: 1, Samples: n, RHat: 1, ESS: 1 / squares},
	}
	for i := range d {
		for j := range d {
			share := func(v float64) float64 { return min(1, v) } // weights add up to 1 except for rounding
			q := Pair{Link: graph.Link{From: names[i], To: names[j]}, Frequency: share(edge.At(i, j)), Adjacency: share(edge.At(i, j) + edge.At(j, i)), Ancestor: share(ancestor.At(i, j))}
			if q.Confidence = q.Frequency; max(q.Adjacency, q.Ancestor) > LeastFrequency {
				c.Pairs = append(c.Pairs, q)
			}
		}
	}
	slices.SortStableFunc(c.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Adjacency, a.Adjacency), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return c
}
