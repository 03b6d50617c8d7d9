package lineartest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// TestStudy runs the methods with their published settings on the common protocol of their papers: ER graphs
// with 2d edges, weights ±[0.5, 2], Gaussian noise of variance 1, 1000 rows. lab/docs/evidence.md has
// its output.
func TestStudy(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	all := []string{"notears", "tmpi", "golem-ev", "golem-nv", "nocurl", "dagma"}
	for _, c := range []struct {
		d, seeds     int
		standardized bool
		methods      []string
		least, most  float64 // bounds of the median F1
	}{
		{50, 3, false, all, 0.85, 1},
		{50, 3, true, all, 0, 0.6},
		{100, 5, false, []string{"dagma"}, 0.97, 1},
		{100, 3, false, []string{"golem-ev"}, 0.97, 1},
		{200, 3, false, []string{"dagma"}, 0.97, 1},
	} {
		units := "raw"
		if c.standardized {
			units = "standardized"
		}
		for _, name := range c.methods {
			t.Run(fmt.Sprintf("%s/d=%d/%s", units, c.d, name), func(t *testing.T) {
				var f1, shd []float64
				steps := 0
				for seed := range uint64(c.seeds) {
					truth, data := table(t, seed+1, c.d, 1000, func(s *sim.Settings) { s.Standardize = c.standardized })
					m, err := lab.Find(name)
					must.Succeed(t, err)
					res := must.Get(polydag.FromMoments(data).Learn(context.Background(), config(m), polydag.Run{}))
					r := metric.Compare(truth.Graph(), res.Graph)
					f1, shd = append(f1, r.F1), append(shd, float64(r.SHD))
					steps += res.Continuous.Steps
				}
				slices.Sort(f1)
				slices.Sort(shd)
				median := f1[len(f1)/2]
				t.Logf("| %s | %d | `%s` | %.3f (%.3f-%.3f) | %.0f (%.0f-%.0f) | %d |", units, c.d, name,
					median, f1[0], f1[len(f1)-1], shd[len(shd)/2], shd[0], shd[len(shd)-1], steps/c.seeds)
				if median < c.least || median > c.most {
					t.Errorf("the median F1 is %.3f, want %v to %v", median, c.least, c.most)
				}
			})
		}
	}
}
