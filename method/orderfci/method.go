// Package orderfci returns the equivalence class, with hidden common causes allowed, of the DAG of an order search. Tests replace
// edges of the DAG by bidirected ones.
//
// Experimental: the API of this package may change before 1.0.
package orderfci

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/constraint"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
)

const name = "order-fci"

// Method has the settings of the algorithm.
type Method struct {
	tests.Settings
	// MaxPath limits the paths in the search for separating sets beyond neighbors; 0 means no limit.
	MaxPath int
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Settings: tests.Default(param.Count{Word: "any"})}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "order search, then tests for hidden common causes",
		About:     "A hidden common cause adds a spurious edge that closes a triangle. Such an edge is removed only if a hidden cause explains the rows better. The rest follows from the score.",
		Reference: "Ramsey, Andrews and Spirtes (2025), Efficient latent variable causal discovery: combining score search and targeted testing; Ogarrio, Spirtes and Ramsey (2016), A hybrid causal search algorithm for latent variable models; Zhang (2008), On the completeness of orientation rules for causal discovery in the presence of latent confounders and selection bias",
		Needs:     m.Test.Needs(), Gives: graph.KindPAG, UnitFree: true, Knowledge: true, Categories: m.Test.Categories(),
	}
}

func (m *Method) Params(s *param.Set) {
	m.Settings.Params(s)
	s.Int(&m.MaxPath, "max-path", "maximum path length in the search for separating sets beyond neighbors; 0 for no limit", param.AtLeast(0))
}

// search returns the order search under the model of the test. It does not assume equal variances or use
// non-Gaussian noise, because hidden causes violate both.
func (m *Method) search(model order.Model) *order.Method {
	s := order.New()
	s.Model, s.Variance, s.Noise = model, order.Unequal, order.GaussianNoise
	return s
}

// Cost counts the search and the tests.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	c, t := m.search(m.Test.Model()).Cost(rows, columns, threads), m.Settings.Cost(rows, columns, threads)
	return method.Cost{Bytes: c.Bytes + t.Bytes, State: c.State + t.State, Flops: c.Flops + t.Flops/10}
}

// Learn searches, tests and finds the edge marks.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	tester, err := tests.New(ctx, in, m.Test)
	if err != nil {
		return m.Settings.Stopped(ctx, in, graph.KindPAG, err)
	}
	first, err := m.search(tester.Model).Learn(ctx, in, run)
	if err != nil {
		return nil, err
	}
	g := first.Graph.Directed()
	if first.Status == method.Canceled {
		p := graph.PAGOf(g.Mixed()).Class(false)
		for _, e := range in.Required() {
			p.Set(e.From, e.To, graph.Tail, graph.Arrow)
		}
		first.Graph = p.Mixed()
		return first, nil
	}
	a, err := m.Settings.LearnWith(ctx, in, run, tester, name, constraint.Settings{MaxPath: m.MaxPath}, tests.Steps{
		Kind: graph.KindPAG,
		Remove: func(ctx context.Context, s *constraint.Search) error {
			if err := s.Start(g); err != nil {
				return err
			}
			return s.Bidirected(ctx, float64(in.Moments.N))
		},
		Orient: func(ctx context.Context, s *constraint.Search) (*constraint.Outcome, error) {
			return s.Legal(s.FCI(ctx, constraint.BySepset)) // the sets come mostly from the score, which finds colliders better than tests
		},
	})
	if a != nil {
		a.Stages = append(first.Stages, a.Stages...)
	}
	return a, err
}
