package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Concomitant is the score of CoLiDE: least squares with the noise scale estimated along with W. With M = I - W and r_j = [Mᵀ S
// M]_jj the residual variances,
//
//	equal scales   F(W) = min_{σ ≥ σ₀} Σ_j r_j/(2σ) + dσ/2,            σ̂ = max(σ₀, √(Σ_j r_j/d)),    ∇F = -S M/σ̂
//	a scale each   F(W) = Σ_j min_{σ_j ≥ σ₀_j} r_j/(2σ_j) + σ_j/2,     σ̂_j = max(σ₀_j, √r_j),        ∇F = -S M diag(1/σ̂)
//
// The authors alternate between W and σ; here σ is always at its minimizer, and the gradient is that of the minimum. If no floor is
// active, F is d√(Σ_j r_j/d), or Σ_j √r_j. The purpose is that the penalty weight need not follow the noise level. There is no
// log|det(I - W)|, so only the constraint prevents two columns from explaining each other. F has the units of the columns. Cost:
// one product. Domain: every W for which it does not overflow. Reference: Saboksayr, Mateos and Tepper, CoLiDE: concomitant linear
// DAG estimation, ICLR 2024.
type Concomitant[T matrix.Float] struct {
	s       *matrix.Dense[T]
	equal   bool
	threads int
	floor   []float64 // σ₀ of each column
	m, g    *matrix.Dense[T]
	r       []float64
	inv     []T // 1/σ̂
}

// concomitantFloor is σ₀ in standard deviations of the columns, as in the paper.
const concomitantFloor = 1e-2

// NewConcomitant copies s, the covariance matrix. equal selects CoLiDE-EV, otherwise it is CoLiDE-NV.
func NewConcomitant[T matrix.Float](s *matrix.Dense[float64], equal bool, threads int) *Concomitant[T] {
	if s.Rows != s.Cols {
		panic(fmt.Sprintf("score: covariance is %d×%d, want square", s.Rows, s.Cols))
	}
	d := s.Rows
	c := &Concomitant[T]{
		s: matrix.Convert[T](s), equal: equal, threads: threads,
		m: matrix.New[T](d, d), g: matrix.New[T](d, d), r: make([]float64, d), inv: make([]T, d), floor: make([]float64, d),
	}
	for j := range d {
		variance := s.At(j, j)
		if equal {
			variance = s.Trace() / float64(d)
		}
		c.floor[j] = concomitantFloor * math.Sqrt(variance)
	}
	return c
}

// Eval returns F(w); if grad is not nil it is overwritten with the gradient. It neither changes nor keeps w.
func (c *Concomitant[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := w.Rows
	for i := range d {
		vec.Scale(c.m.Row(i), -1, w.Row(i))
		c.m.Data[i*d+i] += 1
	}
	matrix.Mul(c.g, c.s, c.m, c.threads)
	clear(c.r)
	for i := range d {
		m, g := c.m.Row(i), c.g.Row(i)
		for j := range c.r {
			c.r[j] += float64(m[j]) * float64(g[j])
		}
	}
	if c.equal {
		mean := 0.0
		for _, r := range c.r {
			mean += r / float64(d)
		}
		for j := range c.r {
			c.r[j] = mean
		}
	}
	f := 0.0
	for j, r := range c.r {
		sigma := max(c.floor[j], math.Sqrt(max(r, 0)))
		if sigma == 0 { // a constant column without edges to it
			c.inv[j] = 0
			continue
		}
		f += (r/sigma + sigma) / 2
		c.inv[j] = T(1 / sigma)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return math.Inf(1), fmt.Errorf("least squares with a noise scale overflows; scale the data (standardize) or lower the learning rate")
	}
	if grad == nil {
		return f, nil
	}
	for i := range d {
		out, g := grad.Row(i), c.g.Row(i)
		for j, v := range c.inv {
			out[j] = -v * g[j]
		}
	}
	return f, nil
}
