package dcdi

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// noise returns rows of independent columns, with an environment without interventions and one for each column.
func noise(n, d int) *rows {
	rng := rand.New(rand.NewPCG(1, 2))
	x := &rows{n: n, d: d, perfect: true, targets: [][]int{nil}}
	for j := range d {
		x.targets = append(x.targets, []int{j})
	}
	for i := range n {
		x.environment = append(x.environment, i%(d+1))
		for range d {
			x.values = append(x.values, float32(rng.NormFloat64()))
		}
	}
	x.divide(n)
	return x
}

// free returns the marks of edges that are all possible.
func free(d int) []int8 {
	fixed := make([]int8, d*d)
	for k := range fixed {
		if fixed[k] = -1; k%(d+1) == 0 {
			fixed[k] = 0
		}
	}
	return fixed
}

// BenchmarkStep measures one step with its share of the held-out rows, on one thread.
func BenchmarkStep(b *testing.B) {
	for name, d := range map[string]int{"d=10": 10, "d=20": 20, "d=50": 50} {
		b.Run(name, func(b *testing.B) {
			l := must.Get(newLearner(New(), noise(10_000, d), free(d), 1, 1))
			b.ReportAllocs()
			for b.Loop() {
				l.Advance()
			}
		})
	}
}
