package bcdnets

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/assign"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/matrix"
)

// sample computes the bound for one draw.
type sample struct {
	f                       *fit
	gumbel                  []float64
	sinkhorn                *posterior.Sinkhorn
	w, residual             *matrix.Dense[float64] // W, entry (i, j) is the edge i → j; moments times (I - W)
	noisy, soft, gamma, eye *matrix.Dense[float64]
}

func newSample(f *fit) *sample {
	square := func() *matrix.Dense[float64] { return matrix.New[float64](f.d, f.d) }
	return &sample{
		f: f, gumbel: make([]float64, f.d*f.d), sinkhorn: posterior.NewSinkhorn(f.d, iterations),
		w: square(), residual: square(), noisy: square(), soft: square(), gamma: square(), eye: square(),
	}
}

// bound returns the bound without ln q(L, s), at z = (L, s) and the logits x of the order, and sets its gradients. Entry (k, v) of the
// logits is for column v at position k. The entries of L are those from position k to l > k, row by row.
func (s *sample) bound(dz, dx, z, x []float64) (value float64) {
	f, d := s.f, s.f.d
	logits := matrix.Of(d, d, x)
	for i, v := range x {
		s.noisy.Data[i] = (v + s.gumbel[i]) / f.temperature
	}
	s.sinkhorn.Scale(s.noisy)
	order := graph.Respect(assign.Largest(s.sinkhorn.S), f.required)

	value = s.likelihood(order, dz, z)
	for e, w := range z[:f.weights] {
		log, slope := f.prior.log(w)
		value += log
		dz[e] += slope
	}
	for j, log := range z[f.weights:] {
		value -= log * log / (2 * priorScale * priorScale)
		dz[f.weights+j] -= log / (priorScale * priorScale)
	}

	// By the order: W = PᵀLP, and ln q(P) = ⟨P, X⟩ - ln perm(exp X).
	s.byOrder(order, z)
	for i, v := range x {
		s.soft.Data[i] -= v
	}
	s.sinkhorn.Pull(s.soft)
	for i, g := range s.soft.Data {
		dx[i] = g / f.temperature
	}
	value += posterior.Bethe(s.gamma, logits)
	for k, v := range order {
		value -= logits.At(k, v)
		dx[k*d+v]--
	}
	for i, g := range s.gamma.Data {
		dx[i] += g
	}
	return value
}

// likelihood sets W and residual and returns the log likelihood up to a constant, with the gradient by z. The residual is then the
// gradient by W.
func (s *sample) likelihood(order []int, dz, z []float64) (value float64) {
	f, d := s.f, s.f.d
	clear(s.w.Data)
	e := 0
	for k := range d {
		for l := k + 1; l < d; l++ {
			if at := order[k]*d + order[l]; !f.forbidden[at] {
				s.w.Data[at] = z[e]
			}
			e++
		}
	}
	for i, w := range s.w.Data {
		s.eye.Data[i] = -w
	}
	for j := range d {
		s.eye.Data[j*d+j] = 1
	}
	matrix.Mul(s.residual, f.moments, s.eye, 1)
	for j, log := range z[f.weights:] {
		squares, precision := 0.0, math.Exp(-2*log)
		for i := range d {
			squares += s.eye.At(i, j) * s.residual.At(i, j)
			s.residual.Set(i, j, f.n*precision*s.residual.At(i, j))
		}
		value -= f.n * (log + squares*precision/2)
		dz[f.weights+j] = f.n * (squares*precision - 1)
	}
	e = 0
	for k := range d {
		for l := k + 1; l < d; l++ {
			at := order[k]*d + order[l]
			if dz[e] = 0; !f.forbidden[at] {
				dz[e] = s.residual.Data[at]
			}
			e++
		}
	}
	return value
}

// byOrder sets soft to the gradient of the likelihood by P.
func (s *sample) byOrder(order []int, z []float64) {
	f := s.f
	for i, no := range f.forbidden {
		if no {
			s.residual.Data[i] = 0
		}
	}
	posterior.PullOrder(s.soft, order, z[:f.weights], s.residual)
}
