package score

import "math"

// A Weight belongs to a function of the blocks, or to a product of functions: w times the function, in the unit of the
// response for a unit of the function.
type Weight struct {
	Function int
	W        float64
}

// Weights returns the weights of v's parents, ascending, at their most probable values under the prior that Score chooses: with
// Φ the functions that the prior has and R its diagonal they are
//
//	w = (ΦᵀΦ/n + R)⁻¹ Φᵀy/n,
//
// least squares with the weights drawn towards zero. They are those of the functions as the blocks have them, in units of the
// table. It costs what Score does.
func (s *Smooth) Weights(b *Blocks, v int, parents []int) []Weight {
	f := &smoothFit{Smooth: s}
	best, chosen := math.Inf(1), -1
	for i := range f.priors {
		if f.skips(&f.priors[i], len(parents)) {
			continue
		}
		if value := f.value(f.factor(&f.priors[i], v, parents)) + f.charge(&f.priors[i], parents); value < best {
			best, chosen = value, i
		}
	}
	if chosen < 0 {
		return nil
	}
	f.factor(&f.priors[chosen], v, parents)
	f.l.Back(f.z)
	// The score has every variable in units of its standard deviation.
	unit := func(v int) float64 { return math.Sqrt(b.Gram.At(s.start[v], s.start[v])) }
	own := map[int]float64{}
	for _, p := range parents {
		own[s.start[p]] = unit(p)
	}
	out := make([]Weight, len(f.columns))
	for i, c := range f.columns {
		out[i] = Weight{Function: c, W: f.z[i] * unit(v)}
		if u, is := own[c]; is && u > 0 {
			out[i].W /= u
		}
	}
	return out
}

// Pair returns where the products of a and b, a < b, begin in the blocks: the first crossed function of a with all of b, then the
// second of a, and so on.
func (s *Smooth) Pair(a, b int) int { return s.pair(a, b) }
