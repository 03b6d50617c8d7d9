// Package pcmciplus is PCMCI+: it learns a time series from independence tests given past values.
//
// Experimental: the API of this package may change before 1.0.
package pcmciplus

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
)

const name = "pcmci+"

// Method has the settings of the algorithm.
type Method struct{ tests.Settings }

// New returns the method with its defaults.
func New() *Method { return &Method{Settings: tests.Default(param.Count{Word: "any"})} }

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "PCMCI+: time series by independence tests; returns an equivalence class",
		About:     "Selects the past values that each column depends on, then removes edges by momentary conditional independence: given the selected past of both ends and sets of neighbours of the same time. Colliders follow the majority rule. Values before the largest lag are not conditions, as they are not in the table. Assumes no hidden common causes.",
		Reference: "Runge (2020), Discovering contemporaneous and lagged causal relations in autocorrelated nonlinear time series datasets; Runge et al. (2019), Detecting and quantifying causal associations in large nonlinear time series datasets",
		Needs:     m.Test.Needs(), Gives: graph.KindCPDAG, UnitFree: true, Knowledge: true, Categories: m.Test.Categories(), Tests: true, Time: true,
	}
}

// Learn selects past values, removes edges and directs the rest.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	tester, err := tests.New(ctx, in, m.Test)
	if err != nil {
		return m.Stopped(ctx, in, graph.KindCPDAG, err)
	}
	run.Tell(stage.Progress{Stage: name + ": past values", Untraced: true})
	past, err := selectPast(ctx, in, tester.Test, m.Alpha)
	if err != nil {
		return m.Stopped(ctx, in, graph.KindCPDAG, err)
	}
	tester.Test = &momentary{test: tester.Test, past: past.conditions}
	return m.LearnWith(ctx, in, run, tester, name, constraint.Settings{Given: past.present}, tests.Steps{
		Kind: graph.KindCPDAG,
		Remove: func(ctx context.Context, s *constraint.Search) error {
			s.Begin(past.near)
			return s.Skeleton(ctx)
		},
		Orient: func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error) {
			return s.PC(ctx, constraint.Majority)
		},
	})
}
