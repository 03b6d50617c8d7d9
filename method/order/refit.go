package order

import (
	"cmp"
	"context"
	"strconv"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
)

// Settled returns the method with the model, the variances and the noise chosen in an answer. Without a choice
// of the noise, it is Gaussian. The searches use fewer rounds; see Coarse. In a search the penalty per edge
// and the prior weight still follow from the table; Refit uses the chosen penalty.
func (m *Method) Settled(choices []method.Choice) method.Method {
	s := *m
	s.Coarse = true
	if s.Noise == AutoNoise {
		s.Noise = GaussianNoise
	}
	for _, c := range choices {
		switch c.Setting {
		case "model":
			s.Model = Model(c.Chosen)
		case "variance":
			s.Variance = Variance(c.Chosen)
		case "noise":
			s.Noise = Noise(c.Chosen)
		case "penalty":
			s.refitPenalty, _ = strconv.ParseFloat(c.Chosen, 64) // 0 if it is not a number: the setting applies
		}
	}
	return &s
}

// Refit describes a graph under the model, which must be settled. Weights are those of least squares, also for
// non-Gaussian noise.
func (m *Method) Refit(ctx context.Context, in *method.Input, g *graph.Graph) (*method.Answer, error) {
	l := &searcher{Method: m, in: in}
	a := &l.answer
	a.Graph, a.Status, a.Effects = g.Mixed(), method.Completed, score.Effects(m.Model)
	if m.Model == Linear && in.Environments == nil {
		l.p = l.problem()
		l.price = cmp.Or(m.refitPenalty, l.settings().EdgePenalty(l.p.N, l.p.Len()))
		a.Price = l.price
		bic, err := gaussian.BIC(l.p, l.settings(), g)
		a.Score, a.Identified = scores.Finite(bic), m.Variance == Equal
		return a, err
	}
	if err := m.refuse(in); err != nil {
		return nil, err
	}
	at, err := m.Of(ctx, in.Whole(), m.Model)
	if err != nil {
		return nil, err
	}
	place, own := at.Place(), graph.New(len(at.Order)) // contexts are nodes too
	for _, e := range g.Edges() {
		own.AddEdge(place[e.From], place[e.To])
	}
	a.Graph, a.Score = own.Mixed(), scores.Total(at.Score.Evaluator(), own)
	at.AddFacts(a, own)
	at.AddDirections(ctx, a, own)
	a.Relabel(at.Order)
	a.Categories, a.Scales, a.Straight = at.Categories, at.Scales, at.Straight
	at.TakeContexts(a, nil)
	return a, nil
}
