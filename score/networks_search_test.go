package score_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// found is the outcome of the search with one score, beside the graph that made the data.
type found struct {
	shd, edges int
	excess     float64 // the difference of the score from that of the true graph
	took       time.Duration
	stats      search.Stats
}

func (f found) String() string {
	return fmt.Sprintf("SHD %3d  edges %3d  found-true %9.1f  %6.2f s  %d sets, %d rounds, %d improved", f.shd, f.edges, f.excess, f.took.Seconds(), f.stats.Nodes, f.stats.Rounds, f.stats.Improved)
}

func find(tb testing.TB, s search.Score, truth *graph.Graph, set search.Settings) found {
	tb.Helper()
	start := time.Now()
	res := must.Get(search.Search(context.Background(), search.Problem{Score: s}, set, nil))
	f := found{edges: res.Edges, took: time.Since(start), stats: res.Stats, excess: res.Score - total(s.Evaluator(), truth)}
	want := must.Get(graph.CPDAG(truth))
	got := must.Get(graph.CPDAG(graph.FromParents(res.Parents)))
	f.shd = metric.CPDAGDistance(want, got)
	return f
}

// The search with discrete scores on published networks: at both sizes it finds a graph that scores no worse than the true
// one, and at 10,000 rows one that is no further from it than what good searches with other programs reach.
//
//	POLYDAG_STUDY=1 go test ./score -run TestNetworks -v
//
// prints distances, scores and times, also of 10,000 rows of the networks with more than 50 columns.
func TestNetworks(t *testing.T) {
	most := map[string]int{"asia": 2, "sachs": 1, "alarm": 5}
	for _, name := range sampled {
		net, columns := network(t, name)
		if testing.Short() && len(net.Variables) > 50 {
			t.Logf("-short: %s takes seconds and is left out", name)
			continue
		}
		for _, n := range []int{1000, 10000} {
			if len(net.Variables) > 50 && n > 1000 && os.Getenv("POLYDAG_STUDY") == "" {
				t.Logf("%d rows of %s take seconds: set POLYDAG_STUDY=1", n, name)
				continue
			}
			for _, s := range []score.DiscreteSettings{score.DefaultDiscrete(), bic()} {
				set := search.DefaultSettings()
				if n > 1000 {
					set.Exact = 8 // sachs has 11 columns: an exhaustive search of 1000 rows is enough
				}
				f := find(t, discrete(t, first(columns, n), counts.Rows{}, s), graph.FromParents(net.Parents()), set)
				t.Logf("%-8s n=%-5d %-4v %v", name, n, s.Criterion, f)
				if f.excess > 1e-6 {
					t.Errorf("%s, n = %d, %v: the score is %v above that of the true graph", name, n, s.Criterion, f.excess)
				}
				if bar, ok := most[name]; ok && n == 10000 && f.shd > bar {
					t.Errorf("%s, n = %d, %v: distance %d, want at most %d", name, n, s.Criterion, f.shd, bar)
				}
			}
		}
	}
}
