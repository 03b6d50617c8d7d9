package score

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/network"
	"github.com/polydag/polydag/method/internal/scores"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// contestants are both variants, SCORE on standardized columns, and the order search with smooth effects.
func contestants() ([]string, []method.Method) {
	standardized, nogam, search := New(), New(), order.New()
	standardized.Scale, nogam.Variant, search.Model = network.Unit, NoGAM, scores.Smooth
	return []string{"`score`", "`score --scale unit`", "`score --variant nogam`", "`order --model smooth`"}, []method.Method{New(), standardized, nogam, search}
}

// TestStudyScore measures the distance to the true graph on tables of the authors' generator. docs/reference/methods.md has the
// figures. Xu et al. (2024, "Ordering-based causal discovery for linear and nonlinear relations", table 3) report the SHD of SCORE for
// d edges: 0.6 ± 1.2 for 10 columns and 1000 rows, 1.4 ± 0.8 for 20 columns and 2000 rows.
func TestStudyScore(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	const tables = 10
	fmt.Println("| columns | edges | rows | unequal | method | SHD, mean ± SD | reversed | seconds |\n|---|---|---|---|---|---|---|---|")
	for _, c := range []struct {
		nodes, edges, rows int
		unequal            bool
	}{{10, 10, 1000, false}, {10, 40, 1000, false}, {20, 20, 1000, false}, {20, 80, 1000, false}, {20, 20, 2000, false}, {10, 10, 1000, true}, {20, 20, 1000, true}} {
		names, _ := contestants()
		type outcome struct{ shd, reversed, seconds float64 }
		results := make([]outcome, tables*len(names))
		parallel.For(len(results), runtime.NumCPU(), func(i int) {
			in, truth := drawn(t, c.nodes, c.edges, c.rows, uint64(1000+i/len(names)), c.unequal)
			_, methods := contestants()
			m := methods[i%len(names)]
			if s, ok := m.(*Method); ok {
				s.Sample = c.rows
				if s.Variant == NoGAM && (c.rows > 1000 || c.unequal) {
					return // minutes for one table
				}
			}
			start := time.Now()
			a, err := m.Learn(t.Context(), in, nil)
			if err != nil {
				t.Error(err)
				return
			}
			h := metric.SHD(truth, a.Graph.Directed())
			results[i] = outcome{float64(h.Distance()), float64(h.Reversed), time.Since(start).Seconds()}
		})
		for k, name := range names {
			if results[k].seconds == 0 {
				continue
			}
			var sum, square, reversed, seconds float64
			for i := k; i < len(results); i += len(names) {
				r := results[i]
				sum, square, reversed, seconds = sum+r.shd/tables, square+r.shd*r.shd/tables, reversed+r.reversed/tables, seconds+r.seconds/tables
			}
			fmt.Printf("| %d | %d | %d | %v | %s | %.1f ± %.1f | %.1f | %.1f |\n", c.nodes, c.edges, c.rows, c.unequal, name, sum, math.Sqrt(max(0, square-sum*sum)), reversed, seconds)
		}
	}
}
