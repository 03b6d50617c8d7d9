package confidence_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// violations are kinds of tables that break an assumption of the models.
var violations = []string{
	"heavy tails (t, 3 degrees)", "noise variance depends on a parent", "hidden confounders", "measurement error", "rounded to halves",
	"rows selected by two columns", "dependent rows", "log-normal", "counts", "binary, additive logistic", "ordinal",
}

// violatedTable draws a table of 20 columns of one of the violations. The graph has an expected degree of 4 and effects of 0.25 to 0.9 per
// standard deviation.
func violatedTable(kind string, n int, seed uint64) (*graph.Graph, *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 41))
	d, hidden, rows := 20, 0, n
	switch kind {
	case "hidden confounders":
		hidden = 5
	case "rows selected by two columns":
		rows = 4 * n
	}
	all := d + hidden
	perm := rng.Perm(all)
	weight := matrix.New[float64](all, all)
	for i, v := range perm {
		for _, p := range perm[:i] {
			if rng.Float64() < 4/float64(all-1) {
				weight.Set(p, v, (0.25+0.65*rng.Float64())*float64(1-2*rng.IntN(2)))
			}
		}
	}
	x := make([][]float64, all)
	for _, v := range perm {
		x[v] = violatedColumn(kind, v, rows, x, weight, rng)
	}
	keep := make([]int, rows)
	for i := range keep {
		keep[i] = i
	}
	if rows > n {
		a, b := x[perm[all-1]], x[perm[all-2]]
		by := make([]float64, rows)
		for i := range by {
			by[i] = a[i] + b[i] + 0.5*rng.NormFloat64()
		}
		slices.SortFunc(keep, func(i, j int) int {
			if by[i] > by[j] {
				return -1
			}
			return 1
		})
		keep = keep[:n]
		slices.Sort(keep)
	}
	var seen []int // without the first columns of the order, which are hidden
	for v := range all {
		if !slices.Contains(perm[:hidden], v) {
			seen = append(seen, v)
		}
	}
	truth, out := graph.New(len(seen)), matrix.New[float64](n, len(seen))
	for a, v := range seen {
		for b, w := range seen {
			if weight.At(v, w) != 0 {
				truth.AddEdge(a, b)
			}
		}
		for i, k := range keep {
			y := x[v][k]
			switch kind {
			case "log-normal":
				y = math.Exp(y)
			case "measurement error":
				y += 0.5 * rng.NormFloat64()
			case "rounded to halves":
				y = math.Round(2*y) / 2
			}
			out.Set(i, a, y)
		}
	}
	return truth, out
}

// violatedColumn draws the values of one column from its parents.
func violatedColumn(kind string, v, rows int, x [][]float64, weight *matrix.Dense[float64], rng *rand.Rand) []float64 {
	out, noise, first := make([]float64, rows), 0.0, -1
	var parents []int
	for p := range x {
		if weight.At(p, v) != 0 {
			parents = append(parents, p)
		}
	}
	if len(parents) > 0 {
		first = parents[0]
	}
	standardize := true
	for i := range out {
		mean := 0.0
		for _, p := range parents {
			mean += weight.At(p, v) * x[p][i]
		}
		e := rng.NormFloat64()
		switch kind {
		case "heavy tails (t, 3 degrees)":
			s := 0.0
			for range 3 {
				g := rng.NormFloat64()
				s += g * g
			}
			e *= math.Sqrt(3/s) / math.Sqrt(3)
		case "noise variance depends on a parent":
			if first >= 0 {
				e *= math.Exp(0.5 * math.Tanh(x[first][i]))
			}
		case "dependent rows":
			noise = 0.8*noise + 0.6*e
			e = noise
		}
		out[i] = mean + e
		switch kind {
		case "counts":
			out[i], standardize = poisson(math.Exp(min(2, max(-3, 0.5*mean))), rng), false
		case "binary, additive logistic":
			out[i], standardize = 0, false
			if rng.Float64() < 1/(1+math.Exp(-2*mean)) {
				out[i] = 1
			}
		case "ordinal":
			y := 0.0
			for _, cut := range []float64{-1, 0, 1} {
				if mean+e > cut {
					y++
				}
			}
			out[i], standardize = y, false
		}
	}
	if standardize {
		var sum, square float64
		for _, y := range out {
			sum, square = sum+y, square+y*y
		}
		n := float64(rows)
		mean := sum / n
		sd := math.Sqrt(square/n - mean*mean)
		for i := range out {
			out[i] = (out[i] - mean) / sd
		}
	}
	return out
}

// poisson draws from the Poisson distribution by products of uniforms.
func poisson(mean float64, rng *rand.Rand) float64 {
	k, p, stop := 0.0, rng.Float64(), math.Exp(-mean)
	for p > stop {
		k++
		p *= rng.Float64()
	}
	return k
}
