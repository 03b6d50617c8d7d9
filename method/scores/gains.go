package scores

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// AddFacts adds the weights, gains and effects of the edges of g under the score to the answer, in the order of the score. Under the
// linear model it adds no values: least squares describes the edges.
func (t *ScoredTable) AddFacts(a *method.Answer, g *graph.Graph) {
	if a.Edges == nil {
		a.Edges = method.EdgeRecords(g)
	}
	if t.Model == Linear {
		return
	}
	t.slopes(a.Edges, g)
	if t.In.GraphOnly {
		return
	}
	t.gains(a, g)
	if t.Model == Mixed || t.Model == Flexible {
		t.boundGains(a.Edges)
	}
	if !t.Sample && t.Contexts == nil && (!t.ownLevels || t.In.Environments == nil) {
		t.effects(a.Edges, g)
	}
}

// gains adds the score gain of each edge, and the share of each column that its parents explain.
func (t *ScoredTable) gains(a *method.Answer, g *graph.Graph) {
	eval := t.Score.Evaluator()
	for i := range a.Edges {
		e := &a.Edges[i]
		parents := g.Parents(e.To)
		gain := eval.Score(e.To, intset.Without(parents, e.From)) - eval.Score(e.To, parents)
		e.Gain = new(Finite(score.Bits(gain, t.n(e.To))))
	}
	a.Nodes = make([]method.NodeFacts, g.N())
	for v := range a.Nodes {
		with, bare, share := eval.Score(v, g.Parents(v)), eval.Score(v, nil), 0.0
		if t.Model != Discrete { // a share of the variance
			share = -math.Expm1((with - bare) / t.n(v))
		} else if bare > 0 { // a share of the entropy
			share = 1 - with/bare
		}
		a.Nodes[v].Explained = new(min(1, max(0, Finite(share))))
	}
}

// boundGains limits the score gain of an edge to the entropy of an end with levels, which is the largest mutual information. The mixed
// model treats indicators of levels as Gaussian, and its likelihood is unbounded if parents determine a level.
func (t *ScoredTable) boundGains(edges []method.EdgeRecord) {
	for i := range edges {
		e := &edges[i]
		for _, v := range []int{e.From, e.To} {
			if t.Order[v] >= len(t.In.Kinds) { // a context
				continue
			}
			if k := t.In.Kinds[t.Order[v]]; k.Kind.Discrete() && k.Levels > 1 {
				e.Gain = new(min(*e.Gain, t.entropy(v, k.Levels)))
			}
		}
	}
}

// entropy returns the entropy of a column in bits, or at least a bound of it.
func (t *ScoredTable) entropy(v, levels int) float64 {
	b := t.ownBlocks(v)
	if b == nil || !t.view(b, v).levels {
		return math.Log2(float64(levels))
	}
	count, total, sum := t.view(b, v).count, 0.0, 0.0
	for _, n := range count {
		total += float64(n)
	}
	for _, n := range count {
		if p := float64(n) / total; p > 0 {
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// Total returns the score of g, the sum of its local scores.
func Total(eval interface {
	Score(v int, parents []int) float64
}, g *graph.Graph) (sum float64) {
	for v := range g.N() {
		sum += eval.Score(v, g.Parents(v))
	}
	return sum
}

// Finite returns x, or 0 if x is NaN or infinite.
func Finite(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return x
}
