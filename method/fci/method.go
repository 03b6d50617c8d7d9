// Package fci is the FCI algorithm: it learns a class of graphs with possible hidden common causes from
// independence tests.
//
// Experimental: the API of this package may change before 1.0.
package fci

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
)

const name = "fci"

// Method has the settings of the algorithm.
type Method struct {
	tests.Settings
	// Collider is the rule for common effects.
	Collider Collider
	// MaxPath limits the paths in the search for separating sets beyond neighbors; 0 means no limit.
	MaxPath int
	// Selection allows selection bias.
	Selection bool
}

// Collider is the rule by which a — b — c, with a and c not adjacent, gets arrowheads at b.
type Collider string

const (
	BySepset = Collider(constraint.BySepset) // b is not in the first set that separates a and c
	Majority = Collider(constraint.Majority) // b is in less than half of the separating sets
)

// mostGiven is the default limit on conditioning sets. Sets beyond neighbors may have dozens of columns and too
// many subsets to try.
const mostGiven = 4

// New returns the method with its defaults.
func New() *Method {
	return &Method{Settings: tests.Default(param.Count{N: mostGiven}), Collider: Majority}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "FCI: independence tests, allows hidden common causes",
		About:     "Extends PC to hidden common causes: it also tests edges given columns beyond the neighbors. The mark at each end of an edge is an arrowhead (not a cause), a tail (a cause) or a circle (unknown). If tests contradict each other, the marks are changed to the nearest valid graph, and the result lists them.",
		Reference: "Spirtes, Meek and Richardson (1999), An algorithm for causal inference in the presence of latent variables and selection bias; Zhang (2008), On the completeness of orientation rules for causal discovery in the presence of latent confounders and selection bias",
		Needs:     m.Test.Needs(), Gives: graph.KindPAG, UnitFree: true, Knowledge: true, Categories: m.Test.Categories(), Tests: true,
	}
}

func (m *Method) Params(s *param.Set) {
	m.Settings.Params(s)
	param.Word(s, &m.Collider, "collider", "collider rule: majority (of the separating sets) or sepset (the first separating set)", BySepset, Majority)
	s.Int(&m.MaxPath, "max-path", "maximum path length in the search for separating sets beyond neighbors; 0 for no limit", param.AtLeast(0))
	s.Bool(&m.Selection, "selection", "allow selection bias, which permits undirected edges")
}

// Cost counts the tests; there are more than for PC.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	c := m.Settings.Cost(rows, columns, threads)
	c.Flops *= 10
	return c
}

// Learn finds the skeleton and the edge marks.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Settings.Learn(ctx, in, run, name, constraint.Settings{MaxPath: m.MaxPath, Selection: m.Selection}, tests.Steps{
		Kind: graph.KindPAG,
		Remove: func(ctx context.Context, s *constraint.Search) error {
			if err := s.Skeleton(ctx); err != nil {
				return err
			}
			return s.PossibleDSep(ctx)
		},
		Orient: func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error) {
			return s.Legal(s.FCI(ctx, constraint.Colliders(m.Collider)))
		},
	})
}
