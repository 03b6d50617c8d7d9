package effect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// tableOf prepares rows, with columns of levels as the words l0, l1, …
func tableOf(t testing.TB, names []string, levels []int, x *matrix.Dense[float64]) *polydag.Table {
	t.Helper()
	table := must.Get(polydag.FromColumns(columnsOf(t, names, levels, x)...))
	return table
}

// columnsOf are the columns of rows. One with levels, by their number, is text: l0, l1, …; levels may be nil.
func columnsOf(t testing.TB, names []string, levels []int, x *matrix.Dense[float64]) polydag.Columns {
	t.Helper()
	columns := must.Get(polydag.RowColumns(names, slices.Collect(dataset.RowsOf(x))))
	for j := range levels {
		if levels[j] > 0 {
			text := make([]string, x.Rows)
			for i, v := range columns[j].Numbers {
				if v == v {
					text[i] = fmt.Sprintf("l%d", int(v))
				}
			}
			columns[j] = polydag.Column{Name: names[j], Text: text}
		}
	}
	return columns
}

// withGaps returns x in which a share of the values is missing, completely at random.
func withGaps(x *matrix.Dense[float64], share float64, seed uint64) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 41))
	for i := range x.Rows {
		for j := range x.Cols {
			if share > 0 && rng.Float64() < share {
				x.Set(i, j, math.NaN())
			}
		}
	}
	return x
}

// known returns the result of a table whose graph is known.
func known(t testing.TB, table *polydag.Table, g *graph.Graph, model score.Effects) *polydag.Result {
	t.Helper()
	res := &polydag.Result{Schema: polydag.Schema, Names: table.Moments.Names, Rows: table.Moments.N, Model: model, Kind: graph.KindDAG, Graph: g, Marked: g.Mixed(), Status: method.Converged}
	pool := must.Get(dataset.NewPool(table.Moments, nil))
	l := must.Get(fitLinear(g, table.Moments, pool))
	for _, e := range g.Edges() {
		res.Edges = append(res.Edges, polydag.Edge{Link: e.Named(res.Names), Mark: "-->", Weight: l.weight[e], EdgeFacts: polydag.EdgeFacts{Compelled: true}})
	}
	std := table.Moments.Std()
	for v, name := range res.Names {
		res.Nodes = append(res.Nodes, polydag.Node{Name: name, Mean: l.mean[v], Std: std[v], ResidualVariance: l.noise[v]})
	}
	return res
}

// ask asks with the defaults for a known graph.
func ask(t testing.TB, res *polydag.Result, table *polydag.Table, of, on string, more func(*Question)) *Answer {
	t.Helper()
	q := NewQuestion(of, on)
	q.GivenGraph, q.Threads = true, 1
	if more != nil {
		more(&q)
	}
	a := must.Get(Ask(context.Background(), res, table, q))
	return a
}

// drawn makes a model of sim with one target in each setting.
func drawn(t testing.TB, mechanism sim.Mechanism, nodes int, seed uint64, more func(*sim.Settings)) *sim.Model {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Mechanism, cfg.Degree, cfg.Seed = nodes, mechanism, 3, seed
	cfg.LevelsLow, cfg.LevelsHigh = 2, 3
	if more != nil {
		more(&cfg)
	}
	m := must.Get(sim.New(cfg))
	return m
}

// reaching returns a pair of nodes with the longest directed path between them.
func reaching(g *graph.Graph) (a, b int) {
	order, _ := g.Order()
	best := 0
	for _, u := range order {
		length := make([]int, g.N())
		for _, v := range order {
			for _, p := range g.Parents(v) {
				if p == u || length[p] > 0 {
					length[v] = max(length[v], length[p]+1)
				}
			}
			if length[v] > best {
				best, a, b = length[v], u, v
			}
		}
	}
	return a, b
}

func near(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, within)
	}
}

// randomDAG draws edges along a random order.
func randomDAG(rng *rand.Rand, n int, p float64) *graph.Graph {
	g := graph.New(n)
	order := rng.Perm(n)
	for i := range n {
		for j := range i {
			if rng.Float64() < p {
				g.AddEdge(order[j], order[i])
			}
		}
	}
	return g
}

func letters(n int) []string {
	out := make([]string, n)
	for k := range out {
		out[k] = fmt.Sprintf("x%d", k)
	}
	return out
}

type dense = matrix.Dense[float64]

func newDense(rows, cols int) *dense { return matrix.New[float64](rows, cols) }
