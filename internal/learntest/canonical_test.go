package learntest

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
)

// TestColumnOrderDoesNotMatter checks that the same table with its columns shuffled gives the same answer, byte
// for byte up to the order in which columns are listed; and with its columns renamed, the same graph.
func TestColumnOrderDoesNotMatter(t *testing.T) {
	for _, c := range []struct {
		name   string
		design sim.Design
		d, n   int
		degree float64
		raw    bool
	}{
		{"er", sim.Plain, 60, 500, 4, false},
		{"raw", sim.Plain, 25, 300, 4, true},
		{"hetero", sim.Hetero, 40, 500, 6, false},
		{"exact", sim.Flat, 9, 200, 3, false},
		{"few rows", sim.ISCM, 60, 40, 4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := sim.Default()
			cfg.Nodes, cfg.Degree, cfg.Design, cfg.Standardize, cfg.Seed = c.d, c.degree, c.design, !c.raw, 11
			model := must.Get(sim.New(cfg))
			x := model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), c.n)
			names := model.Names()
			want := learnArranged(t, names, x, identityOrder(c.d), "auto")
			rng := rand.New(rand.NewPCG(3, uint64(c.d)))
			if got := learnArranged(t, names, x, rng.Perm(c.d), "auto"); got != want {
				t.Errorf("the answer changed with the order of the columns:\n%s\n%s", got, want)
			}
			renamed := slices.Clone(names)
			slices.Reverse(renamed)
			a := learnShuffled(t, names, x, identityOrder(c.d), "auto").Graph.Edges()
			b := learnShuffled(t, renamed, x, identityOrder(c.d), "auto").Graph.Edges()
			if !slices.Equal(a, b) {
				t.Error("the graph changed with the names of the columns")
			}
		})
	}
}

func identityOrder(d int) []int {
	out := intset.Range(0, d)
	return out
}

// learnShuffled learns from the columns in the given order.
func learnShuffled(t *testing.T, names []string, x *matrix.Dense[float64], order []int, restarts string) *polydag.Result {
	t.Helper()
	shuffled := matrix.New[float64](x.Rows, x.Cols)
	var there []string
	for k, j := range order {
		there = append(there, names[j])
		for i := range x.Rows {
			shuffled.Set(i, k, x.At(i, j))
		}
	}
	c := polydag.DefaultConfig()
	c.Method = using(t, "auto", "restarts="+restarts)
	res := must.Get(polydag.FromMoments(moments(t, there, shuffled)).Learn(context.Background(), c, polydag.Run{}))
	if !slices.Equal(res.Names, there) {
		t.Fatal("the names are not in the order of the table")
	}
	for v, node := range res.Nodes {
		if node.Name != there[v] {
			t.Fatal("the nodes are not in the order of the table")
		}
	}
	return res
}

// learnArranged returns the result as JSON, with what is listed by column sorted by name and the times left out.
func learnArranged(t *testing.T, names []string, x *matrix.Dense[float64], order []int, restarts string) string {
	t.Helper()
	res := learnShuffled(t, names, x, order, restarts)
	byName := func(a, b polydag.Link) int {
		if a.From != b.From {
			return slices.Index(names, a.From) - slices.Index(names, b.From)
		}
		return slices.Index(names, a.To) - slices.Index(names, b.To)
	}
	slices.Sort(res.Names)
	res.Table.Moments = "" // the digest depends on the order of the columns
	slices.SortFunc(res.Nodes, func(a, b polydag.Node) int { return slices.Index(names, a.Name) - slices.Index(names, b.Name) })
	slices.SortFunc(res.Edges, func(a, b polydag.Edge) int {
		return byName(polydag.Link{From: a.From, To: a.To}, polydag.Link{From: b.From, To: b.To})
	})
	for _, s := range res.Stages {
		slices.SortFunc(s.Graph, byName)
	}
	res.Timing = polydag.Timing{}
	b := must.Get(json.Marshal(res))
	return string(b)
}
