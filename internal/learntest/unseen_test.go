package learntest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// TestOutliersWithInterventions checks that outliers of independent columns give no sure edge in a table with interventions, and that a
// strong effect is sure.
func TestOutliersWithInterventions(t *testing.T) {
	const n, d = 300, 32
	rng := rand.New(rand.NewPCG(8, 9))
	s := &sheet{}
	first := make([]float64, n)
	for j := range d {
		s.add(fmt.Sprint("x", j), n, func(i int) string {
			x := rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) // t with two degrees of freedom
			if j == 0 {
				first[i] = x
			}
			if j == 1 && i%60 != 31 {
				x = first[i] + 0.3*x
			}
			return fmt.Sprintf("%.8g", x)
		})
	}
	s.add("target", n, func(i int) string {
		if i%2 == 0 {
			return ""
		}
		return fmt.Sprint("x", i/2%d)
	})
	p := polydag.DefaultPreparation()
	p.Targets = "target"
	table := must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, p))
	res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
	strong, weak := false, 0
	for _, e := range res.Edges {
		is := min(e.From, e.To) == "x0" && max(e.From, e.To) == "x1"
		strong = strong || is && e.PAdjacent > 0.9
		if !is {
			weak++
		}
		if !is && e.PAdjacent >= 0.8 {
			t.Errorf("%s and %s are independent and adjacent with probability %.2f", e.From, e.To, e.PAdjacent)
		}
	}
	if !strong || weak == 0 {
		t.Errorf("%d edges, %d of them false; the edge of x0 and x1 is sure: %v", len(res.Edges), weak, strong)
	}
}
