package mechanism

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/score"
)

// Difference is the outcome of a test whether a mechanism is the same in two sets of rows.
type Difference struct {
	P float64
	// Size is, for a number, the root mean square difference of the two expected values given the same parents, in standard
	// deviations of the column; for a category, the mean total variation distance of the two distributions, 0–1.
	Size float64
}

// Differ tests whether column v of g has the same mechanism in the rows a and b of all. A discrete model has G² with permutations within
// the configurations of the parents. The test of any other model does not rely on it: it allows curves, point masses, noise whose spread
// depends on the parents, and parents that are distributed differently (see alike).
func Differ(model score.Effects, g *graph.Graph, all *Rows, a, b []int, v int) (Difference, error) {
	before, after := all.Select(nil, a), all.Select(nil, b)
	f, err := Fit(model, g, before, v)
	if err != nil {
		return Difference{}, err
	}
	h, err := Fit(model, g, after, v)
	if err != nil {
		return Difference{}, err
	}
	out := Difference{Size: distance(g, all, v, f, h)}
	if model == score.TableEffects {
		out.P = permuted(g, all, a, b, v)
	} else {
		out.P = alike(g, before, after, v)
	}
	return out, nil
}

// distance returns Difference.Size of two mechanisms.
func distance(g *graph.Graph, all *Rows, v int, f, h Function) float64 {
	parents := make([]float64, len(g.Parents(v)))
	sum := 0.0
	for i := range all.N {
		p, q := f.At(all.Parents(g, v, i, parents)), h.At(parents)
		if all.Levels[v] == nil {
			sum += (p[0] - q[0]) * (p[0] - q[0])
			continue
		}
		for c := range p {
			sum += math.Abs(p[c]-q[c]) / 2
		}
	}
	sum /= float64(all.N)
	if all.Levels[v] != nil {
		return sum
	}
	mean, spread := 0.0, 0.0
	for _, x := range all.Columns[v] {
		mean += x / float64(all.N)
	}
	for _, x := range all.Columns[v] {
		spread += (x - mean) * (x - mean) / float64(all.N)
	}
	if spread == 0 {
		return 0
	}
	return math.Sqrt(sum / spread)
}

// Parents writes the values of the parents of v in row i.
func (d *Rows) Parents(g *graph.Graph, v, i int, dst []float64) []float64 {
	for j, p := range g.Parents(v) {
		dst[j] = d.Columns[p][i]
	}
	return dst
}

// permuted returns the p-value of G² of the table and column v, given the parents of v.
func permuted(g *graph.Graph, all *Rows, a, b []int, v int) float64 {
	codes := func(v int) []uint32 {
		own := all.codes(v)
		out := make([]uint32, 0, len(a)+len(b))
		for _, rows := range [][]int{a, b} {
			for _, i := range rows {
				out = append(out, uint32(own[i]))
			}
		}
		return out
	}
	table := make([]uint32, len(a)+len(b))
	for k := range b {
		table[len(a)+k] = 1
	}
	var given [][]uint32
	for _, p := range g.Parents(v) {
		given = append(given, codes(p))
	}
	return independence.Permuted(table, codes(v), given, uint64(len(table)))
}
