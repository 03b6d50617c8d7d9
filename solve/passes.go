package solve

import (
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/matrix"
)

// Between two evaluations a step reads five matrices and writes four, which is limited by memory bandwidth from
// d = 200 on. All work on an entry is therefore done in one pass over blocks of entries, which several threads
// can share. Entries are independent, and sums are added in the order of the blocks, so results are identical
// on any number of threads.

// ranged is a descent that moves each entry by its own state and gradient only.
type ranged[T matrix.Float] interface {
	// begin is called once per step, with the number of entries.
	begin(n int)
	// moveRange moves entries lo … hi-1 of w along g.
	moveRange(w []T, g gradient[T], lo, hi int)
}

// gradient is a·x + b·y with a·x rounded first. x is the gradient of score and penalty, y the gradient of h,
// and a and b are their weights.
type gradient[T matrix.Float] struct {
	a T
	x []T
	b T
	y []T
}

// stepInRanges saves w in prev, moves w and zeroes the diagonal and the forbidden entries.
func (r *runner[T]) stepInRanges(m Move, desc ranged[T]) {
	n := len(r.w.Data)
	desc.begin(n)
	g := gradient[T]{a: T(m.ScoreWeight), x: r.grad.Data, y: r.grad.Data}
	if r.gradH != nil {
		g.b, g.y = T(m.HWeight), r.gradH.Data
	}
	threads := r.threads
	if !gemm.Shared(threads, n) {
		threads = 1
	}
	gemm.Stretches(threads, n, func(_, lo, hi int) {
		copy(r.prev.Data[lo:hi], r.w.Data[lo:hi])
		desc.moveRange(r.w.Data, g, lo, hi)
	})
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
