package scores

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// Columns with slopes and variances per category are Gaussian within the cells of the categories, however skewed they are as a whole.
// Skewed noise, a curve within a cell, and a column beside categories that do not matter are not.
func TestGaussianWithinCategories(t *testing.T) {
	const n = 3000
	draw := func(noise func(rng *rand.Rand) float64, curve float64) *matrix.Dense[float64] {
		rng := rand.New(rand.NewPCG(7, 2))
		x := matrix.New[float64](n, 4) // two categories, a cause and its effect
		for i := range n {
			a, b := float64(rng.IntN(2)), float64(rng.IntN(3))
			cause := rng.NormFloat64()
			row := x.Row(i)
			row[0], row[1], row[2] = a, b, cause
			row[3] = 5*a*b + (1-2*a)*cause + curve*cause*cause + (0.5+b)*noise(rng)
		}
		return x
	}
	gaussian := func(rng *rand.Rand) float64 { return rng.NormFloat64() }
	levels := []bool{true, true, false, false}
	for _, c := range []struct {
		name  string
		x     *matrix.Dense[float64]
		given []bool
		want  bool
	}{
		{"a mixture", draw(gaussian, 0), levels, true},
		{"an exponential", draw(func(rng *rand.Rand) float64 { return rng.ExpFloat64() }, 0), levels, false},
		{"uniform noise", draw(func(rng *rand.Rand) float64 { return rng.Float64() }, 0), levels, false},
		{"a curve", draw(gaussian, 0.5), levels, false},
		{"no categories", draw(gaussian, 0), make([]bool, 4), false},
	} {
		if got := gaussianWithin(c.x, 3, c.given); got != c.want {
			t.Errorf("%s: Gaussian within categories: %v, want %v", c.name, got, c.want)
		}
	}
}

// The residual variance of a cell is that of least squares with a constant.
func TestFitWithinCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 40
	x := matrix.New[float64](n, 3)
	for i := range x.Data {
		x.Data[i] = 3 + rng.NormFloat64()
	}
	w := within{x: x, j: 2, on: []int{0, 1}}
	got := w.fit(make([]int, n))
	gram, right := make([][]float64, 3), make([]float64, 3)
	for a := range gram {
		gram[a] = make([]float64, 3)
	}
	at := func(i, a int) float64 {
		if a == 2 {
			return 1
		}
		return x.At(i, a)
	}
	for i := range n {
		for a := range 3 {
			right[a] += at(i, a) * x.At(i, 2)
			for b := range 3 {
				gram[a][b] += at(i, a) * at(i, b)
			}
		}
	}
	for a := range 3 { // Gauss-Jordan
		for b := range 3 {
			if f := gram[b][a] / gram[a][a]; a != b {
				for k := range 3 {
					gram[b][k] -= f * gram[a][k]
				}
				right[b] -= f * right[a]
			}
		}
	}
	rest := 0.0
	for i := range n {
		e := x.At(i, 2)
		for a := range 3 {
			e -= right[a] / gram[a][a] * at(i, a)
		}
		rest += e * e
	}
	must.Near(t, got, n*math.Log(rest/n)+4*math.Log(n), 1e-9, "the score of a cell")
}
