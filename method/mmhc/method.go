// Package mmhc is max-min hill climbing: independence tests select candidate edges, and hill climbing with a
// tabu list finds the best graph among them (Tsamardinos, Brown and Aliferis 2006).
//
// Experimental: the API of this package may change before 1.0.
package mmhc

import (
	"context"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/greedy"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
)

const name = "mmhc"

// Method has the settings.
type Method struct {
	Score        scores.Settings
	Alpha        float64
	MaxCondition int
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Score: scores.Fixed(scores.AutoModel), Alpha: 0.05, MaxCondition: 3}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "max-min hill climbing: independence tests select candidate edges, tabu search finds the best graph",
		About:     "Handles all column kinds; the tests belong to the same model as the score. It is fast if each column has few neighbors. Edges excluded by the tests cannot return.",
		Reference: "Tsamardinos, Brown and Aliferis (2006), The max-min hill-climbing Bayesian network structure learning algorithm",
		Needs:     m.Score.Needs(), Gives: graph.KindDAG, UnitFree: true, Knowledge: true, Categories: m.Score.Categories(), Tests: true,
	}
}

func (m *Method) Params(s *param.Set) {
	m.Score.Params(s, scores.AutoModel, scores.Linear, scores.Discrete, scores.Mixed, scores.Smooth)
	s.Float(&m.Alpha, "alpha", "significance level of the tests; two columns count as independent if p is above it", param.Above(0), param.Below(1))
	s.Int(&m.MaxCondition, "max-condition", "maximum size of the conditioning sets", param.AtLeast(0))
}

// Cost counts the score and the tests of all pairs.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	d := float64(columns)
	return method.Cost{Bytes: m.Score.Bytes(rows, columns) + method.Matrices(2, columns, 64), Flops: 1e5 * d * d}
}

// found is the saved result of a stage.
type found struct {
	Near    [][]int
	Parents [][]int
	Whole   bool
}

// Learn finds the candidates and climbs.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	t, err := m.Score.Table(ctx, in)
	if err != nil {
		return greedy.Unread(ctx, in, graph.KindDAG, err)
	}
	known := greedy.Arranged(in.Knowledge, t.Order)
	out, err := stage.Do(ctx, run, name, func(stage.Point) (*found, bool, error) {
		out, err := m.find(ctx, in, t, known, run)
		return out, err == nil && out.Whole, err
	})
	if err != nil {
		return nil, err
	}
	g := graph.FromParents(out.Parents)
	a := &method.Answer{Graph: g.Mixed(), Status: method.Converged, Score: scores.Total(t.Score.Evaluator(), g)}
	if !out.Whole {
		a.Cancel(ctx)
	}
	a.Stages = append(a.Stages, method.Stage{Name: name, Graph: g})
	t.Describe(ctx, a, g)
	return a, nil
}

func (m *Method) find(ctx context.Context, in *method.Input, t *scores.ScoredTable, known greedy.Knowledge, run *stage.Run) (*found, error) {
	test, err := tests.Of(t)
	if err != nil {
		return nil, err
	}
	run.Tell(stage.Progress{Stage: name + ": candidates", Untraced: true})
	c := &candidates{test: test, alpha: m.Alpha, most: m.MaxCondition}
	near, whole, err := c.all(ctx, in.Threads)
	if err != nil {
		return nil, err
	}
	allowed := func(from, to int) bool { return true }
	var required []graph.Edge
	if known != nil {
		required = known.Required()
		allowed = func(from, to int) bool { return !known.Forbidden(from, to) }
		for _, e := range required {
			near[e.From], near[e.To] = joined(near[e.From], e.To), joined(near[e.To], e.From)
		}
	}
	climb := newClimber(t.Score.Evaluator(), near, allowed, required)
	steps := 0
	g, climbed := climb.climb(ctx, func(score float64, edges int) {
		run.Tell(stage.Progress{Stage: name + ": climbing", Step: steps, Score: score, Edges: edges})
		steps++
	})
	return &found{Near: near, Parents: gaussian.Parents(g), Whole: whole && climbed}, nil
}

// joined inserts a column into an ascending list.
func joined(list []int, v int) []int {
	at, there := slices.BinarySearch(list, v)
	if there {
		return list
	}
	return slices.Insert(list, at, v)
}
