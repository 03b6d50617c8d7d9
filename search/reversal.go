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
// then each changed column takes those of its parents there that improve the score. The better of the two constructions counts. Under a
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
		r := &reversals{g: g, order: order, eval: eval, own: make([]float64, g.N()), with: make([]float64, g.N())}
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
	// buffers of refitted
	set, less  []int
	with, gone []float64
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
			start := slices.DeleteFunc(slices.Clone(changed[v]), func(x int) bool { return x != kept && !r.g.HasEdge(x, v) })
			cost += r.refitted(v, start, changed[v], kept) - r.own[v]
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

// refitted returns the score of v after a greedy search from start among the subsets of parents: the best addition while one improves the
// score, then the best removal, until neither does. kept is never removed; -1 keeps none. Few evaluations are of sets that are larger
// than the best one, which for a table of probabilities are by far the most expensive.
func (r *reversals) refitted(v int, start, parents []int, kept int) float64 {
	eval, set := r.eval, append(r.set[:0], start...)
	if h, ok := eval.(Holder); ok {
		h.Hold(v, parents)
	}
	best := eval.Score(v, set)
	for {
		for len(set) < len(parents) {
			r.additions(v, set, parents)
			add, least := -1, best
			for _, x := range parents {
				if _, in := slices.BinarySearch(set, x); !in && (r.with[x] < least) {
					add, least = x, r.with[x]
				}
			}
			if add < 0 {
				break
			}
			at, _ := slices.BinarySearch(set, add)
			set = slices.Insert(set, at, add)
			if least = eval.Score(v, set); !(least < best) { // Additions are inexact
				set = slices.Delete(set, at, at+1)
				break
			}
			best = least
		}
		drop, least := -1, best
		for j, s := range r.without(v, set) {
			if set[j] != kept && s < least {
				drop, least = j, s
			}
		}
		r.set = set
		if drop < 0 {
			return best
		}
		set = slices.Delete(set, drop, drop+1)
		if least = eval.Score(v, set); !(least < best) { // RoundedRemovals are inexact
			return best
		}
		best = least
	}
}

// fewOf is the number of columns for each candidate from which one call of Score for each candidate takes less time than Additions, which
// evaluates all columns.
const fewOf = 8

// additions writes the score of v with set and x to r.with[x], for each x of parents that is not in set.
func (r *reversals) additions(v int, set, parents []int) {
	if fewOf*(len(parents)-len(set)) > len(r.with) {
		r.eval.Additions(r.with, v, set)
		return
	}
	for _, x := range parents {
		if at, in := slices.BinarySearch(set, x); !in {
			r.less = slices.Insert(append(r.less[:0], set...), at, x)
			r.with[x] = r.eval.Score(v, r.less)
		}
	}
}

// without returns the scores of v without each of its parents.
func (r *reversals) without(v int, parents []int) []float64 {
	r.gone = slices.Grow(r.gone[:0], len(parents))[:len(parents)]
	switch e := r.eval.(type) {
	case Remover:
		e.Removals(r.gone, v, parents)
	case RoundingRemover:
		e.RoundedRemovals(r.gone, v, parents)
	default:
		for j := range parents {
			r.less = append(append(r.less[:0], parents[:j]...), parents[j+1:]...)
			r.gone[j] = r.eval.Score(v, r.less)
		}
	}
	return r.gone
}
