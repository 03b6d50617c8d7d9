package score

import "math"

// A Weight is the coefficient of a basis function or product, in units of the response per unit of the function.
type Weight struct {
	Function int
	W        float64
}

// Weights returns the posterior mode of the weights of v's parents, ascending, under the prior that Score chooses. With Φ the
// functions of the prior and R its diagonal,
//
//	w = (ΦᵀΦ/n + R)⁻¹ Φᵀy/n,
//
// which is ridge regression. They refer to the functions of the blocks, in units of the table. The cost is that of Score.
func (s *Smooth) Weights(b *Blocks, v int, parents []int) []Weight {
	f := &smoothFit{Smooth: s}
	chosen := f.chosen(v, parents)
	if chosen < 0 {
		return nil
	}
	f.factor(&f.priors[chosen], v, parents)
	f.l.Back(f.z)
	// The score standardizes every variable.
	unit := func(f int) float64 { return math.Sqrt(b.Gram.At(f, f)) }
	own := map[int]float64{}
	for _, p := range parents {
		own[s.start[p]] = unit(s.start[p])
		for f := s.start[p]; f < s.start[p]+s.used[p] && !s.bent[p]; f++ {
			own[f] = unit(f)
		}
	}
	out := make([]Weight, len(f.columns))
	for i, c := range f.columns {
		out[i] = Weight{Function: c, W: f.z[i] * unit(s.start[v])}
		if u, is := own[c]; is && u > 0 {
			out[i].W /= u
		}
	}
	return out
}

// Pair returns the index in the blocks of the first product of a and b, a < b: the first crossed function of a with all of b, then
// the second of a, and so on.
func (s *Smooth) Pair(a, b int) int { return s.pair(a, b) }

// Curved reports whether the score prefers nonlinear functions for v with these parents, ascending.
func (s *Smooth) Curved(v int, parents []int) bool {
	f := &smoothFit{Smooth: s}
	chosen := f.chosen(v, parents)
	return len(parents) > 0 && chosen >= 0 && f.priors[chosen].size > 1
}

// chosen returns the index of the prior with the smallest score, or -1.
func (f *smoothFit) chosen(v int, parents []int) int {
	best, chosen := math.Inf(1), -1
	for i := range f.priors {
		if f.skips(&f.priors[i], len(parents)) {
			continue
		}
		if value := f.value(f.factor(&f.priors[i], v, parents)) + f.charge(&f.priors[i], parents); value < best {
			best, chosen = value, i
		}
	}
	return chosen
}
