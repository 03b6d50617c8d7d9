package scores

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// ruledOut is the loss of score, on the scale of twice the log-likelihood, from which a graph is rejected: 10 is very strong
// evidence (Kass and Raftery 1995).
const ruledOut = 10

// openEdges returns the edges of g whose direction the score does not identify. The score differs between graphs of one Markov
// equivalence class, but both directions of a nearly linear effect fit about equally well. Reversals of covered edges, x → y with
// parents(y) = parents(x) + x, lead to every graph of the class (Chickering 1995). openEdges reverses them while the sum of the
// losses stays below ruledOut. It does not reverse edges from a fixed column.
func openEdges(g *graph.Graph, eval search.Evaluator, fixed func(x int) bool) map[graph.Edge]bool {
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = slices.Clone(g.Parents(v))
	}
	open := map[graph.Edge]bool{} // edges as in g
	cost := 0.0
	for again := true; again; {
		again = false
		for y := range parents {
			for _, x := range slices.Clone(parents[y]) {
				key := graph.Edge{From: x, To: y}
				if !g.HasEdge(x, y) {
					key = graph.Edge{From: y, To: x}
				}
				rest := intset.Without(parents[y], x)
				if open[key] || fixed(x) || !slices.Equal(rest, parents[x]) {
					continue
				}
				turned := eval.Score(y, rest) + eval.Score(x, intset.With(parents[x], y)) - eval.Score(y, parents[y]) - eval.Score(x, parents[x])
				if math.IsNaN(turned) || cost+turned >= ruledOut {
					continue
				}
				cost = max(0, cost+turned)
				open[key], again = true, true
				parents[y], parents[x] = rest, intset.With(parents[x], y)
			}
		}
	}
	return open
}

// AddDirections adds which directions of g the score identifies, and the loss of score of each reversal. If ctx ends, the answer is canceled
// and has no losses.
func (t *ScoredTable) AddDirections(ctx context.Context, a *method.Answer, g *graph.Graph) {
	eval, inputs := t.Score.Evaluator(), t.inputs()
	if !t.In.GraphOnly {
		var known search.Knowledge
		if t.In.Knowledge != nil {
			known = t.Knowledge()
		}
		var more []search.Evaluator
		for range t.In.Threads - 1 {
			if t.Model == Discrete { // each evaluation counts all rows
				more = append(more, t.Score.Evaluator())
			}
		}
		losses := method.Reversals(ctx, g, eval, t.Score.Equivalent(), known, inputs, more...)
		for i := range a.Edges {
			if loss, ok := losses[a.Edges[i].Edge]; ok {
				a.Edges[i].Reversal = &loss
			}
		}
	}
	if ctx.Err() != nil {
		a.Cancel(ctx)
		return
	}
	if t.Score.Equivalent() {
		return
	}
	a.Identified = t.Model == Smooth || t.Model == Flexible
	open := openEdges(g, eval, func(x int) bool { return t.IsContext(x) || inputs != nil && inputs[x] })
	for i := range a.Edges {
		e := &a.Edges[i]
		if inputs == nil || !inputs[e.From] {
			e.Turning = t.reversalBits(g, eval, e.From, e.To)
		}
		if e.Direction = method.DirectionSettled; open[e.Edge] || slices.Contains(t.straightened, e.From) || slices.Contains(t.straightened, e.To) {
			e.Direction = method.DirectionOpen
			// The loss is that of a reversal in place, and reversals of several edges may lose less. Linear effects of columns with
			// heteroscedastic noise are an approximation, which does not identify a direction.
			if t.Model == Flexible {
				e.Reversal = nil
			}
		}
	}
}

// reversalBits returns the loss of score if only the edge x → y is reversed, in bits per row of the two columns together, or nil if
// that closes a cycle.
func (t *ScoredTable) reversalBits(g *graph.Graph, eval search.Evaluator, x, y int) *float64 {
	if slices.ContainsFunc(g.Children(x), func(z int) bool { return g.HasPath(z, y) }) {
		return nil
	}
	loss := eval.Score(y, intset.Without(g.Parents(y), x)) + eval.Score(x, intset.With(g.Parents(x), y)) - eval.Score(y, g.Parents(y)) - eval.Score(x, g.Parents(x))
	bits := score.Bits(loss, max(t.n(x), t.n(y)))
	if math.IsNaN(bits) || math.IsInf(bits, 0) {
		return nil
	}
	return &bits
}
