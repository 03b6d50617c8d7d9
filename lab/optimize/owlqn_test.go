package optimize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// TestOWLQNAlone checks that a Step without an Aim, and a change of size, neither moves w nor panics.
func TestOWLQNAlone(t *testing.T) {
	q := optimize.NewOWLQN[float64](0).(*optimize.OWLQN[float64])
	w := matrix.Of(1, 2, []float64{1, 2})
	q.Step(w, matrix.Of(1, 2, []float64{1, 1}))
	if w.Data[0] != 1 || w.Data[1] != 2 {
		t.Error("a step without an objective moved w")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 2; n < 5; n++ {
		w, g := matrix.New[float64](1, n), matrix.New[float64](1, n)
		for range 5 {
			bowl := func(grad, w *matrix.Dense[float64]) (float64, error) {
				f := 0.0
				for i, v := range w.Data {
					f += float64(i+1) * (v - 1) * (v - 1)
					grad.Data[i] = 2 * float64(i+1) * (v - 1)
				}
				return f, nil
			}
			w.Data[rng.IntN(n)] += 0.1
			f, _ := bowl(g, w)
			q.Aim(solve.Objective[float64]{Value: f, Eval: bowl})
			q.Step(w, g)
			if after, _ := bowl(g, w); !(after < f) {
				t.Errorf("n = %d: %v, then %v", n, f, after)
			}
		}
	}
}

// TestTwoLoopsOnCoefficients compares the loops on coefficients with those of Nocedal (1980) on the vectors.
func TestTwoLoopsOnCoefficients(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	vector := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	dot := func(x, y []float64) (sum float64) {
		for i, v := range x {
			sum += v * y[i]
		}
		return sum
	}
	for pairs := range 6 {
		const n = 40
		var all [][]float64
		for range pairs {
			s, y := vector(n), vector(n)
			for i := range y { // positive curvature
				y[i] = 0.3*y[i] + 2*s[i]
			}
			all = append(all, s, y)
		}
		g := vector(n)
		all = append(all, g)
		dots := make([][]float64, len(all))
		for i := range all {
			for j := range i + 1 {
				dots[i] = append(dots[i], dot(all[i], all[j]))
			}
		}
		got := make([]float64, n)
		for k, c := range optimize.TwoLoops(dots) {
			for i, v := range all[k] {
				got[i] += c * v
			}
		}
		want, along := make([]float64, n), make([]float64, pairs)
		for i, v := range g {
			want[i] = -v
		}
		add := func(c float64, v []float64) {
			for i := range want {
				want[i] += c * v[i]
			}
		}
		for k := pairs - 1; k >= 0; k-- {
			s, y := all[2*k], all[2*k+1]
			along[k] = dot(s, want) / dot(s, y)
			add(-along[k], y)
		}
		if pairs > 0 {
			s, y := all[2*pairs-2], all[2*pairs-1]
			add(dot(s, y)/dot(y, y)-1, want)
		}
		for k := range pairs {
			s, y := all[2*k], all[2*k+1]
			add(along[k]-dot(y, want)/dot(s, y), s)
		}
		for i := range want {
			if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
				t.Fatalf("%d pairs, entry %d: %v, want %v", pairs, i, got[i], want[i])
			}
		}
	}
}
