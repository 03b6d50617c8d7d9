package solve

import (
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Between two evaluations a step reads and writes six matrices. From d = 200 on that is a matter of memory, and so all that happens to an
// entry is done in one pass, a stretch of entries at a time, which several threads can share. Entries do not depend on each other,
// and sums are added in the order of the stretches: the bytes are the same on any number of threads.

// ranged is a descent that moves every entry by its own past and gradient alone.
type ranged[T matrix.Float] interface {
	// begin is called once a step, with the number of entries.
	begin(n int)
	// moveRange moves entries lo … hi-1 of w along grad.
	moveRange(w, grad []T, lo, hi int)
}

// stepInRanges keeps w in prev, makes the gradient of the whole objective, moves w and zeroes what must stay zero.
func (r *runner[T]) stepInRanges(m Move, desc ranged[T]) {
	n := len(r.w.Data)
	desc.begin(n)
	pass := func(_, lo, hi int) {
		w, grad := r.w.Data[lo:hi], r.grad.Data[lo:hi]
		copy(r.prev.Data[lo:hi], w)
		if m.ScoreWeight != 1 {
			vec.Scale(grad, T(m.ScoreWeight), grad)
		}
		if r.gradH != nil {
			vec.Axpy(grad, T(m.HWeight), r.gradH.Data[lo:hi])
		}
		desc.moveRange(r.w.Data, r.grad.Data, lo, hi)
	}
	threads := r.threads
	if !gemm.Shared(threads, n) {
		threads = 1
	}
	gemm.Stretches(threads, n, pass)
	r.project(r.w)
}

// penalize adds the gradient of the penalty to grad and returns its value.
func (r *runner[T]) penalize(w *matrix.Dense[T]) float64 {
	p, ok := r.p.Penalty.(stretched[T])
	if n := len(w.Data); ok && gemm.Shared(r.threads, n) {
		return gemm.Sum(r.threads, n, func(lo, hi int) float64 { return p.stretch(r.grad.Data[lo:hi], w.Data[lo:hi]) })
	}
	return r.p.Penalty.AddGrad(r.grad, w)
}
