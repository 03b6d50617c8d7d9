package lingam

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A Pruner selects the parents of the columns along an order.
type Pruner struct {
	R                 *matrix.Dense[float64] // correlations
	N, Price          float64
	Eval              search.Evaluator
	Allowed, Required func(from, to int) bool
}

// NewPruner returns a pruner for the score of a table with correlations r that enforces the prior knowledge of in.
func NewPruner(in *method.Input, r *matrix.Dense[float64], s search.Score) *Pruner {
	return &Pruner{
		R: r, N: float64(in.Moments.N), Price: s.Price(), Eval: s.Evaluator(), Required: in.RequiredGraph().HasEdge,
		Allowed: func(from, to int) bool { return !in.Forbidden(from, to) },
	}
}

// Along returns the graph in which each column has the best parents among earlier columns. It adds parents one
// after the other, the best first. It also adds those with nearly enough gain in a regression on all earlier
// columns, which finds effects that cancel each other. Then it removes redundant parents. Required parents
// stay, and forbidden ones are not added. It returns nil if the context ended.
func (p *Pruner) Along(ctx context.Context, order []int) *graph.Graph {
	g := graph.New(len(order))
	for at, v := range order {
		if ctx.Err() != nil {
			return nil
		}
		var before, parents []int
		for _, x := range order[:at] {
			if p.Required(x, v) {
				parents = append(parents, x)
			}
			if p.Allowed(x, v) {
				before = append(before, x)
			}
		}
		slices.Sort(before)
		slices.Sort(parents)
		parents = p.shrink(v, p.together(v, before, p.grow(v, before, parents)))
		for _, x := range parents {
			g.AddEdge(x, v)
		}
	}
	return g
}

// grow adds the best parent while that improves the score.
func (p *Pruner) grow(v int, from, parents []int) []int {
	with := make([]float64, p.R.Rows)
	now := p.Eval.Score(v, parents)
	for {
		for x := range with {
			with[x] = math.Inf(1)
		}
		p.Eval.Additions(with, v, parents)
		best := -1
		for _, x := range from {
			if !slices.Contains(parents, x) && with[x] < now && (best < 0 || with[x] < with[best]) {
				best = x
			}
		}
		if best < 0 {
			return parents
		}
		place, _ := slices.BinarySearch(parents, best)
		parents, now = slices.Insert(slices.Clone(parents), place, best), with[best]
	}
}

const (
	// rowsPerColumn is the smallest number of rows per column for a regression on all columns.
	rowsPerColumn = 4
	// nearlyPays is the share of its penalty that a parent must gain in that regression to be tried.
	nearlyPays = 0.25
)

// together adds the columns with nearly enough gain in the regression on all of them.
func (p *Pruner) together(v int, from, parents []int) []int {
	if float64(len(from))*rowsPerColumn > p.N {
		return parents
	}
	all, err := score.Regress(p.R, v, from)
	if err != nil || !(all.Residual > chol.Determined) { // the effects of collinear columns are not unique
		return parents
	}
	out := slices.Clone(parents)
	for i, x := range from {
		if p.N*math.Log(all.Drop[i]/all.Residual) > nearlyPays*p.Price {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shrink drops the least useful parent while that improves the score.
func (p *Pruner) shrink(v int, parents []int) []int {
	now := p.Eval.Score(v, parents)
	for {
		worst, left := -1, now
		for i, x := range parents {
			if s := p.Eval.Score(v, slices.Delete(slices.Clone(parents), i, i+1)); s < left && !p.Required(x, v) {
				worst, left = i, s
			}
		}
		if worst < 0 {
			return parents
		}
		parents, now = slices.Delete(slices.Clone(parents), worst, worst+1), left
	}
}
