package learntest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// TestInteractingCauses checks that causes which interact do not give edges between the columns that they act on together: two columns are
// functions of the same four causes. The number of threads and the order of the columns do not change the edges.
func TestInteractingCauses(t *testing.T) {
	const n = 2000
	rng := rand.New(rand.NewPCG(4, 5))
	x := make([][6]float64, n)
	for i := range x {
		c := &x[i]
		for j := range 4 {
			c[j] = rng.NormFloat64()
		}
		c[4] = math.Tanh(c[0]+c[1]-c[2]) + math.Cos(c[1]+c[2]+c[3]) + 0.1*rng.NormFloat64()
		c[5] = math.Tanh(c[0]-c[1]+c[3]) - math.Cos(c[0]+c[1]+c[2]) + 0.1*rng.NormFloat64()
	}
	learned := func(order []int, threads int) (edges []string, removed string) {
		s := &sheet{}
		for _, j := range order {
			s.add(fmt.Sprint("x", j), n, func(i int) string { return fmt.Sprintf("%.10g", x[i][j]) })
		}
		table := must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, polydag.DefaultPreparation()))
		cfg := polydag.DefaultConfig()
		cfg.Threads = threads
		res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
		for _, e := range res.Edges {
			edges = append(edges, e.From+" "+e.To)
		}
		for _, c := range res.Choices {
			if c.Setting == "interacting causes" {
				removed = c.Chosen
			}
		}
		slices.Sort(edges)
		return edges, removed
	}
	edges, removed := learned([]int{0, 1, 2, 3, 4, 5}, 1)
	if slices.Contains(edges, "x4 x5") || slices.Contains(edges, "x5 x4") || removed == "" {
		t.Errorf("edges %v, %q removed", edges, removed)
	}
	for j := range 4 {
		for _, v := range []int{4, 5} {
			if edge := fmt.Sprintf("x%d x%d", j, v); !slices.Contains(edges, edge) {
				t.Errorf("%s is missing from %v", edge, edges)
			}
		}
	}
	other, _ := learned([]int{5, 2, 0, 4, 3, 1}, 2)
	if !slices.Equal(edges, other) {
		t.Errorf("%v, with another order of columns %v", edges, other)
	}
}
