// Package pc is the PC algorithm: it learns a class of DAGs from independence tests.
//
// Experimental: the API of this package may change before 1.0.
package pc

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
)

const name = "pc"

// Method has the settings of the algorithm.
type Method struct {
	tests.Settings
	// Collider is the rule for common effects.
	Collider Collider
}

// Collider is the rule by which a — b — c, with a and c not adjacent, becomes a → b ← c.
type Collider string

const (
	BySepset     = Collider(constraint.BySepset)     // b is not in the first set that separates a and c
	Conservative = Collider(constraint.Conservative) // b is in none of the separating sets
	Majority     = Collider(constraint.Majority)     // b is in less than half of the separating sets
)

// New returns the method with its defaults. The majority rule has more than twice the recall of the first
// separating set on the tables of docs/reference/methods.md, at a higher precision and for a few more tests.
func New() *Method {
	return &Method{Settings: tests.Default(param.Count{Word: "any"}), Collider: Majority}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "PC: removes edges by independence tests; returns an equivalence class",
		About:     "Starts from the complete graph and removes each edge whose columns are conditionally independent. Assumes no hidden common causes. Does not depend on the order of the columns (PC-stable). If tests contradict each other, the edge stays undirected and the result lists it.",
		Reference: "Spirtes, Glymour and Scheines (2000), Causation, prediction, and search; Colombo and Maathuis (2014), Order-independent constraint-based causal structure learning; Meek (1995), Causal inference and causal explanation with background knowledge",
		Needs:     m.Test.Needs(), Gives: graph.KindCPDAG, UnitFree: true, Knowledge: true, Categories: m.Test.Categories(), Tests: true,
	}
}

func (m *Method) Params(s *param.Set) {
	m.Settings.Params(s)
	param.Word(s, &m.Collider, "collider", "collider rule: conservative (all separating sets agree), majority (of the separating sets) or sepset (the first separating set)", BySepset, Conservative, Majority)
}

// Learn finds the skeleton and directs it.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Settings.Learn(ctx, in, run, name, constraint.Settings{}, tests.Steps{
		Kind:   graph.KindCPDAG,
		Remove: func(ctx context.Context, s *constraint.Search) error { return s.Skeleton(ctx) },
		Orient: func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error) {
			return s.PC(ctx, constraint.Colliders(m.Collider))
		},
	})
}
