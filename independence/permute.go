package independence

import (
	"math"
	"math/rand/v2"
	"slices"
)

const permutations = 200

// PermutedRows is the number of rows above which the χ² approximation of G² is used instead of Permuted.
const PermutedRows = 50_000

// Permuted returns the p-value of G² of x and y given a condition, by permutations of x within the strata of the condition. In sparse
// tables G² is far from its limiting law, and many true independences would look refuted. Time is O(n) per permutation, of which
// there are 200, and 2000 near the usual levels.
func Permuted(x, y []uint32, given [][]uint32, seed uint64) float64 {
	order, starts := strata(given, len(x))
	xs, ys := make([]uint32, len(x)), make([]uint32, len(y))
	for k, i := range order {
		xs[k], ys[k] = x[i], y[i]
	}
	width := int(slices.Max(ys)) + 1
	cells := make([]int, (int(slices.Max(xs))+1)*width)
	entropy := func() float64 { // half of G² without the terms that permutations leave as they are
		sum := 0.0
		for s, lo := range starts {
			hi := len(xs)
			if s+1 < len(starts) {
				hi = starts[s+1]
			}
			for k := lo; k < hi; k++ {
				cells[int(xs[k])*width+int(ys[k])]++
			}
			for k := lo; k < hi; k++ {
				c := &cells[int(xs[k])*width+int(ys[k])]
				if *c > 1 {
					sum += float64(*c) * math.Log(float64(*c))
				}
				*c = 0
			}
		}
		return sum
	}
	own := entropy()
	rng := rand.New(rand.NewPCG(seed, 0x7065726d))
	var drawn []float64
	draw := func(times int) {
		for range times {
			for s, lo := range starts {
				hi := len(xs)
				if s+1 < len(starts) {
					hi = starts[s+1]
				}
				part := xs[lo:hi]
				rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			}
			drawn = append(drawn, entropy())
		}
	}
	draw(permutations)
	p := tail(drawn, own)
	if p > 1e-5 && p < 0.05 && len(x) <= PermutedRows/10 { // near the level: more of them
		draw(9 * permutations)
		p = tail(drawn, own)
	}
	return p
}

// tail returns the probability of at least own under the law that drawn values come from: their share where it is frequent, else
// that of the gamma law with their mean, variance and skewness (Pearson's type III).
func tail(drawn []float64, own float64) float64 {
	n := float64(len(drawn))
	mean, second, third, larger := 0.0, 0.0, 0.0, 0
	for _, e := range drawn {
		mean += e / n
		if e >= own {
			larger++
		}
	}
	if larger > 10 {
		return float64(larger+1) / (n + 1)
	}
	for _, e := range drawn {
		second += (e - mean) * (e - mean) / n
		third += (e - mean) * (e - mean) * (e - mean) / n
	}
	if second == 0 {
		return 1
	}
	// With skewness γ, (value - mean)/sd·√(2·df) + df is χ² with df = 8/γ² degrees of freedom.
	skew := max(third/math.Pow(second, 1.5), 0.05)
	df := 8 / (skew * skew)
	return ChiSquared((own-mean)/math.Sqrt(second)*math.Sqrt(2*df)+df, df)
}

// strata returns the rows sorted by the values of the condition, and where each stratum starts.
func strata(given [][]uint32, n int) (order []int, starts []int) {
	order = make([]int, n)
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int {
		for _, g := range given {
			if g[a] != g[b] {
				return int(g[a]) - int(g[b])
			}
		}
		return 0
	}
	slices.SortStableFunc(order, compare)
	for k := range order {
		if k == 0 || compare(order[k-1], order[k]) != 0 {
			starts = append(starts, k)
		}
	}
	return order, starts
}
