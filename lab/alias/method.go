// Package alias is ALIAS: reinforcement learning of a distribution over DAGs that needs no acyclicity constraint.
//
// Experimental: the API of this package may change before 1.0.
package alias

import (
	"context"
	"slices"

	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/greedy"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/search"
)

const name = "alias"

// Variance is the assumption about the noise variances of a linear model.
type Variance string

const (
	Equal   Variance = "equal"   // one variance for all columns, in the units of the data
	Unequal Variance = "unequal" // one variance per column
)

// Method has the settings. The scores are those of the order search. The authors' program makes 20,000 steps at a rate of 0.0003 from one
// start, and then removes edges with a weight below 0.3 or, for curves, by tests. Here edges are removed while that improves the score. With
// unequal noise variances a policy often ends in a local optimum, so that several short starts find better graphs than a long one.
type Method struct {
	Score    scores.Settings
	Variance Variance
	Steps    int
	Restarts int
	Graphs   int
	Rate     float64
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Score: scores.Fixed(scores.AutoModel), Variance: Unequal, Steps: 2000, Restarts: 29, Graphs: 64, Rate: 0.03}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "ALIAS: reinforcement learning of a distribution over DAGs, without a constraint",
		About:     "For comparisons of search methods, on tables of a few dozen columns. It draws graphs from a policy, and moves the policy towards those with a better score. The order search minimizes the same scores faster and finds better graphs (lab/docs/methods.md).",
		Reference: "Duong, Le, Huang and Nguyen (2025), Reinforcement learning for causal discovery without acyclicity constraints",
		Needs:     m.Score.Needs(), Gives: graph.KindDAG, UnitFree: m.Variance != Equal || !m.Score.MayBe(scores.Linear), Knowledge: true, Categories: m.Score.Categories(),
	}
}

func (m *Method) Params(s *param.Set) {
	m.Score.Params(s, scores.AutoModel, scores.Linear, scores.Smooth, scores.Discrete, scores.Mixed)
	param.Word(s, &m.Variance, "variance", "linear model: noise variances, equal or unequal", Equal, Unequal)
	s.Int(&m.Steps, "steps", "number of steps of the policy from each start", param.AtLeast(1), param.AtMost(1<<31))
	s.Int(&m.Restarts, "restarts", "number of times that the policy starts again, each from other random numbers", param.AtLeast(0), param.AtMost(100000))
	s.Int(&m.Graphs, "graphs", "graphs drawn per step", param.AtLeast(2), param.AtMost(1<<16))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	param.When(func() bool { return m.Score.MayBe(scores.Linear) })(s.Lookup("variance"))
}

// Cost counts the drawn vectors and the scores that are kept.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	d, k := float64(columns), float64(m.Graphs)
	return method.Cost{
		Bytes: m.Score.Bytes(rows, columns) + int64(8*k*(d*d/2+d*(1+d/64))+8*6*d*d) + int64(min(keptSets, k*d*float64(m.steps()))*(64+d/8)),
		State: int64(8 * 8 * d * d), Columns: 200,
		Flops: float64(m.steps()) * k * (40*d*d + 100*d),
	}
}

// steps returns the number of steps from all starts.
func (m *Method) steps() int { return m.Steps * (m.Restarts + 1) }

// Learn improves the policy and returns the best graph drawn, pruned.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	t, err := m.Score.Table(ctx, in)
	if err != nil {
		return greedy.Unread(ctx, in, graph.KindDAG, err)
	}
	c := decoder{d: len(t.Order)}
	known := t.Knowledge()
	if c.forbidden = known.Forbidden; len(known.Required) > 0 {
		for _, e := range known.Required {
			c.required = append(c.required, graph.Edge{From: e[0], To: e[1]})
		}
	}
	equal := m.Variance == Equal && t.Model == scores.Linear
	var problem *search.Problem
	if equal {
		own := gaussian.Problem(in.Moments)
		problem = &own
	}
	p := newPolicy(m, c, newScorer(t, problem, c.words(), in.Threads), in.Seed, in.Threads)
	if err := steps.Make(ctx, run, name, m.steps(), p); err != nil {
		return nil, err
	}
	g, score := p.result()
	a := &method.Answer{Graph: g.Mixed(), Score: scores.Finite(score), Status: method.Completed, Stages: []method.Stage{{Name: name, Graph: g}}}
	posterior.Ended(ctx, a, p, m.steps())
	t.Describe(ctx, a, g)
	a.Identified = a.Identified || equal
	return a, nil
}

// result returns the best graph so far, pruned, and its score.
func (p *policy) result() (*graph.Graph, float64) {
	required := func(from, to int) bool { return slices.Contains(p.decoder.required, graph.Edge{From: from, To: to}) }
	parents := slices.Clone(p.best)
	for _, e := range p.decoder.required { // for the empty graph before the first step
		parents[e.To*p.decoder.words()+e.From/64] |= 1 << (e.From % 64)
	}
	score := p.scorer.prune(parents, required)
	return p.decoder.graph(parents), score
}
