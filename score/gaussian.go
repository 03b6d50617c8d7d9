package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// ErrDomain is matched by the errors of a likelihood outside its domain: I - W singular, or a
// residual variance of zero.
var ErrDomain = errors.New("outside the domain of the likelihood")

// Gaussian is the negative log-likelihood per row of a linear Gaussian model, with the noise variances at their maximum likelihood
// values, up to a constant. With M = I - W and r_j = [Mᵀ S M]_jj the residual variances,
//
//	unequal variances   F(W) = ½ Σ_j log r_j - log|det M|,          ∇F = -S M diag(1/r) + M⁻ᵀ
//	equal variances     F(W) = d/2 log(Σ_j r_j / d) - log|det M|,   ∇F = -d S M / Σ_j r_j + M⁻ᵀ
//
// The first does not depend on units: rescaling a column shifts F by a constant and scales W with it. The second assumes that the
// columns share one noise variance and, if they do, identifies every direction (Peters and Bühlmann 2014). On a DAG log|det M| is
// zero; away from one it keeps W from explaining two columns by each other. Cost: one product, one LU factorization and inverse.
// Domain: I - W invertible. Reference: Ng, Ghassami and Zhang, GOLEM, NeurIPS 2020.
type Gaussian[T matrix.Float] struct {
	s       *matrix.Dense[T]
	equal   bool
	threads int

	lu      matrix.LU[T]
	m, g, x *matrix.Dense[T]
	r       []float64
	inv     []T // factor of each column of S·M in the gradient
}

// NewGaussian copies s, the covariance or correlation matrix.
func NewGaussian[T matrix.Float](s *matrix.Dense[float64], equal bool, threads int) *Gaussian[T] {
	if s.Rows != s.Cols {
		panic(fmt.Sprintf("score: covariance is %d×%d, want square", s.Rows, s.Cols))
	}
	d := s.Rows
	return &Gaussian[T]{
		s: matrix.Convert[T](s), equal: equal, threads: threads,
		m: matrix.New[T](d, d), g: matrix.New[T](d, d), x: matrix.New[T](d, d),
		r: make([]float64, d), inv: make([]T, d), lu: matrix.LU[T]{Threads: threads},
	}
}

// Moments returns S, which must not be changed.
func (s *Gaussian[T]) Moments() *matrix.Dense[T] { return s.s }

// Equal reports whether the columns share one noise variance.
func (s *Gaussian[T]) Equal() bool { return s.equal }

// Eval returns F(w); if grad is not nil it is overwritten with the gradient. It neither changes
// nor keeps w.
func (s *Gaussian[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := w.Rows
	for i := range d {
		vec.Scale(s.m.Row(i), -1, w.Row(i))
		s.m.Data[i*d+i] += 1
	}
	matrix.Mul(s.g, s.s, s.m, s.threads)
	f, err := s.variances()
	if err != nil {
		return math.Inf(1), err
	}
	if err := s.lu.Factor(s.m); err != nil {
		return math.Inf(1), fmt.Errorf("the matrix I - W is singular: %w: %w", err, ErrDomain)
	}
	logdet, _ := s.lu.LogAbsDet()
	f -= logdet
	if f-f != 0 {
		return math.Inf(1), fmt.Errorf("the likelihood is %v: %w", f, ErrDomain)
	}
	if grad == nil {
		return f, nil
	}
	s.lu.Inverse(s.x)
	matrix.Transpose(grad, s.x)
	if gemm.Shared(s.threads, d*d) {
		s.subtractShared(grad)
	} else {
		s.subtract(grad, 0, d)
	}
	return f, nil
}

// EvalBeside is Eval on one thread, for a solver that evaluates its constraint in parallel. The factorization gains little from a
// second thread.
func (s *Gaussian[T]) EvalBeside(grad, w *matrix.Dense[T]) (float64, error) {
	threads := s.threads
	s.threads, s.lu.Threads = 1, 1
	f, err := s.Eval(grad, w)
	s.threads, s.lu.Threads = threads, threads
	return f, err
}

// subtract subtracts S M diag(inv) from rows i0 … i1-1 of the gradient.
func (s *Gaussian[T]) subtract(grad *matrix.Dense[T], i0, i1 int) {
	for i := i0; i < i1; i++ {
		out, g := grad.Row(i)[:len(s.inv)], s.g.Row(i)[:len(s.inv)]
		for j, v := range s.inv {
			out[j] -= v * g[j]
		}
	}
}

func (s *Gaussian[T]) subtractShared(grad *matrix.Dense[T]) {
	d, parts := grad.Rows, 4*s.threads
	gemm.Share(s.threads, parts, func(p int) { s.subtract(grad, p*d/parts, (p+1)*d/parts) })
}

// residuals computes columns j0 … j1-1 of r.
func (s *Gaussian[T]) residuals(j0, j1 int) {
	r := s.r[j0:j1]
	clear(r)
	for i := range s.m.Rows {
		m, g := s.m.Row(i)[j0:j1][:len(r)], s.g.Row(i)[j0:j1][:len(r)]
		for j := range r {
			r[j] += float64(m[j]) * float64(g[j])
		}
	}
}

func (s *Gaussian[T]) residualsShared() {
	d, parts := len(s.r), s.threads
	gemm.Share(s.threads, parts, func(p int) { s.residuals(p*d/parts, (p+1)*d/parts) })
}

// variances computes r from M and S·M and returns the first term of F. It leaves the factors of the gradient in inv.
func (s *Gaussian[T]) variances() (float64, error) {
	d := len(s.r)
	if gemm.Shared(s.threads, d*d) {
		s.residualsShared()
	} else {
		s.residuals(0, d)
	}
	sum, logs := 0.0, 0.0
	for j, r := range s.r {
		if !(r > 0) || math.IsInf(r, 0) {
			return 0, fmt.Errorf("the residual variance of column %d is %v: %w; drop columns that the others determine exactly", j+1, r, ErrDomain)
		}
		sum += r
		logs += math.Log(r)
		s.inv[j] = T(1 / r)
	}
	if !s.equal {
		return logs / 2, nil
	}
	for j := range s.inv {
		s.inv[j] = T(float64(d) / sum)
	}
	return float64(d) / 2 * math.Log(sum/float64(d)), nil
}
