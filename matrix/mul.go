package matrix

import (
	"fmt"

	"github.com/polydag/polydag/internal/gemm"
)

// Mul computes c = a·b on at most the given number of threads. c must not overlap a or b.
// Cost: one product, 2·Rows·Cols·Inner flops. The result does not depend on threads.
func Mul[T Float](c, a, b *Dense[T], threads int) { product(c, a, b, false, false, 0, threads) }

// MulAdd computes c += a·b; otherwise like Mul.
func MulAdd[T Float](c, a, b *Dense[T], threads int) { product(c, a, b, false, false, 1, threads) }

// MulTA computes c = aᵀ·b; otherwise like Mul.
func MulTA[T Float](c, a, b *Dense[T], threads int) { product(c, a, b, true, false, 0, threads) }

// MulTB computes c = a·bᵀ; otherwise like Mul.
func MulTB[T Float](c, a, b *Dense[T], threads int) { product(c, a, b, false, true, 0, threads) }

func product[T Float](c, a, b *Dense[T], ta, tb bool, beta T, threads int) {
	m, k := a.Rows, a.Cols
	if ta {
		m, k = k, m
	}
	kb, n := b.Rows, b.Cols
	if tb {
		kb, n = n, kb
	}
	if k != kb || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("matrix: product of %d×%d and %d×%d into %d×%d", m, k, kb, n, c.Rows, c.Cols))
	}
	gemm.Gemm(ta, tb, m, n, k, 1, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data, c.Stride, threads)
}
