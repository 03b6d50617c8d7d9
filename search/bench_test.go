package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// BenchmarkSearch times the whole search on standardized data with 2d edges and 1000 rows.
func BenchmarkSearch(b *testing.B) {
	for _, d := range []int{100, 200, 500, 1000} {
		sm := randomSample(d, 2*d, 1000, 1, 1)
		for _, restarts := range []int{0, DefaultSettings().Restarts} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("d=%d/restarts=%d/threads=%d", d, restarts, threads), func(b *testing.B) {
					s := DefaultSettings()
					s.Restarts, s.Threads = restarts, threads
					nodes := 0
					for b.Loop() {
						res := must.Get(Search(context.Background(), sm.problem(), s, nil))
						nodes = res.Stats.Nodes
					}
					b.ReportMetric(float64(nodes), "nodes")
				})
			}
		}
	}
}

// BenchmarkEqual times the search under equal variances.
func BenchmarkEqual(b *testing.B) {
	for _, d := range []int{100, 500} {
		sm := randomSample(d, 2*d, 1000, 1, 1)
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			s := DefaultSettings()
			s.Variance = Equal
			for b.Loop() {
				must.Get(Search(context.Background(), sm.problem(), s, nil))
			}
		})
	}
}

// BenchmarkExpand times one node with k parents, the hot spot of the search.
func BenchmarkExpand(b *testing.B) {
	for _, d := range []int{100, 1000} {
		sm := randomSample(d, 2*d, 100, 1, 1)
		for _, k := range []int{1, 3, 8} {
			b.Run(fmt.Sprintf("d=%d/k=%d", d, k), func(b *testing.B) {
				e := testEngine(sm.problem(), Unequal)
				w := e.workers[0]
				parents := make([]uint32, k)
				v := 0
				for b.Loop() {
					v = (v + 1) % d
					for i := range parents {
						parents[i] = uint32((v + 1 + i) % d)
					}
					if v+k >= d {
						v = 0
						continue
					}
					w.arena.giveBack(w.expand(int32(v), 0, parents))
				}
			})
		}
	}
}

// BenchmarkExact times the dynamic programming.
func BenchmarkExact(b *testing.B) {
	for _, d := range []int{8, 12} {
		sm := randomSample(d, 2*d, 500, 1, 1)
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			for b.Loop() {
				must.Get(Search(context.Background(), sm.problem(), DefaultSettings(), nil))
			}
		})
	}
}
