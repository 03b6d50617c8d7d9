package onnx

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

func opGemm(c *call) (*Tensor, error) {
	if len(c.in) < 2 || c.in[1] == nil || len(c.in[0].Shape) != 2 || len(c.in[1].Shape) != 2 {
		return nil, fmt.Errorf("want two matrices")
	}
	a, b := c.in[0], c.in[1]
	ta, tb := c.attr.int("transA", 0) != 0, c.attr.int("transB", 0) != 0
	m, k, k2, n := a.Shape[0], a.Shape[1], b.Shape[0], b.Shape[1]
	if ta {
		m, k = k, m
	}
	if tb {
		k2, n = n, k2
	}
	if k != k2 {
		return nil, fmt.Errorf("matrices of shapes %v and %v", a.Shape, b.Shape)
	}
	y := c.pool.tensor([]int{m, n})
	beta := float32(0)
	if len(c.in) > 2 && c.in[2] != nil {
		if shape, err := broadcast(c.in[2].Shape, y.Shape); err != nil || !slices.Equal(shape, y.Shape) {
			return nil, fmt.Errorf("an added matrix of shape %v, want %v", c.in[2].Shape, y.Shape)
		}
		beta = c.attr.float("beta", 1)
		newWalk(y.Shape, c.in[2].Shape, c.in[2].Shape).each(func(to, i, _ int) { y.F[to] = c.in[2].F[i] })
	}
	product(ta, tb, m, n, k, c.attr.float("alpha", 1), a.F, a.Shape[1], b.F, b.Shape[1], beta, y.F)
	return y, nil
}

// product is gemm.Gemm for one thread. A product with one row and a transposed matrix is a sequence of inner products,
// which read the matrix in its order.
func product(ta, tb bool, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, y []float32) {
	if m == 1 && tb && !ta {
		for j := range n {
			v := alpha * float32(vec.Dot(a[:k], b[j*ldb:j*ldb+k]))
			if beta != 0 {
				v += beta * y[j]
			}
			y[j] = v
		}
		return
	}
	gemm.Gemm(ta, tb, m, n, k, alpha, a, max(lda, 1), b, max(ldb, 1), beta, y, max(n, 1), 1)
}

func opMatMul(c *call) (*Tensor, error) {
	if len(c.in) != 2 || len(c.in[0].Shape) < 1 || len(c.in[1].Shape) < 1 || c.in[0].isInt() || c.in[1].isInt() {
		return nil, fmt.Errorf("want two matrices")
	}
	sa, sb := c.in[0].Shape, c.in[1].Shape
	vectorA, vectorB := len(sa) == 1, len(sb) == 1
	if vectorA {
		sa = []int{1, sa[0]}
	}
	if vectorB {
		sb = []int{sb[0], 1}
	}
	m, k, n := sa[len(sa)-2], sa[len(sa)-1], sb[len(sb)-1]
	outer, err := broadcast(sa[:len(sa)-2], sb[:len(sb)-2])
	if err != nil || sb[len(sb)-2] != k {
		return nil, fmt.Errorf("matrices of shapes %v and %v", sa, sb)
	}
	shape := slices.Concat(outer, []int{m, n})
	y, err := c.tensor(shape)
	if err != nil {
		return nil, err
	}
	if len(sb) == 2 { // one matrix for all rows of A
		product(false, false, size(outer)*m, n, k, 1, c.in[0].F, k, c.in[1].F, n, 0, y.F)
	} else {
		newWalk(outer, sa[:len(sa)-2], sb[:len(sb)-2]).each(func(to, i, j int) {
			product(false, false, m, n, k, 1, c.in[0].F[i*m*k:], k, c.in[1].F[j*k*n:], n, 0, y.F[to*m*n:(to+1)*m*n])
		})
	}
	switch {
	case vectorA && vectorB:
		return y.reshaped(outer), nil
	case vectorA:
		return y.reshaped(slices.Concat(outer, []int{n})), nil
	case vectorB:
		return y.reshaped(slices.Concat(outer, []int{m})), nil
	}
	return y, nil
}
