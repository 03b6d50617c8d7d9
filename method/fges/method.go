// Package fges is the fast greedy equivalence search of Ramsey et al. (2017), for tables with many columns.
package fges

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/greedy"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "fges"

// Method has the settings of the search. Of those of the score only model, price, criterion and weight of the prior are used.
type Method struct {
	Score     *order.Method
	Faithful  bool
	MaxDegree int
}

// New returns the method with its defaults: the scores are those of the search over orders, at a price that does not adapt.
func New() *Method {
	s := order.New()
	s.Price.Adapt = false
	return &Method{Score: s, Faithful: true, MaxDegree: 100}
}

// Info describes the method.
func (m *Method) Info() method.Info {
	return method.Info{
		Name:  name,
		Title: "greedy equivalence search for many columns: edges only between columns that depend on each other, a bounded degree, no turning",
		About: "Adds the edges whose ends depend on each other without any condition, the best first, and deletes what is then not needed. It answers with a class of graphs, as ges does, " +
			"and misses effects that cancel each other in the data, unless faithful is off.",
		Reference: "Ramsey, Glymour, Sanchez-Romero and Glymour (2017), A million variables and more: the fast greedy equivalence search algorithm",
		Needs:     m.Score.TableNeeds(), Gives: graph.KindCPDAG, UnitFree: true, Knowledge: true, Categories: m.Score.TableCategories(),
	}
}

// Params describes the settings.
func (m *Method) Params(s *param.Set) {
	m.Score.ScoreParams(s, order.AutoModel, order.Linear, order.Discrete, order.Mixed)
	s.Bool(&m.Faithful, "faithful", "join only columns that depend on each other without any condition")
	s.Int(&m.MaxDegree, "max-degree", "most columns that are joined with one; 0 is any number", param.AtLeast(0))
}

// Cost is that of the score, and of the operators of each column.
func (m *Method) Cost(rows, columns, _ int) method.Cost {
	d := float64(columns)
	return method.Cost{Bytes: m.Score.TableBytes(rows, columns) + method.Matrices(8, columns, 64), Flops: 3e4 * d * d}
}

// Learn finds the class.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	t, err := m.Score.Table(ctx, in)
	switch {
	case err != nil && ctx.Err() != nil:
		return greedy.Unread(ctx, graph.KindCPDAG, len(in.Names())), nil
	case err != nil:
		return nil, err
	}
	return greedy.Learn(ctx, run, name, t.Score, t.Order, in.Knowledge, t, greedy.Settings{Marginal: m.Faithful, MaxDegree: m.MaxDegree, Threads: in.Threads})
}
