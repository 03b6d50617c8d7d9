package trust

import (
	"math"
	"math/bits"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Varsortability returns the share of directed paths along which the variance increases (Reisach, Seiler and Weichwald 2021,
// "Beware of the simulated DAG!"). A pair of ends counts once for each path length, and equal variances count one half. 1 means
// that sorting by variance gives the causal order, and 0.5 that it gives no information. ok is false for a graph without edges.
//
// The cost is O(edges·d/64) for each path length, of which there are at most d - 1.
func Varsortability(g *graph.Graph, variance []float64) (share float64, ok bool) {
	return sortability(g, variance)
}

// R2Sortability is Varsortability with the share of each column's variance that all others explain instead of the variance (Reisach
// et al. 2023, "A scale-invariant sorting criterion to find a causal order in additive noise models"). It does not depend on units.
// r is the correlation matrix of the columns.
func R2Sortability(g *graph.Graph, r *matrix.Dense[float64]) (share float64, ok bool) {
	return sortability(g, R2FromOthers(r))
}

// R2FromOthers returns, for each column of a correlation matrix, the share of its variance that all other columns explain, 1 -
// 1/(R⁻¹)_jj, or 1 if columns are collinear. The cost is 2⅓·d³ flops.
func R2FromOthers(r *matrix.Dense[float64]) []float64 {
	if r.Rows == 0 {
		return nil
	}
	if r.Stride != r.Cols {
		r = r.Clone()
	}
	return newSpanning(r).r2()
}

// sortability returns the share of the paths of g along which the figure increases. Two nodes count once per path length, as in the
// powers of a boolean adjacency matrix.
func sortability(g *graph.Graph, figure []float64) (share float64, ok bool) {
	const tie = 1e-9 // relative to the larger figure: smaller differences are rounding
	n := g.N()
	words := (n + 63) / 64
	step := make([][]uint64, n) // bit t of step[s]: a path of the present length from s to t
	for s := range n {
		step[s] = make([]uint64, words)
		for _, t := range g.Children(s) {
			step[s][t/64] |= 1 << (t % 64)
		}
	}
	paths, right := 0, 0.0
	for length := 1; length < n; length++ {
		any := false
		for s, row := range step {
			for w, word := range row {
				for ; word != 0; word &= word - 1 {
					t := 64*w + bits.TrailingZeros64(word)
					any = true
					paths++
					switch gap := figure[t] - figure[s]; {
					case math.Abs(gap) <= tie*max(math.Abs(figure[s]), math.Abs(figure[t])):
						right += 0.5
					case gap > 0:
						right++
					}
				}
			}
		}
		if !any {
			break
		}
		next := make([][]uint64, n)
		for s := range n {
			next[s] = make([]uint64, words)
			for _, c := range g.Children(s) {
				for w, word := range step[c] {
					next[s][w] |= word
				}
			}
		}
		step = next
	}
	if paths == 0 {
		return 0, false
	}
	return right / float64(paths), true
}
