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
	chosen, _ := f.chosen(v, parents, anyPrior)
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
func (s *Smooth) Curved(v int, parents []int) bool { return s.CurveGain(v, parents) > 0 }

// CurveGain returns how much smaller the score of v with these parents, ascending, is with nonlinear functions than with linear effects, at
// least 0. Without the linear model it is 0.
func (s *Smooth) CurveGain(v int, parents []int) float64 {
	f := &smoothFit{Smooth: s}
	_, lines := f.chosen(v, parents, func(p *prior) bool { return p.size == 1 })
	_, all := f.chosen(v, parents, anyPrior)
	if math.IsInf(lines, 1) {
		return 0
	}
	return lines - all
}

// chosen returns the index of the prior with the smallest score among some of them, or -1, and the score less the prior on graphs.
func (f *smoothFit) chosen(v int, parents []int, among func(*prior) bool) (chosen int, best float64) {
	chosen, best = -1, math.Inf(1)
	for i := range f.priors {
		p := &f.priors[i]
		if !among(p) || f.skips(p, len(parents)) {
			continue
		}
		bias, _ := f.charge(p, parents)
		fit := f.latest.of(i, len(f.priors), v, parents)
		if !fit.known {
			fit.known = true
			fit.residual, fit.logdet = f.factor(p, v, parents)
		}
		if value := f.value(fit.residual, fit.logdet) + bias; value < best {
			chosen, best = i, value
		}
	}
	return chosen, best
}

func anyPrior(*prior) bool { return true }
