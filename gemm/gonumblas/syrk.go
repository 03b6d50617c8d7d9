package gonumblas

import "github.com/polydag/polydag/gemm"

// syrkBase is the largest triangle that is computed as a whole square: twice the flops at
// many times the speed of a triangular loop.
const syrkBase = 48

// update is a symmetric rank-k update of one triangle of C,
//
//	C = alpha·A·Aᵀ + beta·C, or with trans alpha·Aᵀ·A + beta·C.
//
// Cost: k·n² flops and a share of syrkBase/n more.
type update[T gemm.Float] struct {
	upper, trans bool
	k            int
	alpha, beta  T
	lda, ldc     int
	threads      int
	square       []T // syrkBase × syrkBase
}

// run halves C: two triangles by recursion and the rectangle between them by one product.
func (u *update[T]) run(n int, a, c []T) {
	if n <= syrkBase {
		u.runBase(n, a, c)
		return
	}
	h := n / 2
	lower := a[h:] // op(A) below row h
	if !u.trans {
		lower = a[h*u.lda:]
	}
	if u.upper {
		gemm.Gemm(u.trans, !u.trans, h, n-h, u.k, u.alpha, a, u.lda, lower, u.lda, u.beta, c[h:], u.ldc, u.threads)
	} else {
		gemm.Gemm(u.trans, !u.trans, n-h, h, u.k, u.alpha, lower, u.lda, a, u.lda, u.beta, c[h*u.ldc:], u.ldc, u.threads)
	}
	u.run(h, a, c)
	u.run(n-h, lower, c[h*u.ldc+h:])
}

func (u *update[T]) runBase(n int, a, c []T) {
	gemm.Gemm(u.trans, !u.trans, n, n, u.k, u.alpha, a, u.lda, a, u.lda, 0, u.square, n, u.threads)
	for i := range n {
		j0, j1 := 0, i+1
		if u.upper {
			j0, j1 = i, n
		}
		for j := j0; j < j1; j++ {
			v := u.square[i*n+j]
			if u.beta != 0 {
				v += u.beta * c[i*u.ldc+j]
			}
			c[i*u.ldc+j] = v
		}
	}
}
