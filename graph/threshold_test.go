package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveSmallestThreshold tries 0 and every |w| in ascending order.
func naiveSmallestThreshold(n int, weight func(i, j int) float64) float64 {
	candidates := []float64{0}
	for i := range n {
		for j := range n {
			candidates = append(candidates, math.Abs(weight(i, j)))
		}
	}
	slices.Sort(candidates)
	for _, tau := range candidates {
		if Threshold(n, weight, tau).IsAcyclic() {
			return tau
		}
	}
	panic("no threshold leaves a DAG")
}

func TestSmallestAcyclicThresholdAgainstScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	zero, twoCycle, longer := 0, 0, 0
	for trial := range 3000 {
		n := rng.IntN(8)
		w := make([]float64, n*n)
		for k := range w {
			if rng.Float64() < 0.5 {
				continue
			}
			w[k] = rng.NormFloat64()
			if trial%3 == 0 { // ties
				w[k] = math.Round(2 * w[k])
			}
		}
		for v := range n {
			if trial%2 == 0 {
				w[v*n+v] = 0
			}
			for u := range v {
				if trial%4 < 2 { // no pairs i ⇄ j
					w[v*n+u] = 0
					if rng.IntN(2) == 0 {
						w[u*n+v], w[v*n+u] = w[v*n+u], w[u*n+v]
					}
				}
			}
		}
		if trial%100 == 0 && n > 2 {
			w[1], w[n] = math.Inf(1), math.Inf(-1)
		}
		weight := func(i, j int) float64 { return w[i*n+j] }
		want := naiveSmallestThreshold(n, weight)
		tau, g := SmallestAcyclicThreshold(n, weight)
		if tau != want {
			t.Fatalf("trial %d: tau %v, want %v", trial, tau, want)
		}
		if !g.Equal(Threshold(n, weight, tau)) || !g.IsAcyclic() {
			t.Fatalf("trial %d: the graph is not the thresholded DAG", trial)
		}
		if tau == 0 {
			zero++
			continue
		}
		short := false
		for i := range n {
			for j := range n {
				short = short || min(math.Abs(weight(i, j)), math.Abs(weight(j, i))) == tau
			}
		}
		if short {
			twoCycle++
		} else {
			longer++
		}
	}
	if zero < 100 || twoCycle < 100 || longer < 100 {
		t.Fatalf("tau zero %d, from a short cycle %d, from a longer one %d: not all cases tried", zero, twoCycle, longer)
	}
}

func TestThresholdIsStrict(t *testing.T) {
	w := [2][2]float64{{0, 0.5}, {-0.7, math.NaN()}}
	weight := func(i, j int) float64 { return w[i][j] }
	if g := Threshold(2, weight, 0.5); !slices.Equal(g.Edges(), []Edge{{1, 0}}) {
		t.Fatalf("edges %v, want only 1 → 0", g.Edges())
	}
	if g := Threshold(2, weight, 0.49); g.NumEdges() != 2 {
		t.Fatalf("edges %v, want both", g.Edges())
	}
}

func BenchmarkSmallestAcyclicThreshold(b *testing.B) {
	for _, n := range []int{100, 1000} {
		rng := rand.New(rand.NewPCG(4, 2))
		w := make([]float64, n*n)
		for k := range w {
			w[k] = 0.01 * rng.NormFloat64()
		}
		for range 4 * n {
			w[rng.IntN(n*n)] = rng.NormFloat64()
		}
		weight := func(i, j int) float64 { return w[i*n+j] }
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				SmallestAcyclicThreshold(n, weight)
			}
		})
	}
}
