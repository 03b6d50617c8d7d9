package score_test

import (
	"context"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// The search with smooth and mixed scores finds graphs that are no worse than those of a plain search from several random
// starts, nor than the true graphs. With more than 12 columns the search does not try all graphs.
func TestSearchSmoothAndMixed(t *testing.T) {
	for seed := range uint64(2) {
		curved, x := curvedTable(seed, 9, 12, 300, false)
		both, categorical, y := mixedTable(seed, 9, 12, 300)
		for _, c := range []struct {
			name  string
			s     search.Score
			truth *graph.Graph
		}{{"smooth", smooth(t, x), curved}, {"mixed", mixed(t, y, categorical), both}} {
			set := search.DefaultSettings()
			set.Restarts, set.Exact = 10, 0 // so few columns would be searched exactly, without restarts
			res, err := search.Search(context.Background(), search.Problem{Score: c.s}, set, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, want := plainly(c.s.Evaluator(), 9, c.s.Price(), 2)
			truth := total(c.s.Evaluator(), c.truth)
			if res.Stats.Rounds == 0 {
				t.Errorf("%s, seed %d: no round of restarts: %+v", c.name, seed, res.Stats)
			}
			if res.Score > want+1e-6 || res.Score > truth+1e-6 {
				t.Errorf("%s, seed %d: %v, the plain search %v, the true graph %v", c.name, seed, res.Score, want, truth)
			}
			t.Logf("%s, seed %d: %.1f below the plain search, %.1f below the true graph, %+v", c.name, seed, want-res.Score, truth-res.Score, res.Stats)
		}
	}
}
