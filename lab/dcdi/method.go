// Package dcdi is DCDI: it maximizes the likelihood of networks under interventions over random masks of the edges, with an acyclicity
// constraint.
//
// Experimental: the API of this package may change before 1.0.
package dcdi

import (
	"context"

	"github.com/polydag/polydag/lab/internal/curves"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

const name = "dcdi"

// Constraint is the measure of cycles.
type Constraint = constraint.Name

const (
	Exponential = constraint.Exponential // tr exp(P) - d, as published
	PowerSum    = constraint.PowerSum    // h_poly of P/d, term by term
	Geometric   = constraint.Geometric   // h_geo of P/d, the same value with fewer products
)

// Interventions is the kind of the interventions.
type Interventions string

const (
	Perfect   Interventions = "perfect"   // they remove the influence of the parents on a target
	Imperfect Interventions = "imperfect" // they change the influence of the parents
)

// Method has the settings. Most defaults are those of the authors' program. It has the same rate for edges, one pass, and penalties that are
// chosen for each table by the likelihood of held-out rows.
type Method struct {
	Scale          network.Scale
	Interventions  Interventions
	Constraint     Constraint
	Hidden         int
	Batch          int
	Steps          int
	Passes         int
	Patience       int
	Rate           float64
	EdgeRate       float64
	Sparsity       float64
	TargetSparsity float64
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{
		Scale: network.Unit, Interventions: Perfect, Constraint: Exponential, Hidden: 16, Batch: 64, Steps: 300000, Passes: 2, Patience: 5, Rate: 1e-3, EdgeRate: 1e-2,
		Sparsity: 1, TargetSparsity: 1,
	}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "DCDI: likelihood of one neural network per column under interventions, with known or unknown targets",
		About:     "For numeric tables of a few dozen columns with interventions (targets) or environments. Directions between columns without interventions rest on nonlinear effects. The order search with targets is faster (lab/docs/methods.md).",
		Reference: "Brouillard, Lachapelle, Lacoste, Lacoste-Julien and Drouin (2020), Differentiable causal discovery from interventional data",
		Needs:     method.Rows, Gives: graph.KindDAG, UnitFree: m.Scale == network.Unit, Knowledge: true, Environments: true,
		Unweighted: "its networks are fitted to batches of rows",
	}
}

func (m *Method) Params(s *param.Set) {
	param.Word(s, &m.Scale, "scale", "scale of the columns: unit (standardized), or raw as published", network.Unit, network.Raw)
	param.Word(s, &m.Interventions, "interventions", "kind of the interventions: perfect (they remove the parents of a target) or imperfect", Perfect, Imperfect)
	constraint.Param(s, &m.Constraint, Exponential)
	s.Int(&m.Hidden, "hidden", "units in each of the two hidden layers per column", param.AtLeast(1), param.AtMost(1000))
	s.Int(&m.Batch, "batch", "rows per step", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Steps, "max-steps", "maximum number of steps", param.AtLeast(1))
	s.Int(&m.Passes, "passes", "number of times that all edges are tried that close no cycle with those found; published: 1", param.AtLeast(1), param.AtMost(100))
	s.Int(&m.Patience, "patience", "stop after this many checks without improvement, one per 1000 steps, once the graph is acyclic", param.AtLeast(1), param.AtMost(1000))
	s.Float(&m.Rate, "rate", "learning rate of RMSprop", param.Above(0))
	s.Float(&m.EdgeRate, "edge-rate", "learning rate of the edges and targets", param.Above(0))
	s.Float(&m.Sparsity, "sparsity", "penalty per edge, as a share of the BIC penalty of the weights of one input", param.AtLeast(0))
	s.Float(&m.TargetSparsity, "target-sparsity", "penalty per changed column and environment, if targets are unknown; in the same unit", param.AtLeast(0))
}

// Cost counts three products per layer and step, and the random masks.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	d, h := float64(columns), float64(m.Hidden)
	networks := 12 * int64(columns) * int64(m.Hidden) * int64(columns+m.Hidden+3)
	return method.Cost{
		Bytes: networks + 8*min(int64(rows)*int64(columns), keptValues) + 16*int64(columns)*int64(m.Batch)*int64(columns+m.Hidden) + method.Matrices(12, columns, 64),
		State: networks, Flops: float64(m.Steps) / 3 * (float64(m.Batch)*d*(6*h*(d+h)+40*d) + 20*d*d*d), Columns: 100,
	}
}

// constraint returns the constraint and the factor of its matrix.
func (m *Method) constraint(d int) (solve.Constraint[float64], float64) {
	if m.Constraint == Exponential {
		return m.Constraint.New(), 1
	}
	return m.Constraint.New(), 1 / float64(d)
}

// found is the saved result of the training.
type found struct {
	P       []float64 // probabilities of the edges; nil before the first step
	Changes []method.Change
	Status  method.Status
	H       float64
	Score   float64
}

// Learn trains the networks with the edge probabilities and returns the graph of the probable edges.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	x, err := readRows(ctx, in, m.Scale, m.Interventions == Perfect)
	switch {
	case err != nil && ctx.Err() != nil:
		return m.answer(ctx, in, &found{Status: method.Canceled})
	case err != nil:
		return nil, err
	}
	l, err := newLearner(m, x, network.Fixed(in), in.Seed, in.Threads)
	if err != nil {
		return nil, err
	}
	f, err := stage.Do(ctx, run, name, func(at stage.Point) (*found, bool, error) {
		status, err := network.Train(ctx, run, at, name, m.Steps, l)
		if err != nil {
			return nil, false, err
		}
		l.hold()
		f := &found{P: l.probabilities().Data, Changes: l.changes(), Status: status, H: l.now, Score: l.heldOut}
		return f, f.Status != method.Canceled, l.failed
	})
	if err != nil {
		return nil, err
	}
	return m.answer(ctx, in, f)
}

// answer returns the graph of the edges that are more probable than not, or above the smallest larger probability that gives a DAG.
func (m *Method) answer(ctx context.Context, in *method.Input, f *found) (*method.Answer, error) {
	d := len(in.Names())
	p := matrix.New[float64](d, d)
	copy(p.Data, f.P)
	g, _ := network.Threshold(in, p, 0.5)
	a := &method.Answer{Graph: g.Mixed(), Status: f.Status, Score: f.Score, Changes: f.Changes, Stages: []method.Stage{{Name: name, Graph: g, H: &f.H}}}
	if f.Status == method.Canceled {
		a.Cause = method.Why(context.Cause(ctx))
		return a, nil
	}
	in = told(in, f.Changes)
	return curves.Explain(ctx, in, scores.Smooth, a, func(e graph.Edge) bool { return network.Identified(in.Environments, e.From, e.To) })
}

// told returns the input with the changes as its targets if they are unknown.
func told(in *method.Input, changes []method.Change) *method.Input {
	if in.Environments == nil || !in.Environments.Unknown {
		return in
	}
	out, environments := *in, *in.Environments
	environments.Unknown, environments.Targets = false, make([][]int, len(environments.Names))
	for _, c := range changes {
		environments.Targets[c.Environment] = append(environments.Targets[c.Environment], c.Column)
	}
	out.Environments = &environments
	return &out
}
