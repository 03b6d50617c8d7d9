package trust

import (
	"math"
	"math/bits"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Varsortability says how well sorting the columns by variance gives a graph's order (Reisach, Seiler and Weichwald 2021,
// "Beware of the simulated DAG!"): among the directed paths, the share along which variance rises, where a pair of ends
// counts once for each length of path between them and equal variances count a half. 1 means that whoever sorts by
// variance has the order, 0.5 that it says nothing. ok is false for a graph without edges, which has no such share.
//
// Cost: O(edges·d/64) for each length of path, at most d - 1 of them.
func Varsortability(g *graph.Graph, variance []float64) (share float64, ok bool) {
	return sortability(g, variance)
}

// R2Sortability is the same with the share of each column's variance that all others explain (Reisach et al. 2023, "A
// scale-invariant sorting criterion to find a causal order in additive noise models"). It does not depend on units.
// r is the correlation matrix of the columns.
func R2Sortability(g *graph.Graph, r *matrix.Dense[float64]) (share float64, ok bool) {
	return sortability(g, R2FromOthers(r))
}

// R2FromOthers returns, for each column of a correlation matrix, the share of its variance that least squares on all other
// columns explains, 1 - 1/(R⁻¹)_jj, and 1 where columns are collinear. Cost: 2⅓·d³ flops.
func R2FromOthers(r *matrix.Dense[float64]) []float64 {
	if r.Rows == 0 {
		return nil
	}
	dense := r
	if r.Stride != r.Cols {
		dense = matrix.New[float64](r.Rows, r.Cols)
		for i := range r.Rows {
			copy(dense.Row(i), r.Row(i))
		}
	}
	return newBasis(dense).r2()
}

// sortability is the share of the paths of g along which the figure rises. A path of one length between two nodes
// counts once, as in the powers of a boolean adjacency matrix.
func sortability(g *graph.Graph, figure []float64) (share float64, ok bool) {
	const tie = 1e-9 // of the larger figure: what rounding tells apart is equal
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
