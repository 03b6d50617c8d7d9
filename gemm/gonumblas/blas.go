package gonumblas

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/polydag/polydag/gemm"
)

// BLAS implements blas.Float64 and blas.Float32. Products (gemm), rank-k updates (syrk) and
// triangular solves (trsm) are its own; everything else is gonum's. Results do not depend on
// Threads, but differ from gonum's in the last bits. The zero value runs on one thread.
type BLAS struct {
	gonum.Implementation
	Threads int // most threads of one product; below 2 means one
}

var (
	_ blas.Float64 = BLAS{}
	_ blas.Float32 = BLAS{}
)

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (b BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, x []float64, ldx int, y []float64, ldy int, beta float64, c []float64, ldc int) {
	gemm.Gemm(transposed(tA), transposed(tB), m, n, k, alpha, x, ldx, y, ldy, beta, c, ldc, b.Threads)
}

// Sgemm computes C = alpha·op(A)·op(B) + beta·C.
func (b BLAS) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, x []float32, ldx int, y []float32, ldy int, beta float32, c []float32, ldc int) {
	gemm.Gemm(transposed(tA), transposed(tB), m, n, k, alpha, x, ldx, y, ldy, beta, c, ldc, b.Threads)
}

// Dsyrk computes the triangle ul of C = alpha·A·Aᵀ + beta·C, or of alpha·Aᵀ·A + beta·C.
func (b BLAS) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if n <= syrkBase || k == 0 || alpha == 0 {
		b.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	u := update[float64]{upper: isUpper(ul), trans: transposed(tA), k: k, alpha: alpha, beta: beta, lda: lda, ldc: ldc,
		threads: b.Threads, square: make([]float64, syrkBase*syrkBase)}
	u.run(n, a, c)
}

// Ssyrk computes the triangle ul of C = alpha·A·Aᵀ + beta·C, or of alpha·Aᵀ·A + beta·C.
func (b BLAS) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if n <= syrkBase || k == 0 || alpha == 0 {
		b.Implementation.Ssyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	u := update[float32]{upper: isUpper(ul), trans: transposed(tA), k: k, alpha: alpha, beta: beta, lda: lda, ldc: ldc,
		threads: b.Threads, square: make([]float32, syrkBase*syrkBase)}
	u.run(n, a, c)
}

// Dtrsm solves op(A)·X = alpha·B, or X·op(A) = alpha·B, for X, which overwrites B.
func (b BLAS) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, x []float64, ldx int) {
	t := solve[float64]{left: isLeft(s), upper: isUpper(ul), trans: transposed(tA), lda: lda, ldb: ldx, threads: b.Threads,
		base: func(m, n int, alpha float64, a, x []float64) {
			b.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, x, ldx)
		}}
	t.run(m, n, alpha, a, x)
}

// Strsm solves op(A)·X = alpha·B, or X·op(A) = alpha·B, for X, which overwrites B.
func (b BLAS) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, x []float32, ldx int) {
	t := solve[float32]{left: isLeft(s), upper: isUpper(ul), trans: transposed(tA), lda: lda, ldb: ldx, threads: b.Threads,
		base: func(m, n int, alpha float32, a, x []float32) {
			b.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, x, ldx)
		}}
	t.run(m, n, alpha, a, x)
}

func transposed(t blas.Transpose) bool {
	switch t {
	case blas.NoTrans:
		return false
	case blas.Trans, blas.ConjTrans:
		return true
	}
	panic("gonumblas: illegal transpose " + string(rune(t)))
}

func isUpper(ul blas.Uplo) bool {
	if ul != blas.Upper && ul != blas.Lower {
		panic("gonumblas: illegal triangle " + string(rune(ul)))
	}
	return ul == blas.Upper
}

func isLeft(s blas.Side) bool {
	if s != blas.Left && s != blas.Right {
		panic("gonumblas: illegal side " + string(rune(s)))
	}
	return s == blas.Left
}
