package score_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// How each criterion does on networks of which half the columns are set, one after the other, in two thirds of the rows: mean
// distance to the true DAG. TargetsEss has the means.
func TestDiscreteStudyTargets(t *testing.T) {
	study(t)
	sets := []score.DiscreteSettings{bic(), charged(bdeu(1), 0.5), charged(bdeu(0.1), 0.5), charged(bdeu(0.3), 0.5)}
	for _, n := range []int{1000, 5400} {
		for _, name := range []string{"asia", "sachs", "child", "insurance", "alarm"} {
			net := must.Get(bif.Read(unzip(t, "networks/bif/"+name+".bif.gz")))
			truth := graph.FromParents(net.Parents())
			order, _ := truth.Order()
			d := len(net.Variables)
			sum := make([]float64, len(sets))
			const seeds = 3
			for seed := range uint64(seeds) {
				rng := rand.New(rand.NewPCG(seed, 77))
				o := counts.Rows{Targets: [][]int{nil}}
				perm := rng.Perm(d)
				for _, v := range perm[:d/2] {
					o.Targets = append(o.Targets, []int{v})
				}
				cols := make([][]int, d)
				for v := range cols {
					cols[v] = make([]int, n)
				}
				for i := range n {
					r := 0
					if rng.IntN(3) > 0 {
						r = 1 + rng.IntN(len(o.Targets)-1)
					}
					o.Environments = append(o.Environments, r)
					for _, v := range order {
						va := &net.Variables[v]
						L := len(va.Levels)
						if slices.Contains(o.Targets[r], v) {
							cols[v][i] = rng.IntN(L)
							continue
						}
						j := 0
						for _, p := range va.Parents {
							j = j*len(net.Variables[p].Levels) + cols[p][i]
						}
						u := rng.Float64()
						for k, x := range va.Table[j*L : (j+1)*L] {
							if u -= x; u < 0 {
								cols[v][i] = k
								break
							}
						}
					}
				}
				for k, s := range sets {
					set := search.DefaultSettings()
					set.Exact = 9
					res := must.Get(search.Search(context.Background(), search.Problem{Score: discrete(t, cols, o, s)}, set, nil))
					sum[k] += float64(metric.SHD(truth, graph.FromParents(res.Parents)).Distance()) / seeds
				}
			}
			t.Logf("n=%d %s: bic, bdeu 1, .1, .3: %s", n, name, fmt.Sprintf("%.1f", sum))
		}
	}
}
