package confidence_test

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
)

// prepared reads rows as the command does.
func prepared(t testing.TB, names []string, x *matrix.Dense[float64], change func(*polydag.Preparation)) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	if change != nil {
		change(&p)
	}
	columns := must.Get(polydag.RowColumns(names, slices.Collect(dataset.RowsOf(x))))
	table := must.Get(polydag.Prepare(context.Background(), columns, p))
	return table
}

// simulated draws a model and a table from it.
func simulated(t testing.TB, n int, seed uint64, change func(*sim.Settings)) (*sim.Model, *polydag.Table) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Seed = 10, seed
	if change != nil {
		change(&cfg)
	}
	m := must.Get(sim.New(cfg))
	return m, prepared(t, m.Names(), m.Sample(sim.Stream(seed, sim.StreamNoise), n), nil)
}

// voted counts the graphs of the given number of bootstrap samples, learned by a plan.
func voted(t *testing.T, table *polydag.Table, plan *confidence.Plan, replicates int) *graph.Votes {
	t.Helper()
	ctx := context.Background()
	from := must.Get(table.Resampler(ctx, 1<<28))
	var units []confidence.Unit
	for k := range replicates {
		units = append(units, confidence.Unit{Plan: plan, Draw: polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: k}})
	}
	columns := len(table.Moments.Names)
	votes := graph.NewVotes(columns)
	must.Succeed(t, (confidence.Pool{From: from, Workers: 2}).Run(ctx, units, func(o confidence.Outcome) {
		class := must.Get(o.Class(columns))
		votes.Add(class)
	}))
	return votes
}
