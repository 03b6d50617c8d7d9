package enco

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkEpoch has one epoch of the default settings with a hundredth of the steps, on 25 columns of 10 categories.
func BenchmarkEpoch(b *testing.B) {
	m := New()
	m.FitSteps, m.GraphSteps = 10, 1
	const d, n = 25, 2000
	rng := rand.New(rand.NewPCG(1, 2))
	x := &rows{n: n, d: d, targets: [][]int{nil, {0}}}
	for range d {
		x.levels = append(x.levels, 10)
	}
	for i := range n {
		x.environment = append(x.environment, i%2)
		for range d {
			x.values = append(x.values, float32(rng.IntN(10)))
		}
	}
	x.divide()
	l := start(m, x, 1, 1)
	for i := range l.fixed {
		if i%(d+1) != 0 { // all but the diagonal
			l.fixed[i] = -1
		}
	}
	for b.Loop() {
		l.advance(b.Context())
	}
}
