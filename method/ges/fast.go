package ges

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/greedy"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

// Start is the initial graph of the search.
type Start string

const (
	Auto      Start = "auto"  // both of the others, keeping the better class
	FromOrder Start = "order" // the class of the graph found by one descent over orders
	Empty     Start = "empty" // no edges, as published
)

// Fast has the settings of the search.
type Fast struct {
	Score     scores.Settings
	Start     Start
	Turning   bool
	Faithful  bool
	MaxDegree int
}

// NewFast returns the method with its defaults. The scores are those of the order search, with a penalty that does
// not adapt.
func NewFast() *Fast {
	return &Fast{Score: scores.Fixed(scores.AutoModel), Start: Auto, Turning: true, MaxDegree: 100}
}

func (m *Fast) Info() method.Info {
	return method.Info{
		Name:      "fges",
		Title:     "fast greedy equivalence search, for many columns",
		About:     "Like ges, with a bounded degree and two starting points; the better class is returned. Starting from the empty graph only, as published (start=empty), gives worse results if effects are strong. faithful only connects marginally dependent columns.",
		Reference: "Ramsey, Glymour, Sanchez-Romero and Glymour (2017), A million variables and more: the fast greedy equivalence search algorithm",
		Needs:     m.Score.Needs(), Gives: graph.KindCPDAG, UnitFree: true, Knowledge: true, Categories: m.Score.Categories(),
	}
}

func (m *Fast) Params(s *param.Set) {
	m.Score.Params(s, scores.AutoModel, scores.Linear, scores.Discrete, scores.Mixed)
	param.Word(s, &m.Start, "start", "initial graph: empty (as published), order (the class found by one descent of the order search) or auto (both; the better class is kept)", Auto, FromOrder, Empty)
	s.Bool(&m.Turning, "turning", "add a turning phase, and repeat all phases while it helps")
	s.Bool(&m.Faithful, "faithful", "only connect marginally dependent columns")
	s.Int(&m.MaxDegree, "max-degree", "maximum node degree; 0 for no limit", param.AtLeast(0))
}

// Cost counts the score and the operators of each column.
func (m *Fast) Cost(rows, columns, _ int) method.Cost {
	d := float64(columns)
	return method.Cost{Bytes: m.Score.Bytes(rows, columns) + method.Matrices(8, columns, 64), Flops: 3e4 * d * d}
}

// Learn finds the class.
func (m *Fast) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	t, err := m.Score.Table(ctx, in)
	if err != nil {
		return greedy.Unread(ctx, in, graph.KindCPDAG, err)
	}
	p := greedy.Problem{Score: t.Score, Knowledge: greedy.Arranged(in.Knowledge, t.Order)}
	settings := greedy.Settings{Turning: m.Turning, Marginal: m.Faithful, MaxDegree: m.MaxDegree, Threads: in.Threads}
	var best *greedy.Result
	for _, start := range []Start{Empty, FromOrder} {
		if m.Start != Auto && m.Start != start || best != nil && !best.Whole {
			continue
		}
		if start == FromOrder {
			if p.Start, err = t.Descent(ctx, run, "fges-order/descent"); err != nil {
				return nil, err
			}
			if m.MaxDegree > 0 && degree(p.Start) > m.MaxDegree {
				p.Start = nil // the start exceeds the limit on the degree
			}
		}
		found, err := greedy.Stage(ctx, run, "fges-"+string(start), p, settings)
		if err != nil {
			return nil, err
		}
		whole := found.Whole
		if best == nil || found.Score < best.Score {
			best = found
		}
		best.Whole = whole
	}
	return greedy.Answer(ctx, best, t), nil
}

// degree returns the largest degree of a node.
func degree(g *graph.Graph) (most int) {
	for v := range g.N() {
		most = max(most, len(g.Parents(v))+len(g.Children(v)))
	}
	return most
}
