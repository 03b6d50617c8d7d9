package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// sample is a random linear model with data from it.
type sample struct {
	parents [][]int
	r       *matrix.Dense[float64]
	scale   []float64
	n       int
}

func (s sample) problem() Problem { return Problem{R: s.r, N: s.n, Scale: s.scale} }

// randomSample draws a graph with the given expected number of edges over a random order,
// weights uniform on ±[0.5, 2]·strength, noise N(0, 1), and n observations.
func randomSample(d, edges, n int, strength float64, seed uint64) sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	order := rng.Perm(d)
	x := make([][]float64, d)
	s := sample{parents: make([][]int, d), n: n}
	p := float64(edges) / (float64(d) * float64(d-1) / 2)
	for j, v := range order {
		x[v] = make([]float64, n)
		for t := range x[v] {
			x[v][t] = rng.NormFloat64()
		}
		for _, u := range order[:j] {
			if rng.Float64() >= p {
				continue
			}
			weight := strength * (0.5 + 1.5*rng.Float64())
			if rng.IntN(2) == 0 {
				weight = -weight
			}
			s.parents[v] = append(s.parents[v], u)
			for t, y := range x[u] {
				x[v][t] += weight * y
			}
		}
		slices.Sort(s.parents[v])
	}
	s.r, s.scale = correlate(x)
	return s
}

// correlate returns the correlation matrix and the standard deviations of variables given as
// rows, which it standardizes in place.
func correlate(x [][]float64) (*matrix.Dense[float64], []float64) {
	d := len(x)
	scale := make([]float64, d)
	for v, row := range x {
		mean, sum := 0.0, 0.0
		for _, y := range row {
			mean += y / float64(len(row))
		}
		for t := range row {
			row[t] -= mean
			sum += row[t] * row[t]
		}
		scale[v] = math.Sqrt(sum / float64(len(row)))
		for t := range row {
			row[t] /= math.Sqrt(sum)
		}
	}
	r := matrix.New[float64](d, d)
	for i := range d {
		r.Set(i, i, 1)
		for j := range i {
			sum := 0.0
			for t, y := range x[i] {
				sum += y * x[j][t]
			}
			r.Set(i, j, sum)
			r.Set(j, i, sum)
		}
	}
	return r, scale
}

// residualByRegression is a slow reference for the scores: it solves the normal equations by elimination with
// pivoting.
func residualByRegression(r *matrix.Dense[float64], v int, parents []int) float64 {
	k := len(parents)
	a := make([][]float64, k)
	for i, p := range parents {
		a[i] = make([]float64, k+1)
		for j, q := range parents {
			a[i][j] = r.At(p, q)
		}
		a[i][k] = r.At(p, v)
	}
	for c := range k {
		big := c
		for i := c + 1; i < k; i++ {
			if math.Abs(a[i][c]) > math.Abs(a[big][c]) {
				big = i
			}
		}
		a[c], a[big] = a[big], a[c]
		for i := range k {
			if i != c {
				f := a[i][c] / a[c][c]
				for j := c; j <= k; j++ {
					a[i][j] -= f * a[c][j]
				}
			}
		}
	}
	s := 1.0
	for i, p := range parents {
		s -= a[i][k] / a[i][i] * r.At(p, v)
	}
	return s
}

// f1 compares directed edges and adjacencies.
func f1(truth, got [][]int) (directed, skeleton float64) {
	var edges, found, same, adjacent int
	for v := range truth {
		edges += len(truth[v])
		found += len(got[v])
		for _, p := range got[v] {
			switch {
			case slices.Contains(truth[v], p):
				same++
				adjacent++
			case slices.Contains(truth[p], v):
				adjacent++
			}
		}
	}
	return 2 * float64(same) / float64(edges+found), 2 * float64(adjacent) / float64(edges+found)
}
