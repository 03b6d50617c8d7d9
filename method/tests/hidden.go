package tests

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
)

// AddHiddenCauses adds to each edge of the answer's DAG what tests say about hidden common causes of its ends, from the equivalence
// class of the DAG with hidden causes allowed. It supports one environment. known is a table of in that the search has read, or nil: its
// statistics need no further pass over the rows.
func AddHiddenCauses(ctx context.Context, in *method.Input, a *method.Answer, known *scores.ScoredTable) error {
	g := a.Graph.Directed()
	if in.Environments != nil || g.NumEdges() == 0 {
		return nil
	}
	tester, err := ofModel(ctx, in, scores.Model(a.Effects), known)
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

// ofModel returns the test of a model. A known table of the flexible model is not used: the search made some of its effects linear.
func ofModel(ctx context.Context, in *method.Input, model scores.Model, known *scores.ScoredTable) (*Tester, error) {
	switch model {
	case "", scores.Linear:
		return New(ctx, in, FisherZ)
	case scores.Discrete:
		if known == nil || known.In != in || known.Model != model || known.Step > 1 {
			return New(ctx, in, G2)
		}
	}
	t := known
	if t == nil || t.In != in || t.Model != model || model == scores.Flexible {
		s := scores.Default()
		var err error
		if t, err = s.Of(ctx, in, model); err != nil {
			return nil, err
		}
	}
	test, err := Of(t)
	return &Tester{Test: independence.Arranged(test, t.Place()), Model: model, Dear: true}, err
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
		if gain, ok := s.HiddenGain(e.From, e.To); ok {
			e.HiddenDeltaBIC = &gain
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
