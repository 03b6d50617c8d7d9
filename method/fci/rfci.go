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

// RFCI has the settings of the algorithm.
type RFCI struct {
	tests.Settings
	// MaxPath limits the discriminating paths; 0 means no limit.
	MaxPath int
	// Selection allows selection bias.
	Selection bool
}

// NewRFCI returns the method with its defaults.
func NewRFCI() *RFCI { return &RFCI{Settings: tests.Default(param.Count{Word: "any"})} }

func (m *RFCI) Info() method.Info {
	return method.Info{
		Name:      "rfci",
		Title:     "RFCI: like fci, with tests among neighbors only",
		About:     "For many columns with possible hidden common causes. Faster than FCI; it may keep a few more edges, and its marks are equally valid. Before it orients a triple, it repeats the tests of the edges given the separating set of the outer columns.",
		Reference: "Colombo, Maathuis, Kalisch and Richardson (2012), Learning high-dimensional directed acyclic graphs with latent and selection variables; Zhang (2008), On the completeness of orientation rules for causal discovery in the presence of latent confounders and selection bias",
		Needs:     m.Test.Needs(), Gives: graph.KindPAG, UnitFree: true, Knowledge: true, Categories: m.Test.Categories(), Tests: true,
	}
}

func (m *RFCI) Params(s *param.Set) {
	m.Settings.Params(s)
	s.Int(&m.MaxPath, "max-path", "maximum length of discriminating paths; 0 for no limit", param.AtLeast(0))
	s.Bool(&m.Selection, "selection", "allow selection bias, which permits undirected edges")
}

// Learn finds the skeleton and the edge marks.
func (m *RFCI) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Settings.Learn(ctx, in, run, "rfci", constraint.Settings{MaxPath: m.MaxPath, Selection: m.Selection}, tests.Steps{
		Kind:   graph.KindPAG,
		Remove: func(ctx context.Context, s *constraint.Search) error { return s.Skeleton(ctx) },
		Orient: func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error) {
			return s.Legal(s.RFCI(ctx))
		},
	})
}
