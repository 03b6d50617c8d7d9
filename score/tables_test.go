package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// randomDAG draws a graph with the given number of edges, all equally likely along a random order.
func randomDAG(rng *rand.Rand, d, edges int) (order []int, parents [][]int) {
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

// process draws a function from a Gaussian process with kernel exp(-|x-x'|²/2), by 300 random Fourier
// features (Rahimi and Recht 2007).
func process(rng *rand.Rand, inputs int) func(x []float64) float64 {
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

// curvedTable draws a graph and n standardized rows. Additive: each variable is a sum of Gaussian-process
// functions of one parent each. Joint: one function of all parents, and roots of variance U(1, 2). The noise
// has variance U(0.4, 0.8).
func curvedTable(seed uint64, d, edges, n int, joint bool) (*graph.Graph, *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 1))
	order, parents := randomDAG(rng, d, edges)
	x := matrix.New[float64](n, d)
	for _, v := range order {
		variance := 0.4 + 0.4*rng.Float64()
		if joint && len(parents[v]) == 0 {
			variance = 1 + rng.Float64()
		}
		for i := range n {
			x.Set(i, v, math.Sqrt(variance)*rng.NormFloat64())
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
			f, in := process(rng, len(set)), make([]float64, len(set))
			for i := range n {
				for k, p := range set {
					in[k] = x.At(i, p)
				}
				x.Set(i, v, x.At(i, v)+f(in))
			}
		}
	}
	standardize(x)
	return graph.FromParents(parents), x
}

// linearTable draws a graph and n standardized rows of linear effects ±[lo, hi] and Gaussian noise.
func linearTable(seed uint64, d, edges, n int, lo, hi float64) (*graph.Graph, *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 2))
	order, parents := randomDAG(rng, d, edges)
	x := matrix.New[float64](n, d)
	for _, v := range order {
		for i := range n {
			x.Set(i, v, rng.NormFloat64())
		}
		for _, p := range parents[v] {
			w := signed(rng, lo, hi)
			for i := range n {
				x.Set(i, v, x.At(i, v)+w*x.At(i, p))
			}
		}
	}
	standardize(x)
	return graph.FromParents(parents), x
}

// mixedTable draws a graph and n rows of which half of the columns are categorical, with 2 to 5 levels drawn
// by a multinomial logit, and half are numbers with an effect of each level and standard normal noise. Numbers
// act in units of their standard deviation.
func mixedTable(seed uint64, d, edges, n int) (*graph.Graph, []bool, *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 5))
	order, parents := randomDAG(rng, d, edges)
	x, levels, categorical := matrix.New[float64](n, d), make([]int, d), make([]bool, d)
	for _, v := range rng.Perm(d)[:d/2] {
		levels[v], categorical[v] = 2+rng.IntN(4), true
	}
	for _, v := range order {
		outs := max(1, levels[v])
		sum := make([]float64, n*outs)
		for _, p := range parents[v] {
			mean, sd := location(x, p)
			effects := make([]float64, max(1, levels[p])*outs)
			for i := range effects {
				switch {
				case categorical[p] && categorical[v]:
					effects[i] = rng.NormFloat64()
				case categorical[p]:
					effects[i] = signed(rng, 0.5, 2)
				default:
					effects[i] = signed(rng, 0.5, 1.5)
				}
			}
			for i := range n {
				level, size := 0, (x.At(i, p)-mean)/sd
				if categorical[p] {
					level, size = int(x.At(i, p)), 1
				}
				for o := range outs {
					sum[i*outs+o] += size * effects[level*outs+o]
				}
			}
		}
		for i := range n {
			if !categorical[v] {
				x.Set(i, v, sum[i]+rng.NormFloat64())
				continue
			}
			best := math.Inf(-1)
			for o := range outs { // the largest of utilities with Gumbel noise is a multinomial logit
				if u := sum[i*outs+o] - math.Log(-math.Log(rng.Float64())); u > best {
					best = u
					x.Set(i, v, float64(o))
				}
			}
		}
	}
	return graph.FromParents(parents), categorical, x
}

func signed(rng *rand.Rand, lo, hi float64) float64 {
	w := lo + (hi-lo)*rng.Float64()
	if rng.IntN(2) == 0 {
		return -w
	}
	return w
}

func location(x *matrix.Dense[float64], j int) (mean, sd float64) {
	n := float64(x.Rows)
	for i := range x.Rows {
		mean += x.At(i, j) / n
	}
	for i := range x.Rows {
		sd += (x.At(i, j) - mean) * (x.At(i, j) - mean) / n
	}
	return mean, math.Sqrt(sd)
}

func standardize(x *matrix.Dense[float64]) {
	for j := range x.Cols {
		mean, sd := location(x, j)
		for i := range x.Rows {
			x.Set(i, j, (x.At(i, j)-mean)/sd)
		}
	}
}

func names(d int) []string {
	out := make([]string, d)
	for j := range out {
		out[j] = fmt.Sprintf("x%d", j)
	}
	return out
}

func blocks(t testing.TB, x *matrix.Dense[float64], categorical []bool, s basis.Settings) *score.Blocks {
	t.Helper()
	b, err := basis.FromRows(names(x.Cols), categorical, x, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
