package solve

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
)

// Adam is the optimizer of Kingma and Ba (2015) with bias correction, in the convention of PyTorch:
//
//	m ← β₁m + (1-β₁)g,   v ← β₂v + (1-β₂)g²,   w ← w - η m̂ / (√v̂ + ε),
//
// m̂ = m/(1-β₁ᵗ), v̂ = v/(1-β₂ᵗ). Cost: one pass over D² entries.
type Adam[T matrix.Float] struct {
	Rate, Beta1, Beta2, Eps float64

	t       int
	shorter int // the current rate is Rate / 2^shorter
	m, v    []T
	now     vec.AdamParams // parameters of the current step, set by begin
}

// NewAdam returns Adam with the given rate η and β₁ = 0.9, β₂ = 0.999, ε = 1e-8 as in the paper.
func NewAdam[T matrix.Float](rate float64) *Adam[T] {
	return &Adam[T]{Rate: rate, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8}
}

// Reset clears both moments, the step count and the halvings of the rate.
func (a *Adam[T]) Reset() {
	a.t, a.shorter = 0, 0
	clear(a.m)
	clear(a.v)
}

// fit allocates both moments for n parameters if they have another length, and then restarts the step count.
func (a *Adam[T]) fit(n int) {
	if len(a.m) != n {
		a.m, a.v, a.t = make([]T, n), make([]T, n), 0
	}
}

// Past, Recall and Passed implement Traveler.
func (a *Adam[T]) Past(n int) Past[T] {
	a.fit(n)
	return Past[T]{Vectors: [][]T{a.m, a.v}, Steps: a.t, Halved: a.shorter}
}

func (a *Adam[T]) Recall(p Past[T]) { a.m, a.v = p.Vectors[0], p.Vectors[1] }

func (a *Adam[T]) Passed(steps int) { a.t += steps }

// Step takes one Adam step. Both matrices must be contiguous.
func (a *Adam[T]) Step(w, grad *matrix.Dense[T]) {
	n := w.Rows * w.Cols
	a.begin(n)
	vec.Adam(w.Data[:n], grad.Data[:n], a.m, a.v, a.now)
}

// begin starts the next step for n parameters. moveRange then moves them.
func (a *Adam[T]) begin(n int) {
	a.fit(n)
	a.t++
	a.now = a.params(a.Beta1, a.Beta2)
}

func (a *Adam[T]) moveRange(w []T, g gradient[T], lo, hi int) {
	vec.AdamSum(w[lo:hi], g.a, g.x[lo:hi], g.b, g.y[lo:hi], a.m[lo:hi], a.v[lo:hi], a.now)
}

// Retry halves the rate until the next Reset and repeats the step that Run undid, with the same moments.
func (a *Adam[T]) Retry(w, grad *matrix.Dense[T]) {
	a.shorter++
	n := w.Rows * w.Cols
	vec.Adam(w.Data[:n], grad.Data[:n], a.m, a.v, a.params(1, 1)) // β = 1 leaves the moments unchanged
}

// params returns the constants of step t.
func (a *Adam[T]) params(beta1, beta2 float64) vec.AdamParams {
	return vec.AdamParams{
		Rate: math.Ldexp(a.Rate, -a.shorter), Beta1: beta1, Beta2: beta2, Eps: a.Eps,
		Corr1: 1 - math.Pow(a.Beta1, float64(a.t)), Corr2: 1 - math.Pow(a.Beta2, float64(a.t)),
	}
}

// MarshalBinary encodes both moments, the step count and the halvings. The rate and the decays are settings and
// are not encoded.
func (a *Adam[T]) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter("adam/2")
	w.Grow(2*len(a.m)*bytesOf[T]() + 64)
	w.Int(a.t)
	w.Int(a.shorter)
	w.Int(len(a.m))
	wire.Floats(w, a.m)
	wire.Floats(w, a.v)
	return w.Seal(), nil
}

// UnmarshalBinary restores the state that MarshalBinary encoded.
func (a *Adam[T]) UnmarshalBinary(b []byte) error {
	r := wire.NewReader("adam/2", b)
	a.t, a.shorter = r.Int(), r.Int()
	n := r.Between(0, len(b))
	a.m, a.v = make([]T, n), make([]T, n)
	wire.ReadFloats(r, a.m)
	wire.ReadFloats(r, a.v)
	return r.Close()
}
