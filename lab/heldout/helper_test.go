package heldout

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
)

// simulated draws a model and a table from it, with the true edges by name.
func simulated(t testing.TB, rows int, seed uint64, change func(*sim.Settings)) ([]graph.Link, *polydag.Table) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = 5, seed
	cfg.Degree = 2
	if change != nil {
		change(&cfg)
	}
	m := must.Get(sim.New(cfg))
	var links []graph.Link
	for _, e := range m.Graph().Edges() {
		links = append(links, e.Named(m.Names()))
	}
	table := must.Get(polydag.FromRows(m.Names(), slices.Collect(dataset.RowsOf(m.Sample(sim.Stream(seed, sim.StreamNoise), rows)))))
	return links, table
}

// chosen are candidates by words.
func chosen(t testing.TB, words ...string) []Candidate {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Threads, cfg.Methods = 2, lab.All
	list := must.Get(Choose(words, cfg))
	return list
}

// plain compares with the defaults.
func plain(t testing.TB, table *polydag.Table, truth *Truth, words ...string) *Comparison {
	t.Helper()
	c := must.Get(Compare(context.Background(), table, chosen(t, words...), truth, DefaultCompareSettings(), nil))
	return c
}

func preparedRows(t testing.TB, names []string, x *matrix.Dense[float64], change func(*polydag.Preparation)) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	if change != nil {
		change(&p)
	}
	columns := must.Get(polydag.RowColumns(names, slices.Collect(dataset.RowsOf(x))))
	table := must.Get(polydag.Prepare(context.Background(), columns, p))
	return table
}

// simulatedDAG draws a model and a table from it.
func simulatedDAG(t testing.TB, rows int, seed uint64, change func(*sim.Settings)) (*graph.Graph, *polydag.Table) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = 5, seed
	cfg.Degree = 2
	change(&cfg)
	m := must.Get(sim.New(cfg))
	return m.Graph(), preparedRows(t, m.Names(), m.Sample(sim.Stream(seed, sim.StreamNoise), rows), nil)
}

// modelTables returns one table for each model.
func modelTables(t testing.TB) map[string]*polydag.Table {
	_, linear := simulatedDAG(t, 200, 1, func(c *sim.Settings) { c.Edges, c.Standardize = 6, true })
	_, discrete := simulatedDAG(t, 200, 2, func(c *sim.Settings) { c.Mechanism = sim.Discrete })
	_, mixed := simulatedDAG(t, 200, 4, func(c *sim.Settings) { c.Mechanism = sim.Mixed })
	_, smooth := simulatedDAG(t, 250, 5, func(c *sim.Settings) {
		c.Nodes, c.Edges, c.Mechanism, c.SDLow, c.SDHigh = 4, 4, sim.Additive, 0.5, 0.5
	})
	return map[string]*polydag.Table{"linear": linear, "discrete": discrete, "mixed": mixed, "smooth": smooth}
}
