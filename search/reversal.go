package search

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
)

// Reversals returns, for every edge of g that wanted accepts, an upper bound on the score increase of the best graph that has the
// edge reversed. An edge is absent from the map if it cannot be reversed by changing few columns. g must be acyclic.
//
// The bound is constructive. Reversed makes a graph that contains the reversed edge and can express every distribution that g can;
// then each changed column drops the parents that do not improve the score. The better of the two constructions counts. Under a
// score that is the same for all graphs of a Markov equivalence class, a covered edge has 0.
//
// Each of more, further evaluators of the same score, lets another goroutine share the work. They do not change the result. If ctx ends,
// its cause is the error.
func Reversals(ctx context.Context, g *graph.Graph, eval Evaluator, wanted func(graph.Edge) bool, more ...Evaluator) (map[graph.Edge]float64, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	edges := slices.DeleteFunc(g.Edges(), func(e graph.Edge) bool { return !wanted(e) })
	costs := make([]float64, len(edges))
	parallel.Each(ctx, len(edges), 1+len(more), func(worker int) func(int) {
		r := &reversals{g: g, order: order, eval: eval, own: make([]float64, g.N())}
		if worker > 0 {
			r.eval = more[worker-1]
		}
		for v := range r.own {
			r.own[v] = math.NaN()
		}
		return func(i int) { costs[i] = r.cost(edges[i]) }
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := make(map[graph.Edge]float64)
	for i, e := range edges {
		if !math.IsInf(costs[i], 0) {
			out[e] = max(0, costs[i])
		}
	}
	return out, nil
}

// reversals evaluates reversed edges in one goroutine.
type reversals struct {
	g     *graph.Graph
	order []int
	eval  Evaluator
	own   []float64 // score of each column in g; NaN if not computed yet
}

// cost returns the increase of the score if e is reversed, or +Inf.
func (r *reversals) cost(e graph.Edge) float64 {
	best := math.Inf(1)
	for _, ahead := range []bool{true, false} {
		changed := Reversed(r.g, r.order, e, ahead)
		if changed == nil {
			continue
		}
		columns := make([]int, 0, len(changed))
		for v := range changed {
			columns = append(columns, v)
		}
		slices.Sort(columns) // the sum must not depend on the order of a map
		cost := 0.0
		for _, v := range columns {
			if math.IsNaN(r.own[v]) {
				r.own[v] = r.eval.Score(v, r.g.Parents(v))
			}
			kept := -1
			if v == e.From {
				kept = e.To // the reversed edge itself stays
			}
			cost += pruned(r.eval, v, changed[v], kept) - r.own[v]
		}
		if !math.IsNaN(cost) {
			best = min(best, cost)
		}
	}
	return best
}

// mostChanged limits the columns whose parents change if an edge is reversed.
const mostChanged = 12

// Reversed returns the new parents of the columns that change if the edge x → y of g is reversed; nil if they are more than
// mostChanged. order is a topological order of g. The new graph can express every distribution that g can: it is made by
// reversing covered edges (Chickering 1995). Either y moves ahead of x, past all columns on a path from x to y, or x moves behind y,
// and each edge that is reversed on the way gives both its ends the parents of both.
func Reversed(g *graph.Graph, order []int, e graph.Edge, ahead bool) map[int][]int {
	changed := map[int][]int{}
	parents := func(v int) []int {
		if p, ok := changed[v]; ok {
			return p
		}
		return g.Parents(v)
	}
	flip := func(a, b int) { // reverses a → b
		both := slices.Concat(parents(a), parents(b))
		slices.Sort(both)
		both = slices.DeleteFunc(slices.Compact(both), func(v int) bool { return v == a })
		at, _ := slices.BinarySearch(both, b)
		changed[b], changed[a] = both, slices.Insert(slices.Clone(both), at, b)
	}
	below, above := g.Descendants([]int{e.From}), g.Ancestors([]int{e.To})
	var between []int // the columns on a path from x to y, in order
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
		if len(changed) >= mostChanged { // the edge itself changes one column more
			return nil
		}
	}
	flip(e.From, e.To)
	return changed
}

// pruned returns the score of v after greedy backward elimination from parents. kept is never removed; -1 keeps none.
func pruned(eval Evaluator, v int, parents []int, kept int) float64 {
	parents = slices.Clone(parents)
	best := eval.Score(v, parents)
	gone := make([]float64, len(parents))
	left := make([]int, 0, len(parents))
	for {
		gone = gone[:len(parents)]
		if r, ok := eval.(Remover); ok {
			r.Removals(gone, v, parents)
		} else if r, ok := eval.(RoundingRemover); ok {
			r.RoundedRemovals(gone, v, parents)
		} else {
			for j := range parents {
				left = append(append(left[:0], parents[:j]...), parents[j+1:]...)
				gone[j] = eval.Score(v, left)
			}
		}
		drop, least := -1, best
		for j, s := range gone {
			if parents[j] != kept && (s < least || drop < 0 && math.IsInf(best, 1)) {
				drop, least = j, s
			}
		}
		if drop < 0 {
			return best
		}
		parents = slices.Delete(parents, drop, drop+1)
		if least = eval.Score(v, parents); least > best { // RoundedRemovals is inexact
			return best
		}
		best = least
	}
}
