package continuous

import (
	"context"
	"math"
	"slices"
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
func (s *swaps) noise(scale []float64) float64 {
	sum := 0.0
	for v, f := range s.now {
		sum += scale[v] * scale[v] * f.left
	}
	return sum / float64(len(scale))
}

// equalObjective is what settle lowers.
func (s *swaps) equalObjective(scale []float64) float64 {
	edges := 0
	for _, f := range s.now {
		edges += len(f.parents)
	}
	return s.n*float64(len(scale))*math.Log(s.noise(scale)) + s.price*float64(edges)
}

// settle descends under equal variances: it makes swaps under the tangent, takes the tangent anew, and so on while the objective
// falls. It reports false where the context ended first.
func (s *swaps) settle(ctx context.Context, scale []float64, between func()) bool {
	for range turns {
		before := s.equalObjective(scale)
		s.tangent(scale)
		s.refit(ctx)
		if !s.descend(ctx, between) {
			return false
		}
		if s.equalObjective(scale) >= before-s.eps {
			break
		}
	}
	return true
}

// tangent puts the noise variance of the present graph in force. The number of parents is bounded by a multiple of what
// the present order asks for: a column that stands before its parents would take hundreds in their place.
func (s *swaps) tangent(scale []float64) {
	sigma2, most := s.noise(scale), 0
	if s.scale2 == nil {
		s.scale2 = make([]float64, len(scale))
		for _, f := range s.now {
			most = max(most, len(f.parents))
		}
		s.most = min(s.most, max(12, 2*most+8))
	}
	for v, sd := range scale {
		s.scale2[v] = sd * sd / sigma2
	}
	s.forget()
	for v := range s.now {
		s.set(v, s.on(v, slices.Clone(s.now[v].parents)))
		s.queued[v] = true
	}
}
