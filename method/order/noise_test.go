package order

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// TestReversalsAreThoseOfTheAnswer checks that after the noise reversed edges, the losses of reversals are
// those of the final graph.
func TestReversalsAreThoseOfTheAnswer(t *testing.T) {
	changed, seen := 0, 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		const d, n = 6, 250
		drawn := &drawn{x: matrix.New[float64](n, d), of: make([]int, n), targets: [][]int{nil}, levels: make([]bool, d)}
		w := make([]float64, d*d)
		for k := range w {
			w[k] = float64(rng.IntN(3)-1) * (0.3 + rng.Float64())
		}
		for i := range n {
			for j := range d {
				x := math.Pow(2*rng.Float64()-1, 3)
				for p := range j {
					x += w[p*d+j] * drawn.x.At(i, p)
				}
				drawn.x.Set(i, j, x)
			}
		}
		in := drawn.input(t, false, func(int) bool { return true })
		in.Sample = &dataset.Sample{Columns: d, Values: drawn.x.Data}
		for i := range n {
			in.Sample.Index = append(in.Sample.Index, i)
		}
		m := New()
		m.Model, m.Variance = Linear, Unequal
		a, err := m.Learn(context.Background(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !a.FreeNoise {
			continue
		}
		s, err := score.NewGaussianLocal(in.Moments.Correlation(), n, a.Price)
		if err != nil {
			t.Fatal(err)
		}
		want := method.Reversals(a.Graph.Directed(), s.Evaluator(), true, search.Knowledge{})
		for _, e := range a.Edges {
			loss, ok := want[e.Edge]
			if ok != (e.ReversalLoss != nil) || ok && math.Abs(*e.ReversalLoss-loss) > 1e-9*(1+math.Abs(loss)) {
				t.Errorf("seed %d, edge %v: loss %v, want %v %v", seed, e.Edge, e.ReversalLoss, loss, ok)
			}
			if ok {
				seen++
			}
		}
		if first := a.Stages[0].Graph; first != nil && !first.Equal(a.Graph.Directed()) {
			changed++
		}
	}
	if changed == 0 || seen == 0 {
		t.Errorf("the noise changed %d graphs, %d edges have a loss: the test is too narrow", changed, seen)
	}
}
