// Package dcdfg is DCD-FG: it maximizes the likelihood of a model whose edges pass through a few factors, under interventions and with an
// acyclicity constraint on the factors.
//
// Experimental: the API of this package may change before 1.0.
package dcdfg

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

const name = "dcd-fg"

// Constraint is the measure of cycles among the factors.
type Constraint = constraint.Name

const (
	Exponential = constraint.Exponential // tr exp(M) - m, as published
	PowerSum    = constraint.PowerSum    // h_poly of M, term by term
	Geometric   = constraint.Geometric   // h_geo of M, the same value with fewer products
)

// Mechanism is the function of its inputs that a factor is.
type Mechanism string

const (
	Network Mechanism = "network" // a network with one hidden layer
	Linear  Mechanism = "linear"  // a linear function
)

// Method has the settings. The authors' program has networks with two hidden layers of 16 units, 20 factors, a mask for each row, one rate of
// 0.001, and a penalty that is chosen for each table by the likelihood of held-out rows.
type Method struct {
	Scale      network.Scale
	Factors    int
	Mechanism  Mechanism
	Constraint Constraint
	Hidden     int
	Batch      int
	Masks      int
	Steps      int
	Patience   int
	Rate       float64
	EdgeRate   float64
	Sparsity   float64
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{
		Scale: network.Unit, Factors: 10, Mechanism: Linear, Constraint: Exponential, Hidden: 16, Batch: 64, Masks: 2, Steps: 60000, Patience: 5, Rate: 1e-2, EdgeRate: 1e-2,
		Sparsity: 4,
	}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "DCD-FG: likelihood under interventions of a graph whose edges pass through a few factors",
		About:     "For numeric tables of hundreds to thousands of columns with interventions (targets), if few factors explain most effects. Cycles are measured among the factors. Directions between columns without interventions are not identified if effects are linear. The order search with targets is usually more accurate (lab/docs/methods.md).",
		Reference: "Lopez, Hütter, Pritchard and Regev (2022), Large-scale differentiable causal discovery of factor graphs",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: m.Scale == network.Unit, Environments: true,
		Unweighted: "its functions are fitted to batches of rows",
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Scale, "scale", "scale of the columns: unit (standardized), or raw as published", network.Unit, network.Raw)
	s.Int(&m.Factors, "factors", "number of factors that edges pass through", param.AtLeast(1), param.AtMost(1000))
	param.Word(s, &m.Mechanism, "mechanism", "function of its inputs that a factor is: linear, or network (one hidden layer)", Linear, Network)
	constraint.Param(s, &m.Constraint, Exponential)
	s.Int(&m.Hidden, "hidden", "hidden units of each factor, if it is a network", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Masks, "masks", "random masks of the edges per step; the rows of a step are divided among them", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Steps, "max-steps", "maximum number of steps", param.AtLeast(1))
	s.Int(&m.Patience, "patience", "stop after this many checks without improvement, one per 1000 steps, once the factors are acyclic", param.AtLeast(1), param.AtMost(1000))
	s.Float(&m.Rate, "rate", "learning rate of RMSprop", param.Above(0))
	s.Float(&m.EdgeRate, "edge-rate", "learning rate of the edges", param.Above(0))
	s.Float(&m.Sparsity, "sparsity", "penalty per edge from or to a factor, as a share of the BIC penalty of one weight", param.AtLeast(0))
}

// units returns the hidden units of a factor.
func (m *Method) units() int {
	if m.Mechanism == Linear {
		return 1
	}
	return m.Hidden
}

// Cost counts the products and masks of a step. Memory is that of the weights of each mask, of the rows, and of the probabilities of all
// edges at the end.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	weights := int64(columns) * int64(m.Factors) * int64(m.units()+1)
	return method.Cost{
		Bytes: 4*weights*int64(2*m.Masks+3) + 12*min(int64(rows)*int64(columns), keptValues) + 12*int64(m.Batch)*int64(columns) + method.Matrices(3, columns, 64),
		State: 8 * weights, Flops: float64(m.Steps) / 2 * float64(weights) * float64(6*m.Batch+20*m.Masks),
	}
}

// found is the saved result of the training.
type found struct {
	In, Out []float64 // probabilities of the edges into and out of the factors; nil before the first step
	Status  method.Status
	H       float64
	Score   float64
}

// Learn trains the functions with the edge probabilities and returns the graph of the probable edges.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	x, err := readRows(ctx, in, m.Scale)
	switch {
	case err != nil && ctx.Err() != nil:
		return m.answer(ctx, in, &found{Status: method.Canceled}), nil
	case err != nil:
		return nil, err
	}
	l := newLearner(m, x, in.Seed, in.Threads)
	f, err := stage.Do(ctx, run, name, func(at stage.Point) (*found, bool, error) {
		status, err := network.Train(ctx, run, at, name, m.Steps, l)
		if err != nil {
			return nil, false, err
		}
		l.hold()
		f := &found{Status: status, H: l.now, Score: l.heldOut}
		f.In, f.Out = l.probabilities()
		return f, f.Status != method.Canceled, l.failed
	})
	if err != nil {
		return nil, err
	}
	return m.answer(ctx, in, f), nil
}

// answer returns the graph of the edges that are more probable than not, or above the smallest larger probability that gives a DAG.
func (m *Method) answer(ctx context.Context, in *method.Input, f *found) *method.Answer {
	g, _ := network.Threshold(in, product(len(in.Names()), m.Factors, f.In, f.Out), 0.5)
	a := &method.Answer{Graph: g.Mixed(), Status: f.Status, Score: f.Score, Stages: []method.Stage{{Name: name, Graph: g, H: &f.H}}}
	if f.Status == method.Canceled {
		a.Cause = method.Why(context.Cause(ctx))
		return a
	}
	a.Effects = score.LinearEffects
	return a
}

// product returns the probabilities of edges between columns: an edge is as probable as the less probable of its two halves, by the factor
// where that is largest. It takes d²m steps.
func product(d, m int, into, out []float64) *matrix.Dense[float64] {
	p := matrix.New[float64](d, d)
	if into == nil {
		return p
	}
	for i := range d {
		row := p.Row(i)
		for k := range m {
			u := into[i*m+k]
			for j, v := range out[k*d : (k+1)*d] {
				row[j] = max(row[j], min(u, v))
			}
		}
		row[i] = 0
	}
	return p
}
