package gonumblas

import "github.com/polydag/polydag/gemm"

// trsmBase is the largest triangle that is left to gonum.
const trsmBase = 32

// solve is a triangular solve, op(A)·X = alpha·B or X·op(A) = alpha·B. Halving A turns all of
// it but the triangles of the base into products:
//
//	[A₁ 0; A₂₁ A₂]·[X₁; X₂] = [B₁; B₂]: X₁ = A₁⁻¹·B₁, X₂ = A₂⁻¹·(B₂ - A₂₁·X₁).
//
// The other seven cases differ in which half is first and which block couples the halves.
type solve[T gemm.Float] struct {
	left, upper, trans bool
	lda, ldb           int
	threads            int
	base               func(m, n int, alpha T, a, b []T)
}

func (s *solve[T]) run(m, n int, alpha T, a, b []T) {
	size := n
	if s.left {
		size = m
	}
	if size <= trsmBase || n == 0 || m == 0 || alpha == 0 {
		s.base(m, n, alpha, a, b)
		return
	}
	h := size / 2
	coupling, a2 := a[h*s.lda:], a[h*s.lda+h:]
	if s.upper {
		coupling = a[h:]
	}
	b2 := b[h:]
	if s.left {
		b2 = b[h*s.ldb:]
	}
	// op(A) is upper triangular if exactly one of upper and trans holds.
	firstHalfFirst := (s.upper != s.trans) != s.left
	if firstHalfFirst {
		s.half(m, n, h, alpha, a, b)
		s.couple(m, n, h, size-h, alpha, coupling, b, b2)
		s.half(m, n, size-h, 1, a2, b2)
	} else {
		s.half(m, n, size-h, alpha, a2, b2)
		s.couple(m, n, size-h, h, alpha, coupling, b2, b)
		s.half(m, n, h, 1, a, b)
	}
}

// half solves with a triangle of the given size.
func (s *solve[T]) half(m, n, size int, alpha T, a, b []T) {
	if s.left {
		m = size
	} else {
		n = size
	}
	s.run(m, n, alpha, a, b)
}

// couple computes to = alpha·to - op(coupling)·from, or with the factors exchanged on the
// right side; have and want are the sizes of the halves from and to.
func (s *solve[T]) couple(m, n, have, want int, alpha T, coupling, from, to []T) {
	if s.left {
		gemm.Gemm(s.trans, false, want, n, have, -1, coupling, s.lda, from, s.ldb, alpha, to, s.ldb, s.threads)
	} else {
		gemm.Gemm(false, s.trans, m, want, have, -1, from, s.ldb, coupling, s.lda, alpha, to, s.ldb, s.threads)
	}
}
