package heldout

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/sim"
)

func preparedRows(t testing.TB, names []string, x *matrix.Dense[float64], change func(*polydag.Preparation)) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	if change != nil {
		change(&p)
	}
	columns, err := polydag.RowColumns(names, slices.Collect(dataset.RowsOf(x)))
	if err != nil {
		t.Fatal(err)
	}
	table, err := polydag.Prepare(context.Background(), columns, p)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// simulatedDAG draws a model and a table from it.
func simulatedDAG(t testing.TB, rows int, seed uint64, change func(*sim.Config)) (*graph.Graph, *polydag.Table) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = 5, seed
	cfg.Degree = 2
	change(&cfg)
	m, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m.Graph(), preparedRows(t, m.Names(), m.Sample(sim.Stream(seed, sim.StreamNoise), rows), nil)
}

// modelTables returns one table for each model.
func modelTables(t testing.TB) map[string]*polydag.Table {
	_, linear := simulatedDAG(t, 200, 1, func(c *sim.Config) { c.Edges, c.Standardize = 6, true })
	_, discrete := simulatedDAG(t, 200, 2, func(c *sim.Config) { c.Mechanism = sim.Discrete })
	_, mixed := simulatedDAG(t, 200, 4, func(c *sim.Config) { c.Mechanism = sim.Mixed })
	_, smooth := simulatedDAG(t, 250, 5, func(c *sim.Config) {
		c.Nodes, c.Edges, c.Mechanism, c.SDLow, c.SDHigh = 4, 4, sim.Additive, 0.5, 0.5
	})
	return map[string]*polydag.Table{"linear": linear, "discrete": discrete, "mixed": mixed, "smooth": smooth}
}
