package graphtest

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
)

// mostTests bounds the number of tests on random graphs: a table of many columns is compared with fewer graphs, at least 20.
const mostTests = 20000

// random compares the graph with graphs over randomly exchanged columns, as the falsification test of Eulig et al. (2023) does.
func (t *tester) random(ctx context.Context, g *graph.Graph, all []Condition, s Settings, r *Report) error {
	graphs := s.Graphs
	if len(all) > 0 {
		graphs = min(graphs, max(20, mostTests/len(all)))
	}
	if graphs == 0 || len(all) == 0 || g.NumEdges() == 0 {
		return nil
	}
	violated := func(list []Condition) (n int) {
		for _, c := range list {
			if c.P <= s.Level {
				n++
			}
		}
		return n
	}
	own := violated(all)
	rng := rand.New(rand.NewPCG(s.Seed, 0x6772617068))
	r.Random = &Random{Graphs: graphs}
	for range graphs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := make([]int, len(t.sorted))
		for i, k := range rng.Perm(len(to)) {
			to[t.sorted[i]] = t.sorted[k]
		}
		h := graph.New(g.N())
		for _, e := range g.Edges() {
			h.AddEdge(to[e.From], to[e.To])
		}
		list := t.conditions(h)
		if violated(list) <= own {
			r.Random.Better += 1 / float64(graphs)
		}
		if len(refuted(list, s.Level)) == 0 {
			r.Random.Unrefuted += 1 / float64(graphs)
		}
	}
	return nil
}

// byName returns the columns sorted by name.
func byName(names []string) []int {
	out := make([]int, len(names))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return out
}
