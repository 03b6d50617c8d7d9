// Package ges is the greedy search over Markov equivalence classes of Chickering (2002), with turning steps.
//
// Experimental: the API of this package may change before 1.0.
package ges

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/greedy"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

const name = "ges"

// Method has the settings of the search.
type Method struct {
	Score     scores.Settings
	Turning   bool
	MaxDegree int
}

// New returns the method with its defaults. The scores are those of the order search, with a penalty that does
// not adapt.
func New() *Method {
	return &Method{Score: scores.Fixed(scores.AutoModel), Turning: true}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "greedy equivalence search over Markov equivalence classes",
		About:     "Adds, deletes and reverses edges between equivalence classes and returns a class (CPDAG): only the directions shared by all its members are directed. It is consistent for many rows if the model is correct. Handles linear effects, categorical columns and tables with both, but not nonlinear effects, for which graphs of one class have different scores.",
		Reference: "Chickering (2002), Optimal structure identification with greedy search; Hauser and Bühlmann (2012), Characterization and greedy learning of interventional Markov equivalence classes of directed acyclic graphs",
		Needs:     m.Score.Needs(), Gives: graph.KindCPDAG, UnitFree: true, Knowledge: true, Categories: m.Score.Categories(),
	}
}

func (m *Method) Params(s *param.Set) {
	m.Score.Params(s, scores.AutoModel, scores.Linear, scores.Discrete, scores.Mixed)
	s.Bool(&m.Turning, "turning", "add a turning phase, and repeat all phases while it helps")
	s.Int(&m.MaxDegree, "max-degree", "maximum node degree; 0 for no limit", param.AtLeast(0))
}

// Cost counts the score and the operators of all pairs of columns.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	d := float64(columns)
	return method.Cost{Bytes: m.Score.Bytes(rows, columns) + method.Matrices(8, columns, 64), Flops: 1e5 * d * d}
}

// Learn finds the class.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	t, err := m.Score.Table(ctx, in)
	if err != nil {
		return greedy.Unread(ctx, in, graph.KindCPDAG, err)
	}
	found, err := greedy.Stage(ctx, run, name, greedy.Problem{Score: t.Score, Knowledge: greedy.Arranged(in.Knowledge, t.Order)},
		greedy.Settings{Turning: m.Turning, MaxDegree: m.MaxDegree, Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	return greedy.Answer(ctx, found, t), nil
}
