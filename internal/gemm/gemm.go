package gemm

import "fmt"

// Float is the set of element types.
type Float interface{ float32 | float64 }

// Gemm computes
//
//	C = alpha·op(A)·op(B) + beta·C
//
// for row-major matrices, where op(A) is m×k, op(B) is k×n and op transposes if the flag is set. Entry (i, j)
// of a stored matrix x is x[i*ldx+j]. With beta == 0 C is not read; with alpha == 0 A and B are not. C must not
// overlap A or B. It runs the kernel Active on at most the given number of threads, one if threads ≤ 1, and on
// fewer where more would not be faster. Cost: 2·m·n·k flops; nothing is allocated on one thread.
//
// It panics if a dimension is negative, a stride is less than a row or a slice is too short.
func Gemm[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int, threads int) {
	GemmWith(Active(), transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, threads)
}

// GemmWith is Gemm with the given kernel. It panics if this machine does not support it; see Kernels.
func GemmWith[T Float](kern Kernel, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int, threads int) {
	if is32[T]() {
		gemm32(kern, transA, transB, m, n, k, float32(alpha), as[float32](a), lda, as[float32](b), ldb, float32(beta), as[float32](c), ldc, threads)
	} else {
		gemm64(kern, transA, transB, m, n, k, float64(alpha), as[float64](a), lda, as[float64](b), ldb, float64(beta), as[float64](c), ldc, threads)
	}
}

func gemmWith[T Float](kern Kernel, transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int, threads int) {
	if !kern.available() {
		panic(fmt.Sprintf("gemm: kernel %v is not available here, only %v", kern, Kernels()))
	}
	p := product[T]{kern: kern, transA: transA, transB: transB, m: m, n: n, k: k,
		alpha: alpha, a: a, lda: lda, b: b, ldb: ldb, beta: beta, c: c, ldc: ldc}
	p.check()
	if m == 0 || n == 0 {
		return
	}
	if k == 0 || alpha == 0 {
		p.scale()
		return
	}
	if parts := Threads(threads, float64(m)*float64(n)*float64(k)); parts > 1 {
		q := p // only this one escapes to the heap
		q.runParallel(parts)
		return
	}
	p.run()
}

// product is one call of Gemm, or the part of it that one thread does.
type product[T Float] struct {
	kern           Kernel
	transA, transB bool
	m, n, k        int
	alpha          T
	a              []T
	lda            int
	b              []T
	ldb            int
	beta           T
	c              []T
	ldc            int
}

func (p *product[T]) run() {
	if p.kern == Portable {
		p.runPortable()
	} else {
		p.runSplit(p.split())
	}
}

// check panics unless the three matrices lie within their slices.
func (p *product[T]) check() {
	if p.m < 0 || p.n < 0 || p.k < 0 {
		panic(fmt.Sprintf("gemm: product of %d×%d and %d×%d", p.m, p.k, p.k, p.n))
	}
	checkMatrix("A", p.transA, p.m, p.k, len(p.a), p.lda)
	checkMatrix("B", p.transB, p.k, p.n, len(p.b), p.ldb)
	checkMatrix("C", false, p.m, p.n, len(p.c), p.ldc)
}

func checkMatrix(name string, trans bool, rows, cols, have, stride int) {
	if trans {
		rows, cols = cols, rows
	}
	if rows == 0 || cols == 0 {
		return
	}
	if stride < cols {
		panic(fmt.Sprintf("gemm: stride %d of %s is less than its %d columns", stride, name, cols))
	}
	if need := (rows-1)*stride + cols; have < need {
		panic(fmt.Sprintf("gemm: %s is %d×%d with stride %d and needs %d values, has %d", name, rows, cols, stride, need, have))
	}
}

func (p *product[T]) scale() {
	for i := range p.m {
		row := p.c[i*p.ldc : i*p.ldc+p.n]
		if p.beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= p.beta
		}
	}
}
