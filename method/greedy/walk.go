package greedy

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/search"
)

// A phase is a kind of operator.
type phase int

const (
	adding phase = iota
	deleting
	turning
)

func (p phase) String() string {
	return [...]string{"adding edges", "deleting edges", "turning edges"}[p]
}

// A walk is the state of one search.
//
// Every column has a list of the operators of the phase that change its parents and improve the score, the best
// first. Their gains depend only on nearby columns. After a step, only the lists of columns near the changed
// ones are computed again. Whether an operator is valid may depend on paths through the whole graph. So
// validity is tested only for the best operator, at each step again, since a path may be gone.
type walk struct {
	Problem
	Settings
	class     *graph.PDAG
	evals     []search.Evaluator  // one per goroutine
	dependent []map[int]bool      // with Marginal: the columns on which each depends
	must      map[graph.Edge]bool // the required edges
	least     float64
	steps     int
	reached   map[string][]bool // in this step: the columns reachable from a column outside a set
	cut       map[int]bool      // columns with omitted operators
	all       bool              // compute every list again after each step, for tests
}

// climb takes the best step of a phase while there is one. It returns false if the context ended.
func (w *walk) climb(ctx context.Context, ph phase) bool {
	d := w.class.N()
	lists, stale := make([][]operator, d), all(d)
	score := w.value()
	checked, at := score, w.steps // score of a member, and the step at which it was computed
	w.tell(ph, score)
	for {
		if !w.list(ctx, ph, lists, stale) {
			return false
		}
		next, gain := w.next(ctx, ph, lists)
		if next == nil {
			return ctx.Err() == nil
		}
		if stale = touched(ph, w.class, next); w.all {
			stale = all(d)
		}
		w.class = next
		score -= gain
		if w.steps++; w.steps-at >= checkedEvery {
			now := w.value()
			if checked-now <= w.least {
				return true
			}
			checked, at, score = now, w.steps, now
		}
		w.tell(ph, score)
	}
}

// checkedEvery is the number of steps after which the total must have decreased. Each step has a gain, but for
// nearly collinear columns it may be a rounding error, and reversals could repeat forever.
const checkedEvery = 100

// tell reports the progress.
func (w *walk) tell(ph phase, score float64) {
	if w.Tell != nil {
		w.Tell(stage.Progress{Stage: ph.String(), Step: w.steps, Score: score, Edges: w.class.NumEdges()})
	}
}

// next returns the class after the best valid operator and its gain, or nil. The columns with remaining
// operators form a heap, ordered by their best one.
func (w *walk) next(ctx context.Context, ph phase, lists [][]operator) (*graph.PDAG, float64) {
	var h columns
	for _, list := range lists {
		if len(list) > 0 {
			h = append(h, list)
		}
	}
	heap.Init(&h)
	w.reached = map[string][]bool{}
	for len(h) > 0 && ctx.Err() == nil {
		op := h[0][0]
		if next := w.apply(ph, op); next != nil && w.keeps(next) {
			return next, op.gain
		}
		if h[0] = h[0][1:]; len(h[0]) == 0 {
			heap.Pop(&h)
		} else {
			heap.Fix(&h, 0)
		}
	}
	return nil, 0
}

// columns is a heap of lists of operators, ordered by the first operator of each list.
type columns [][]operator

func (h columns) Len() int           { return len(h) }
func (h columns) Less(i, j int) bool { return h[i][0].compare(h[j][0]) < 0 }
func (h columns) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *columns) Push(list any)     { *h = append(*h, list.([]operator)) }
func (h *columns) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// keeps reports whether some graph of the class satisfies the knowledge.
func (w *walk) keeps(class *graph.PDAG) bool {
	if w.Knowledge == nil {
		return true
	}
	_, err := w.Knowledge.Orient(class)
	return err == nil
}

// An operator makes x a parent of y. It applies to the members of the class in which exactly set are parents of
// y among its neighbors.
type operator struct {
	x, y int
	set  []int // sorted
	gain float64
}

// compare orders operators by gain, then by their nodes.
func (o operator) compare(p operator) int {
	return cmp.Or(cmp.Compare(p.gain, o.gain), cmp.Compare(o.y, p.y), cmp.Compare(o.x, p.x), slices.Compare(o.set, p.set))
}

// list computes the lists of the stale columns, each in one goroutine.
func (w *walk) list(ctx context.Context, ph phase, lists [][]operator, stale []int) bool {
	cut := make([]bool, len(lists))
	parallel.Each(ctx, len(stale), len(w.evals), func(worker int) func(int) {
		l := &lister{walk: w, eval: w.evals[worker], with: make([]float64, len(lists))}
		return func(k int) {
			y := stale[k]
			l.out, l.cut = nil, false
			switch ph {
			case adding:
				l.additions(y)
			case deleting:
				l.deletions(y)
			case turning:
				l.turns(y)
			}
			slices.SortFunc(l.out, operator.compare)
			lists[y], cut[y] = l.out, l.cut
		}
	})
	for y, yes := range cut {
		if yes {
			w.cut[y] = true
		}
	}
	return ctx.Err() == nil
}

// touched returns the columns whose lists are outdated after a change of the class. The gain of an addition to
// y depends on the parents and neighbors of y and the adjacencies of the neighbors. The other operators also
// depend on the same of all columns adjacent to y.
func touched(ph phase, before, after *graph.PDAG) []int {
	d := before.N()
	changed, stale := make([]bool, d), make([]bool, d)
	for v := range d {
		changed[v] = !slices.Equal(before.Parents(v), after.Parents(v)) || !slices.Equal(before.Neighbors(v), after.Neighbors(v)) || !slices.Equal(before.Children(v), after.Children(v))
	}
	for v, yes := range changed {
		if !yes {
			continue
		}
		stale[v] = true
		for _, u := range after.Neighbors(v) {
			stale[u] = true
		}
		if ph == adding {
			continue
		}
		for _, near := range [][]int{after.Parents(v), after.Children(v)} {
			for _, u := range near {
				stale[u] = true
			}
		}
	}
	var out []int
	for v, yes := range stale {
		if yes {
			out = append(out, v)
		}
	}
	return out
}

func all(d int) []int {
	out := make([]int, d)
	for v := range out {
		out[v] = v
	}
	return out
}

// marginal returns, for each column, the columns on which it depends marginally, according to the score.
func (w *walk) marginal() []map[int]bool {
	d := w.Score.Variables()
	out := make([]map[int]bool, d)
	for v := range out {
		out[v] = map[int]bool{}
	}
	with := make([]float64, d)
	for v := range out {
		bare := w.evals[0].Score(v, nil)
		for x := range with {
			with[x] = bare
		}
		w.evals[0].Additions(with, v, nil)
		for x, s := range with {
			if bare-s > w.least {
				out[v][x], out[x][v] = true, true
			}
		}
	}
	return out
}
