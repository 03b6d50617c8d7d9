package effect

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/parallel"
)

// TestStudyResponses prints how often 90 % intervals of the responses of a curve and of a category cover the true ones, over 6 steps. The
// responses of one table share a few weights, so the standard error is that of sums over tables.
func TestStudyResponses(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables")
	}
	const horizon = 6
	categories := make([]float64, horizon+1)
	for h := 1; h <= horizon; h++ {
		categories[h] = 0.6 * math.Pow(0.7, float64(h-1))
	}
	for _, c := range []struct {
		name, model, start, end string
		draw                    func(seed uint64, n int) polydag.Columns
		want                    []float64
	}{{"curve", "smooth", "0", "2", bells, bellResponses(horizon)}, {"category", "discrete", "no", "yes", states, categories}} {
		if only := os.Getenv("POLYDAG_STUDY_ONLY"); only != "" && only != c.name {
			continue
		}
		for _, n := range []int{300, 1000} {
			for _, given := range []bool{false, true} {
				covered := make([]float64, tables)
				parallel.Each(context.Background(), tables, runtime.NumCPU(), func(int) func(int) {
					return func(k int) {
						table, res := learnSeries(t, c.draw(uint64(90000+k), n), c.model)
						a := askSeries(t, res, table, func(q *Question) {
							q.Start, q.End, q.Horizon, q.Replicates, q.Threads, q.GivenGraph = c.start, c.end, horizon, 50, 1, given
						})
						for _, r := range a.Impulse[1:] {
							want := c.want[r.Step]
							if r.Outcome == "low" {
								want = -want
							}
							if *r.Low <= want && want <= *r.High {
								covered[k]++
							}
						}
					}
				})
				hits, square := 0.0, 0.0
				for _, x := range covered {
					hits += x / float64(tables*horizon)
				}
				for _, x := range covered {
					square += math.Pow(x/horizon-hits, 2)
				}
				fmt.Printf("%s, %d points, given graph %v: %.3f of %d responses covered (standard error %.3f)\n", c.name, n, given, hits, tables*horizon, math.Sqrt(square)/float64(tables))
			}
		}
	}
}
