package continuous

import (
	"context"
	"math"
)

// With equal variances the objective is
//
//	n·d·ln σ² + price·edges,   σ² = (1/d)·Σ_v scale_v²·s_v,
//
// which is no sum over the columns. The logarithm is concave, so that its tangent at the σ² of the present graph lies above it, and
// the tangent is one: fits has it. Swaps under the tangent lower the objective, and a tangent at the new σ² lowers it again.

// turns bounds the tangents; a handful is usual.
const turns = 30

// noise returns σ², in the units of the squared standard deviations.
func (s *swaps) noise() float64 {
	sum := 0.0
	for v, f := range s.now {
		sum += s.scale[v] * s.scale[v] * f.left
	}
	return sum / float64(len(s.scale))
}

// objective is what settle lowers.
func (s *swaps) objective() float64 {
	if s.scale == nil {
		return s.total()
	}
	return s.n*float64(len(s.scale))*math.Log(s.noise()) + s.price*float64(s.edges())
}

// assumeEqual goes over to equal variances. The number of parents is bounded by a multiple of what the present order asks for: a
// column that stands before its parents would take hundreds in their place.
func (s *swaps) assumeEqual(scale []float64) {
	s.scale, s.scale2 = scale, make([]float64, len(scale))
	most := 0
	for _, f := range s.now {
		most = max(most, len(f.parents))
	}
	s.most = min(s.most, max(12, 2*most+8))
	s.tangent()
}

// settle descends. Under equal variances it makes swaps under the tangent, takes the tangent anew, and so on while the objective
// falls. It reports false where the context ended first.
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

// tangent puts the noise variance of the present graph in force.
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
