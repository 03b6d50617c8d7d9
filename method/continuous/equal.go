package continuous

import (
	"context"
	"math"
)

// With equal variances the objective is
//
//	n·d·ln σ² + price·edges,   σ² = (1/d)·Σ_v scale_v²·s_v,
//
// which is not a sum over columns. The logarithm is concave, so its tangent at the present σ² is an upper
// bound, and the tangent is such a sum; fits computes it. Swaps under the tangent lower the objective, and a
// new tangent at the new σ² lowers it again.

// turns limits the number of tangents; a handful is usual.
const turns = 30

// noise returns σ², in the units of the squared standard deviations.
func (s *swaps) noise() float64 {
	sum := 0.0
	for v, f := range s.now {
		sum += s.scale[v] * s.scale[v] * f.left
	}
	return sum / float64(len(s.scale))
}

// objective returns the function that settle minimizes.
func (s *swaps) objective() float64 {
	if s.scale == nil {
		return s.total()
	}
	return s.n*float64(len(s.scale))*math.Log(s.noise()) + s.price*float64(s.edges())
}

// assumeEqual switches to equal variances. It limits the number of parents to a multiple of the largest in the
// present graph. Otherwise a column that precedes its parents would take hundreds in their place.
func (s *swaps) assumeEqual(scale []float64) {
	s.scale, s.scale2 = scale, make([]float64, len(scale))
	most := 0
	for _, f := range s.now {
		most = max(most, len(f.parents))
	}
	s.most = min(s.most, max(12, 2*most+8))
	s.tangent()
}

// settle descends. Under equal variances it repeats swaps under a tangent and a new tangent while the objective
// decreases. It returns false if the context ended first.
func (s *swaps) settle(ctx context.Context, between func()) bool {
	if s.scale == nil {
		return s.descend(ctx, between)
	}
	for range turns {
		before := s.objective()
		s.tangent()
		s.refit(ctx)
		if !s.descend(ctx, between) {
			return false
		}
		if s.objective() >= before-s.eps {
			break
		}
	}
	return true
}

// tangent sets the scales from the noise variance of the present graph.
func (s *swaps) tangent() {
	sigma2 := s.noise()
	for v, sd := range s.scale {
		s.scale2[v] = sd * sd / sigma2
	}
	s.forget()
	for v := range s.now {
		s.set(v, s.on(v, s.now[v].parents))
		s.queued[v] = true
	}
}
