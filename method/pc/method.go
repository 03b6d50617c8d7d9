// Package pc is the PC algorithm: a class of DAGs from tests of independence.
//
// Experimental: the API of this package may change before 1.0.
package pc

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/constraint"
	"github.com/polydag/polydag/method/internal/tests"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "pc"

// Method has the settings of the algorithm.
type Method struct {
	tests.Settings
	// Collider says how common effects are told.
	Collider Collider
}

// Collider says how a — b — c, where a and c are not adjacent, is told to be a → b ← c.
type Collider string

// The rules for common effects.
const (
	BySepset     = Collider(constraint.BySepset)     // b is not in the condition that separated a and c
	Conservative = Collider(constraint.Conservative) // b is in none of the conditions that do
	Majority     = Collider(constraint.Majority)     // b is in less than half of them
)

// New returns the method with its defaults. One separating set decides a triple too easily: on the tables of docs/reference/methods.md colliders by most of
// them have more than twice the recall, at a higher precision, and cost a few more tests.
func New() *Method {
	return &Method{Settings: tests.Default(param.Count{Word: "any"}), Collider: Majority}
}

// Info describes the method.
func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "PC: removes edges by independence tests; returns an equivalence class",
		About:     "Starts from the complete graph and removes each edge whose columns are conditionally independent. Assumes no hidden common causes. Does not depend on the order of the columns (PC-stable). If tests contradict each other, the edge stays undirected and the result lists it.",
		Reference: "Spirtes, Glymour and Scheines (2000); Colombo and Maathuis (2014); rules of Meek (1995)",
		Needs:     m.Test.Needs(), Gives: graph.KindCPDAG, UnitFree: true, Knowledge: true, Categories: m.Test.Categories(), Tests: true,
	}
}

// Params describes the settings.
func (m *Method) Params(s *param.Set) {
	m.Settings.Params(s)
	param.Word(s, &m.Collider, "collider", "collider rule: conservative (all separating sets agree), majority (of the separating sets) or sepset (the first separating set)", BySepset, Conservative, Majority)
}

// Cost is that of the tests.
func (m *Method) Cost(rows, columns, _ int) method.Cost { return m.Settings.Cost(rows, columns) }

// Learn finds the skeleton and directs it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Settings.Learn(ctx, in, run, name, constraint.Settings{}, tests.Steps{
		Kind:   graph.KindCPDAG,
		Remove: func(ctx context.Context, s *constraint.Search) error { return s.Skeleton(ctx, nil) },
		Orient: func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error) {
			return s.PC(ctx, constraint.Colliders(m.Collider))
		},
	})
}
