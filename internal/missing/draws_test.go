package missing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// A missing level in a chain a → b → c has the probabilities P(b | a)·P(c | b), scaled to a sum of 1.
func TestDrawsOfALevel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	var rows []float64
	for range 2000 {
		a := random.IntN(2)
		b := (a + random.IntN(2) + random.IntN(2)) % 3
		c := (b + random.IntN(2)) % 3
		rows = append(rows, float64(a), float64(b), float64(c))
	}
	g := must.Get(FitNetwork(t.Context(), rows, 3, NetworkSettings{Threads: 1, Discrete: []bool{true, true, true}, Parents: [][]int{nil, {0}, {1}}}))
	count := func(match func(a, b, c float64) bool) (n float64) {
		for at := 0; at < len(rows); at += 3 {
			if match(rows[at], rows[at+1], rows[at+2]) {
				n++
			}
		}
		return n
	}
	f := g.Filler()
	for _, known := range [][2]float64{{0, 1}, {1, 2}, {1, 0}} {
		var want [3]float64
		sum := 0.0
		for b := range want {
			level := float64(b)
			own := count(func(a, v, _ float64) bool { return a == known[0] && v == level }) / count(func(a, _, _ float64) bool { return a == known[0] })
			child := count(func(_, v, c float64) bool { return v == level && c == known[1] }) / count(func(_, v, _ float64) bool { return v == level })
			want[b] = own * child
			sum += want[b]
		}
		const n = 8000
		var got [3]float64
		for range n {
			row := []float64{known[0], math.NaN(), known[1]}
			f.Fill(row, random)
			got[int(row[1])] += 1.0 / n
		}
		for b := range want {
			near(t, "share of a level", got[b], want[b]/sum, 0.02)
		}
	}
}

// With x and the noise of y = x + noise standard normal, x given y = 1 has mean ½ and variance ½. A normal regression of a categorical
// child has the same draws as its probabilities ask for.
func TestDrawsOfANumber(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 2))
	var rows []float64
	for range 8000 {
		x := random.NormFloat64()
		rows = append(rows, x+random.NormFloat64(), x)
	}
	g := must.Get(FitNetwork(t.Context(), rows, 2, NetworkSettings{Threads: 1, Discrete: []bool{false, false}, Parents: [][]int{{1}, nil}}))
	f := g.Filler()
	const n = 8000
	for _, y := range []float64{1, -2} {
		mean, square := 0.0, 0.0
		for range n {
			row := []float64{y, math.NaN()}
			f.Fill(row, random)
			mean += row[1] / n
			square += row[1] * row[1] / n
		}
		near(t, "mean", mean, y/2, 0.07)
		near(t, "variance", square-mean*mean, 0.5, 0.05)
	}
	mean, square := 0.0, 0.0
	for range n {
		row := []float64{math.NaN(), 1}
		f.Fill(row, random)
		mean += row[0] / n
		square += row[0] * row[0] / n
	}
	near(t, "mean of a child", mean, 1, 0.08)
	near(t, "variance of a child", square-mean*mean, 1, 0.06)
}

// The weight of a candidate is f/(f + g), with the normal densities f and g.
func TestWeightsOfCandidates(t *testing.T) {
	density := func(x, mean, sigma float64) float64 {
		z := (x - mean) / sigma
		return math.Exp(-z*z/2) / sigma
	}
	s := &gibbs{x: []float64{-1, 0, 0.5, 3}}
	w := make([]float64, 4)
	s.weigh(w, 1, 2, -0.5, 0.7)
	for k, x := range s.x {
		f, g := density(x, 1, 2), density(x, -0.5, 0.7)
		near(t, "weight", math.Exp(w[k]), f/(f+g), 1e-12)
	}
	s.x = []float64{100}
	s.weigh(w[:1], 0, 1, 100, 1) // far from the first mean
	near(t, "logarithm of a small weight", w[0], -5000, 1e-9)
	got := exponents([]float64{math.Log(1) + 800, math.Log(3) + 800})
	near(t, "weight", got[0], 1./3, 1e-12)
	p := []float64{0.6, 0.001, 0.4}
	share(p) // the smallest probability counts as 0.005
	near(t, "share of a rare level", p[1], 0.005/1.005, 1e-12)
	near(t, "logarithm of a density", logKernel(3, 1, 2), -0.5, 1e-12)
}
