package learntest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
)

// edgesAlong draws a graph with the given number of edges, all equally likely along a random order.
func edgesAlong(rng *rand.Rand, d, edges int) (order []int, parents [][]int) {
	order, parents = rng.Perm(d), make([][]int, d)
	for _, k := range rng.Perm(d * (d - 1) / 2)[:edges] {
		b := 1
		for ; k >= b; b++ {
			k -= b
		}
		parents[order[b]] = append(parents[order[b]], order[k])
	}
	return order, parents
}

// gaussianProcess draws a function from a Gaussian process with kernel exp(-|x-x'|²/2), by 300 random Fourier features (Rahimi and
// Recht 2007).
func gaussianProcess(rng *rand.Rand, inputs int) func(x []float64) float64 {
	const m = 300
	w, phase, a := make([]float64, m*inputs), make([]float64, m), make([]float64, m)
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	for i := range m {
		phase[i], a[i] = 2*math.Pi*rng.Float64(), rng.NormFloat64()*math.Sqrt(2.0/m)
	}
	return func(x []float64) float64 {
		sum := 0.0
		for i := range m {
			t := phase[i]
			for k, v := range x {
				t += w[i*inputs+k] * v
			}
			sum += a[i] * math.Cos(t)
		}
		return sum
	}
}

// curves draws a graph and n standardized rows. Additive: each column is a sum of Gaussian-process functions of one parent
// each. Joint: one function of all parents, and roots of variance U(1, 2). The noise has variance U(0.4, 0.8).
func curves(rng *rand.Rand, d, edges, n int, joint bool) (*sheet, *graph.Graph) {
	order, parents := edgesAlong(rng, d, edges)
	x := make([][]float64, d)
	for _, v := range order {
		variance := 0.4 + 0.4*rng.Float64()
		if joint && len(parents[v]) == 0 {
			variance = 1 + rng.Float64()
		}
		x[v] = make([]float64, n)
		for i := range x[v] {
			x[v][i] = math.Sqrt(variance) * rng.NormFloat64()
		}
		sets := [][]int{parents[v]}
		if !joint {
			sets = nil
			for _, p := range parents[v] {
				sets = append(sets, []int{p})
			}
		}
		for _, set := range sets {
			if len(set) == 0 {
				continue
			}
			f, in := gaussianProcess(rng, len(set)), make([]float64, len(set))
			for i := range n {
				for k, p := range set {
					in[k] = x[p][i]
				}
				x[v][i] += f(in)
			}
		}
	}
	return standardizedSheet(x), graph.FromParents(parents)
}

// lines draws a graph and n standardized rows of linear effects ±[0.5, 1.5] and noise of variance 1 up to a factor.
func lines(rng *rand.Rand, d, edges, n int, noise string) (*sheet, *graph.Graph) {
	order, parents := edgesAlong(rng, d, edges)
	draw := map[string]func() float64{
		"gaussian":    rng.NormFloat64,
		"uniform":     rng.Float64,
		"laplace":     func() float64 { return rng.ExpFloat64() - rng.ExpFloat64() },
		"exponential": rng.ExpFloat64,
	}[noise]
	x := make([][]float64, d)
	for _, v := range order {
		x[v] = make([]float64, n)
		for i := range x[v] {
			x[v][i] = draw()
		}
		for _, p := range parents[v] {
			w := (0.5 + rng.Float64()) * float64(1-2*rng.IntN(2))
			for i := range n {
				x[v][i] += w * x[p][i]
			}
		}
	}
	return standardizedSheet(x), graph.FromParents(parents)
}

// standardizedSheet writes columns of numbers with mean 0 and variance 1.
func standardizedSheet(x [][]float64) *sheet {
	s := &sheet{}
	for v, column := range x {
		n := float64(len(column))
		mean, square := 0.0, 0.0
		for _, z := range column {
			mean += z / n
		}
		for _, z := range column {
			square += (z - mean) * (z - mean) / n
		}
		s.add(fmt.Sprintf("v%03d", v), len(column), func(i int) string { return fmt.Sprintf("%.6f", (column[i]-mean)/math.Sqrt(square)) })
	}
	return s
}
