package tests

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

// Settings are the settings that all methods based on independence tests share.
type Settings struct {
	Test  Name
	Alpha float64
	// MaxGiven is the largest number of columns in a conditioning set.
	MaxGiven param.Count
}

// Default returns the defaults. A level of 0.01 is what most programs and papers use. A lower level loses weak
// edges, and a higher one keeps more false ones.
func Default(maxGiven param.Count) Settings {
	maxGiven.May = "any"
	return Settings{Test: Auto, Alpha: 0.01, MaxGiven: maxGiven}
}

func (t *Settings) Params(s *param.Set) {
	param.Word(s, &t.Test, "test", "independence test: auto (from the column kinds), fisher-z (linear), g2 or chi2 (all columns categorical), mixed (numeric and categorical) or smooth (nonlinear)", Names()...)
	s.Float(&t.Alpha, "alpha", "significance level of the tests; two columns count as independent if p is above it", param.Above(0), param.Below(1))
	s.Count(&t.MaxGiven, "max-given", "maximum size of the conditioning sets, or any", param.AtLeast(0))
}

// Cost counts the tests among neighbors, assuming that there are few.
func (t *Settings) Cost(rows, columns, _ int) method.Cost {
	d := float64(columns)
	work := 100.0
	if t.Test != FisherZ {
		work += float64(rows)
	}
	return method.Cost{Bytes: t.Test.Bytes(rows, columns) + int64(columns)<<12, State: int64(columns) << 10, Flops: 20 * d * d * work}
}

// Steps are the parts in which the methods differ.
type Steps struct {
	// Remove removes edges, and its result is saved. Orient returns the graph of the remaining edges.
	Remove func(ctx context.Context, s *constraint.Search) error
	Orient func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error)
	// Kind is the kind of the resulting graph.
	Kind graph.Kind
}

// Learn learns a graph from tests.
func (t *Settings) Learn(ctx context.Context, in *method.Input, run *stage.Run, name string, set constraint.Settings, steps Steps) (*method.Answer, error) {
	tester, err := New(ctx, in, t.Test)
	if err != nil {
		return t.Stopped(ctx, in, steps.Kind, err)
	}
	return t.LearnWith(ctx, in, run, tester, name, set, steps)
}

// Stopped returns the answer of a run that was stopped before the rows were read, with only the required edges.
// It returns err if the run was not stopped.
func (t *Settings) Stopped(ctx context.Context, in *method.Input, kind graph.Kind, err error) (*method.Answer, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	g := graph.NewMixed(kind, len(in.Names()))
	if kind == graph.KindCPDAG {
		g = g.As(graph.KindPDAG)
	}
	for _, e := range in.Required() {
		g.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Arrow})
	}
	return &method.Answer{Graph: g, Status: method.Canceled, Cause: method.Why(context.Cause(ctx))}, nil
}

// LearnWith learns a graph with an existing Tester.
func (t *Settings) LearnWith(ctx context.Context, in *method.Input, run *stage.Run, tester *Tester, name string, set constraint.Settings, steps Steps) (*method.Answer, error) {
	s, err := t.search(ctx, in, run, tester, name, set, steps.Remove)
	var out *constraint.Outcome
	if err == nil {
		out, err = steps.Orient(ctx, s)
	}
	a := &method.Answer{Status: method.Converged, Choices: []method.Choice{tester.Choice}, Stages: []method.Stage{{Name: name}}}
	if err != nil {
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			return nil, err
		}
		a.Graph = s.Joined(steps.Kind)
		a.Cancel(ctx)
		a.Warnings = []string{"the run was stopped: edges are those that no test had removed so far, and most have no direction"}
		a.Edges = method.Weighted(a.Graph.Directed(), func(int, int) float64 { return 0 })
		return a, nil
	}
	a.Graph = out.Graph
	a.Choices = append(a.Choices, t.meaning(s.Tests(), len(in.Names())))
	a.Warnings = warnings(in.Names(), s, out)
	d, err := scores.Describe(ctx, in, tester.Model, out.Graph.Directed())
	if err == nil {
		a.Effects, a.Edges, a.Nodes = d.Effects, d.Edges, d.Nodes
		if steps.Kind == graph.KindPAG {
			err = addHidden(s, graph.PAGOf(out.Graph), out.Graph.Directed(), a)
		}
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return a, nil
}

// Skeleton returns the search after its edges were removed by tests. When the context ends, the error is the context's.
func (t *Settings) Skeleton(ctx context.Context, in *method.Input, run *stage.Run, tester *Tester, name string) (*constraint.Search, error) {
	return t.search(ctx, in, run, tester, name, constraint.Settings{}, func(ctx context.Context, s *constraint.Search) error { return s.Skeleton(ctx) })
}

// search removes edges as a stage that can be resumed.
func (t *Settings) search(ctx context.Context, in *method.Input, run *stage.Run, tester *Tester, name string, set constraint.Settings, remove func(context.Context, *constraint.Search) error) (*constraint.Search, error) {
	t.restrict(&set, in)
	set.Tell = func(given, edges int) {
		run.Tell(stage.Progress{Stage: fmt.Sprintf("%s: tests given %s", name, names.Count(given, "column")), Edges: edges, Untraced: true})
	}
	var s *constraint.Search
	saved, err := stage.Do(ctx, run, name, func(at stage.Point) ([]byte, bool, error) {
		set.Pause = at.Pause
		s = constraint.New(tester.Test, tester.Dear, set)
		if at.Resume != nil {
			if err := s.Resume(at.Resume); err != nil {
				return nil, false, fmt.Errorf("%w: %w", stage.ErrStore, err)
			}
		}
		if err := remove(ctx, s); err != nil {
			return nil, false, err
		}
		return s.State(), true, nil
	})
	if err == nil && s == nil { // a resumed run has already done this
		s = constraint.New(tester.Test, tester.Dear, set)
		if err = s.Resume(saved); err != nil {
			err = fmt.Errorf("%w: %w", stage.ErrStore, err)
		}
	}
	return s, err
}

// restrict adds the settings and the prior knowledge to those of a search.
func (t *Settings) restrict(set *constraint.Settings, in *method.Input) {
	set.Alpha, set.MaxGiven, set.Threads, set.Required, set.Forbidden = t.Alpha, t.MaxGiven.Or(-1), in.Threads, in.Required(), in.Forbidden
}

// meaning explains the level for the given number of tests.
func (t *Settings) meaning(tests int64, columns int) method.Choice {
	level := fmt.Sprintf("%g", t.Alpha)
	pairs := float64(columns) * float64(columns-1) / 2
	return method.Choice{Setting: "alpha", Requested: level, Chosen: level, Reason: fmt.Sprintf(
		"%[1]d tests; %.4[3]g of %.0[2]f pairs expected to be marginally dependent by chance", tests, pairs, t.Alpha*pairs)}
}
