package polydag_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// columnsOf returns a table of d columns with hubs, blocks of correlated columns and, if skewed, noise that is not Gaussian.
func columnsOf(d, n int, skewed bool, seed uint64) (names []string, columns [][]float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	for v := range d {
		x := make([]float64, n)
		for i := range x {
			if x[i] = rng.NormFloat64(); skewed {
				x[i] = rng.ExpFloat64() - 1
			}
		}
		add := func(u int, weight float64) {
			for i, y := range columns[u] {
				x[i] += weight * y
			}
		}
		switch {
		case v == 0:
		case v%4 == 0:
			add(0, 0.8)
		case v%4 == 1 && v > 4:
			add(v-1, 2)
			add(v-2, 0.5)
		case v > 2:
			add(rng.IntN(v), 0.6)
		}
		names, columns = append(names, fmt.Sprint("c", v)), append(columns, x)
	}
	return names, columns
}

// learnFrom learns from columns with moments that are stored or computed on demand.
func learnFrom(t *testing.T, names []string, columns [][]float64, onDemand bool, threads int) *polydag.Result {
	t.Helper()
	var all []polydag.Column
	for j, name := range names {
		all = append(all, polydag.Column{Name: name, Numbers: columns[j]})
	}
	table := must.Get(polydag.FromColumns(all...))
	if onDemand {
		var rows []float64
		for i := range columns[0] {
			for _, name := range table.Moments.Names {
				rows = append(rows, columns[slices.Index(names, name)][i])
			}
		}
		table.Moments = must.Get(dataset.FewRows(table.Moments.Names, rows, threads))
	}
	cfg := polydag.DefaultConfig()
	cfg.Threads = threads
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	return res
}

// TestOnDemandLearnsTheSame checks that a run on moments that are computed on demand gives the result of a run on stored
// ones: the same edges, verdicts, checks and choices, and numbers that agree up to rounding.
func TestOnDemandLearnsTheSame(t *testing.T) {
	for _, c := range []struct {
		d, n   int
		skewed bool
	}{{50, 40, false}, {40, 300, false}, {30, 400, true}} {
		names, columns := columnsOf(c.d, c.n, c.skewed, uint64(c.n))
		want, got := learnFrom(t, names, columns, false, 1), learnFrom(t, names, columns, true, 2)
		if len(got.Edges) != len(want.Edges) || len(want.Edges) == 0 || !(math.Abs(got.Score-want.Score) <= 1e-9*math.Abs(want.Score)) {
			t.Fatalf("%+v: %d edges with score %v, want %d with %v", c, len(got.Edges), got.Score, len(want.Edges), want.Score)
		}
		for k, e := range want.Edges {
			if g := got.Edges[k]; g.Link != e.Link || g.Verdict != e.Verdict || g.HiddenCause != e.HiddenCause || !(math.Abs(g.Weight-e.Weight) <= 1e-9) || !(math.Abs(g.Gain-e.Gain) <= 1e-9) || !(math.Abs(g.Confidence-e.Confidence) <= 1e-6) {
				t.Errorf("%+v: edge %+v, want %+v", c, g, e)
			}
		}
		for k, a := range want.Assumptions {
			if g := got.Assumptions[k]; g.Name != a.Name || g.Outcome != a.Outcome {
				t.Errorf("%+v: check %s %v, want %v", c, g.Name, g.Outcome, a.Outcome)
			}
		}
		if len(got.DataChecks) != len(want.DataChecks) || fmt.Sprint(got.Warnings) != fmt.Sprint(want.Warnings) {
			t.Errorf("%+v: warnings %v, want %v", c, got.Warnings, want.Warnings)
		}
	}
}

// TestOnDemandShuffled checks that neither the order of the columns nor the number of threads changes a number.
func TestOnDemandShuffled(t *testing.T) {
	names, columns := columnsOf(40, 60, false, 9)
	want := learnFrom(t, names, columns, true, 1)
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(names))
	var moved []string
	var values [][]float64
	for _, v := range order {
		moved, values = append(moved, names[v]), append(values, columns[v])
	}
	got := learnFrom(t, moved, values, true, 2)
	if got.Score != want.Score || len(got.Edges) != len(want.Edges) {
		t.Fatalf("score %v with %d edges, want %v with %d", got.Score, len(got.Edges), want.Score, len(want.Edges))
	}
	for _, e := range want.Edges {
		k := slices.IndexFunc(got.Edges, func(g polydag.Edge) bool { return g.Link == e.Link })
		if k < 0 || got.Edges[k].Weight != e.Weight || got.Edges[k].Gain != e.Gain || got.Edges[k].Confidence != e.Confidence {
			t.Errorf("edge %v is missing or differs", e.Link)
		}
	}
}
