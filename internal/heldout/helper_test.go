package heldout

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/sim"
)

// simulated draws a model and a table from it, with the true edges by name.
func simulated(t testing.TB, rows int, seed uint64, change func(*sim.Config)) ([]graph.Link, *polydag.Table) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = 5, seed
	cfg.Degree = 2
	if change != nil {
		change(&cfg)
	}
	m, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var links []graph.Link
	for _, e := range m.Graph().Edges() {
		links = append(links, e.Named(m.Names()))
	}
	table, err := polydag.FromRows(m.Names(), slices.Collect(dataset.RowsOf(m.Sample(sim.Stream(seed, sim.StreamNoise), rows))))
	if err != nil {
		t.Fatal(err)
	}
	return links, table
}

// chosen are candidates by words.
func chosen(t testing.TB, words ...string) []Candidate {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Threads = 2
	list, err := Choose(words, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// plain compares with the defaults.
func plain(t testing.TB, table *polydag.Table, truth *Truth, words ...string) *Comparison {
	t.Helper()
	c, err := Compare(context.Background(), table, chosen(t, words...), truth, DefaultCompareSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
