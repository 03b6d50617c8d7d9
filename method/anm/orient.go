package anm

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Finding is the result of the residual tests of an edge.
type Finding int

const (
	Straight  Finding = iota // the effect is linear, and a line with Gaussian noise fits in both directions
	Undecided                // both directions leave independent residuals, or neither does
	AsIs                     // the present direction
	Turned                   // the opposite direction
)

// An orienter compares both directions of an edge. With S the other parents of both ends, x → y fits if the
// residual of y on smooth functions of x and S is independent of x (Hoyer et al. 2009, "Nonlinear causal
// discovery with additive noise models"). If exactly one direction fits, it is the answer.
type orienter struct {
	sample        *dataset.Sample
	functions     *basis.Functions
	blocks        *score.Blocks
	curves, lines *score.Smooth
	alpha         float64
	tested        []int // rows of the sample used for the tests
}

// testedRows is the number of rows for an independence test, spread over the sample; the cost of a test is
// quadratic.
const testedRows = 500

func newOrienter(names []string, s *dataset.Sample, weight, alpha float64, threads int) (*orienter, error) {
	fit := basis.NewFit(names, nil)
	if err := fit.Add(s.Values); err != nil {
		return nil, err
	}
	set := basis.DefaultSettings()
	set.Crossed = 0
	functions, err := fit.Functions(set)
	if err != nil {
		return nil, err
	}
	gram := functions.NewGram(threads)
	if err := gram.Add(s.Values); err != nil {
		return nil, err
	}
	o := &orienter{sample: s, functions: functions, alpha: alpha}
	if o.blocks, err = gram.Blocks(); err != nil {
		return nil, err
	}
	o.blocks.N = max(1, int(math.Round(float64(o.blocks.N)*weight)))
	if o.curves, err = score.NewSmooth(o.blocks, score.SmoothSettings{Strengths: score.DefaultSmoothSettings().Strengths}); err != nil {
		return nil, err
	}
	if o.lines, err = score.NewSmooth(o.blocks, score.SmoothSettings{Linear: true}); err != nil {
		return nil, err
	}
	m := min(s.Rows(), testedRows)
	for i := range m {
		o.tested = append(o.tested, i*s.Rows()/m)
	}
	return o, nil
}

// all returns the finding of each edge of g, in the order of g.Edges, and false if the context ended first.
func (o *orienter) all(ctx context.Context, g *graph.Graph, threads int) ([]Finding, bool) {
	edges := g.Edges()
	out := make([]Finding, len(edges))
	parallel.Each(ctx, len(edges), threads, func(int) func(int) {
		curves, lines := o.curves.Evaluator(), o.lines.Evaluator()
		return func(k int) { out[k] = o.find(g, edges[k], curves, lines) }
	})
	return out, ctx.Err() == nil
}

func (o *orienter) find(g *graph.Graph, e graph.Edge, curves, lines search.Evaluator) Finding {
	both := slices.Concat(g.Parents(e.From), g.Parents(e.To))
	slices.Sort(both)
	both = slices.DeleteFunc(slices.Compact(both), func(v int) bool { return v == e.From || v == e.To })
	with := func(v int) []int {
		at, _ := slices.BinarySearch(both, v)
		return slices.Insert(slices.Clone(both), at, v)
	}
	bent := func(from, to int) bool { return curves.Score(to, with(from)) < lines.Score(to, with(from)) }
	if !bent(e.From, e.To) && !bent(e.To, e.From) {
		return Straight
	}
	fits := func(from, to int) bool { return hsic(o.residual(to, with(from)), o.column(from)) > o.alpha }
	switch there, back := fits(e.From, e.To), fits(e.To, e.From); {
	case there && !back:
		return AsIs
	case back && !there:
		return Turned
	}
	return Undecided
}

// column returns the tested rows of v.
func (o *orienter) column(v int) []float64 {
	out := make([]float64, len(o.tested))
	for k, i := range o.tested {
		out[k] = o.sample.Row(i)[v]
	}
	return out
}

// residual returns, for the tested rows, the residual of v on smooth functions of its parents.
func (o *orienter) residual(v int, parents []int) []float64 {
	out := o.column(v)
	weights := o.curves.Weights(o.blocks, v, parents)
	at := make([]float64, len(o.functions.Names()))
	for k, i := range o.tested {
		if o.functions.Expand(at, o.sample.Row(i)) != nil {
			continue // the functions were fitted on rows of this sample
		}
		for _, w := range weights {
			out[k] -= w.W * (at[w.Function] - o.blocks.Mean[w.Function])
		}
	}
	return out
}
