package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

func normal(rng *rand.Rand, d int, scale float64) *matrix.Dense[float64] {
	m := matrix.New[float64](d, d)
	for i := range m.Data {
		m.Data[i] = scale * rng.NormFloat64()
	}
	return m
}

// permutations calls use with every permutation of d numbers.
func permutations(d int, use func([]int)) {
	var grow func(p []int)
	grow = func(p []int) {
		if len(p) == d {
			use(p)
			return
		}
		for v := range d {
			if !slices.Contains(p, v) {
				grow(append(slices.Clone(p), v))
			}
		}
	}
	grow(nil)
}

// TestSinkhorn checks sums of 1, and the gradient of ⟨C, S⟩ against differences.
func TestSinkhorn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const d = 4
	m, c, s := normal(rng, d, 2), normal(rng, d, 1), NewSinkhorn(d, 60)
	value := func() (sum float64) {
		s.Scale(m)
		for i, v := range s.S.Data {
			sum += c.Data[i] * v
		}
		return sum
	}
	value()
	for i := range d {
		row, column := 0.0, 0.0
		for j := range d {
			row, column = row+s.S.At(i, j), column+s.S.At(j, i)
		}
		if !(math.Abs(row-1) <= 1e-6) || !(math.Abs(column-1) <= 1e-12) {
			t.Errorf("line %d: sums %v and %v, want 1", i, row, column)
		}
	}
	for _, iterations := range []int{1, 5, 60} {
		s = NewSinkhorn(d, iterations)
		value()
		g := c.Clone()
		s.Pull(g)
		for i, v := range m.Data {
			m.Data[i] = v + 1e-6
			up := value()
			m.Data[i] = v - 1e-6
			down := value()
			m.Data[i] = v
			if want := (up - down) / 2e-6; !(math.Abs(g.Data[i]-want) <= 1e-7) {
				t.Errorf("%d iterations, entry %d: %v, want %v", iterations, i, g.Data[i], want)
			}
		}
	}
	m.Data[0] = 5000
	s.Scale(m)
	for _, v := range s.S.Data {
		if v-v != 0 {
			t.Fatal("a large entry gives", s.S.Data)
		}
	}
}

// TestBethe compares with all permutations: the approximation is a lower bound within a factor of √2ᵈ (Gurvits 2011), its gradient is
// γ up to the error of the iteration, and γ has the right sums.
func TestBethe(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const d = 5
	for range 20 {
		x, gamma := normal(rng, d, 2), matrix.New[float64](d, d)
		permanent := 0.0
		permutations(d, func(p []int) {
			sum := 0.0
			for i, j := range p {
				sum += x.At(i, j)
			}
			permanent += math.Exp(sum)
		})
		got, want := Bethe(gamma, x), math.Log(permanent)
		if got > want+1e-3 || got < want-d*math.Log(2)/2 {
			t.Errorf("log permanent %v, exact %v", got, want)
		}
		for i := range d {
			row, column := 0.0, 0.0
			for j := range d {
				row, column = row+gamma.At(i, j), column+gamma.At(j, i)
			}
			if !(math.Abs(row-1) <= 0.05) || !(math.Abs(column-1) <= 0.05) {
				t.Errorf("line %d: sums %v and %v, want 1", i, row, column)
			}
		}
		other := matrix.New[float64](d, d)
		for i, v := range x.Data {
			x.Data[i] = v + 1e-3
			up := Bethe(other, x)
			x.Data[i] = v - 1e-3
			down := Bethe(other, x)
			x.Data[i] = v
			if slope := (up - down) / 2e-3; !(math.Abs(gamma.Data[i]-slope) <= 0.2) {
				t.Errorf("entry %d: %v, difference %v", i, gamma.Data[i], slope)
			}
		}
	}
}

// TestNoise checks means and variances: Euler's constant and π²/6, and 0 and π²/3.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i, draw := range []func(*rand.Rand) float64{Gumbel, Logistic} {
		const n = 200000
		mean, square := 0.0, 0.0
		for range n {
			v := draw(rng)
			mean, square = mean+v/n, square+v*v/n
		}
		wantMean, wantVariance := []float64{0.5772, 0}[i], []float64{math.Pi * math.Pi / 6, math.Pi * math.Pi / 3}[i]
		if !(math.Abs(mean-wantMean) <= 0.02) || !(math.Abs(square-mean*mean-wantVariance) <= 0.05) {
			t.Errorf("distribution %d: mean %v and variance %v, want %v and %v", i, mean, square-mean*mean, wantMean, wantVariance)
		}
	}
}
