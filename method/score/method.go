// Package score learns a causal order from an estimate of the score of the data, the gradient of their log
// density, and then selects the parents of each column along the order. It has the methods SCORE and NoGAM.
//
// Experimental: the API of this package may change before 1.0.
package score

import (
	"context"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/network"
	"github.com/polydag/polydag/method/internal/scores"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "score"

// Variant is the rule that finds a column without effects on the others.
type Variant string

// These are the values of Variant.
const (
	Score Variant = "score" // the derivative of its entry of the score is constant: SCORE
	NoGAM Variant = "nogam" // its residual predicts its entry of the score: NoGAM
)

// Method has the settings. It follows the papers up to the order. Then the smooth score of the order search selects the parents of each
// column among the earlier ones, where the papers prune all of them by tests of generalized additive models.
type Method struct {
	Variant Variant
	Scale   network.Scale
	Sample  int
	Ridge   float64
}

// New returns the method with its defaults.
func New() *Method { return &Method{Variant: Score, Scale: network.Raw, Sample: 1000, Ridge: 1e-3} }

// Info describes the method.
func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "SCORE and NoGAM: causal order from the gradient of the log density",
		About:     "For nonlinear effects with additive noise on tables of a few dozen columns. SCORE assumes Gaussian noise, NoGAM does not. It finds the columns without effects on the others one after the other, and then selects parents along that order. It depends on the units: the rule compares columns best if their noise variances are similar. The order search with nonlinear effects is more accurate unless the graph is dense (docs/reference/methods.md).",
		Reference: "Rolland et al. (2022), Score matching enables causal discovery of nonlinear additive noise models; Montagna et al. (2023), Causal discovery with score matching on additive models with arbitrary noise",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: m.Scale == network.Unit, Knowledge: true,
		Unweighted: "its kernels take every row as one observation",
	}
}

// Params describes the settings.
func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Variant, "variant", "rule for columns without effects: score (SCORE, Gaussian noise) or nogam (NoGAM, any noise)", Score, NoGAM)
	param.Word(s, &m.Scale, "scale", "scale of the columns: raw as published, or unit (standardized)", network.Raw, network.Unit)
	s.Int(&m.Sample, "sample", "largest number of rows for the order; time grows with its cube", param.AtLeast(20), param.AtMost(20000))
	s.Float(&m.Ridge, "ridge", "regularization of the estimated score", param.Above(0))
}

// Cost counts one factorization per column, or ten per pair of columns with NoGAM, and the selection of parents.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	n, d := float64(min(rows, m.Sample)), float64(columns)
	s := scores.Fixed(scores.Smooth)
	c := method.Cost{
		Bytes: s.Bytes(rows, columns) + int64(24*n*n) + method.Matrices(3, 8*columns, 64), Columns: 200,
		Flops: d*n*n*(n+8*d) + 1e3*d*d*d,
	}
	if m.Variant == NoGAM {
		c.Bytes += int64(threads) * int64(40*n*n)
		c.Flops += 2 * d * d * n * n * n
	}
	return c
}

// Learn finds the order and selects the parents along it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	rows, err := network.NewRows(ctx, in, m.Scale)
	var table *scores.Table
	if err == nil {
		table, err = scores.Curves(ctx, in)
	}
	var order []int
	if err == nil {
		order, err = m.order(ctx, in, run, rows)
	}
	g := graph.New(len(in.Names()))
	for _, e := range in.Required() {
		g.AddEdge(e.From, e.To)
	}
	if err == nil && ctx.Err() == nil {
		g, err = table.Along(ctx, run, name+"-parents", order)
	}
	a := &method.Answer{Graph: g.Mixed(), Status: method.Converged}
	switch {
	case ctx.Err() != nil:
		a.Status, a.Cause = method.Canceled, method.Why(context.Cause(ctx))
		return a, nil
	case err != nil:
		return nil, err
	}
	a.Stages = []method.Stage{{Name: name + "-parents", Graph: g}}
	eval := table.Score.Evaluator()
	for v := range g.N() {
		a.Score += eval.Score(v, g.Parents(v))
	}
	table.DescribeCurves(a)
	return a, nil
}

// layout is the format version of a saved order.
const layout = "score/1"

// order returns the columns, causes first. It returns fewer if the context ended.
func (m *Method) order(ctx context.Context, in *method.Input, run *stage.Run, rows *network.Rows) ([]int, error) {
	return stage.Do(ctx, run, name+"-order", func(at stage.Point) ([]int, bool, error) {
		x, err := sampled(ctx, rows, m.Sample)
		if err != nil {
			return nil, false, err
		}
		must := in.Required()
		var gone []int // effects first
		if at.Resume != nil {
			r := wire.NewReader(layout, at.Resume)
			gone = wire.ReadInts[int](r, 0, x.Cols)
			if err := r.Close(); err != nil {
				return nil, false, err
			}
		}
		for len(gone) < x.Cols {
			left := make([]int, 0, x.Cols)
			for v := range x.Cols {
				if !slices.Contains(gone, v) {
					left = append(left, v)
				}
			}
			if at.Pause != nil {
				at.Pause(func() []byte {
					w := wire.NewWriter(layout)
					wire.Ints(w, gone)
					return w.Seal()
				})
			}
			if ctx.Err() != nil {
				return gone, false, nil
			}
			run.Tell(stage.Progress{Stage: name + "-order", Step: len(gone), Steps: x.Cols, Untraced: true})
			criterion, err := m.criterion(ctx, columns(x, left), in.Threads)
			if err != nil || ctx.Err() != nil {
				return gone, false, err
			}
			best := -1
			for i, v := range left {
				causes := slices.ContainsFunc(must, func(e graph.Edge) bool { return e.From == v && !slices.Contains(gone, e.To) })
				if !causes && (best < 0 || criterion[i] < criterion[best]) {
					best = i
				}
			}
			gone = append(gone, left[best]) // knowledge has no cycle, so that a column without required effects remains
		}
		slices.Reverse(gone)
		return gone, true, nil
	})
}

// criterion returns the number of each column of x that is least for a column without effects on the others.
func (m *Method) criterion(ctx context.Context, x *matrix.Dense[float64], threads int) ([]float64, error) {
	if x.Cols == 1 {
		return []float64{0}, nil
	}
	gradient, curvature, err := stein(x, m.Ridge, threads)
	if err != nil {
		return nil, err
	}
	if m.Variant == NoGAM {
		return unpredicted(ctx, x, gradient, threads)
	}
	out := make([]float64, x.Cols)
	for j := range out {
		out[j] = variance(curvature, j)
	}
	return out, nil
}
