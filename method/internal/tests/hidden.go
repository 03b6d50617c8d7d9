package tests

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/constraint"
	"github.com/polydag/polydag/method/internal/scores"
	"github.com/polydag/polydag/method/param"
)

// AddHiddenCauses adds to each edge of the answer's DAG what tests say about hidden common causes of its ends, from the equivalence
// class of the DAG with hidden causes allowed. It supports linear and discrete models, whose tests are fast, and one regime.
func AddHiddenCauses(ctx context.Context, in *method.Input, a *method.Answer) error {
	name := FisherZ
	switch scores.Model(a.Effects) {
	case "", scores.Linear:
	case scores.Discrete:
		name = G2
	default:
		return nil
	}
	g := a.Graph.Directed()
	if in.Regimes != nil || g.NumEdges() == 0 {
		return nil
	}
	tester, err := New(ctx, in, name)
	if err != nil {
		return err
	}
	var set constraint.Settings
	t := Default(param.Count{Word: "any"})
	t.restrict(&set, in)
	s := constraint.New(tester.Test, tester.Dear, set)
	if err := s.Start(g); err != nil {
		return err
	}
	if err := s.Bidirected(ctx, float64(in.Moments.N)); err != nil {
		return err
	}
	out, err := s.Legal(s.FCI(ctx, constraint.BySepset))
	if err != nil {
		return err
	}
	return addHidden(s, graph.PAGOf(out.Graph), g, a)
}

// addHidden adds what a PAG says about hidden common causes to the edges of g.
func addHidden(s *constraint.Search, p *graph.PAG, g *graph.Graph, a *method.Answer) error {
	if len(a.Edges) == 0 {
		a.Edges = method.EdgeRecords(g)
	}
	for k := range a.Edges {
		e := &a.Edges[k]
		excluded, err := s.Excluded(p, e.From, e.To)
		if err != nil {
			return err
		}
		switch {
		case excluded:
			e.HiddenCause = method.HiddenExcluded
		case p.At(e.From, e.To) == graph.Arrow && p.At(e.To, e.From) == graph.Arrow:
			e.HiddenCause = method.HiddenImplied
		default:
			e.HiddenCause = method.HiddenPossible
		}
	}
	return nil
}
