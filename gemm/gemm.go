package gemm

// Float is the set of element types.
type Float interface{ float32 | float64 }

// Gemm computes C = alpha·op(A)·op(B) + beta·C for row-major matrices, where op(A) is m×k
// and op(B) is k×n. With beta == 0 C is not read. Placeholder: the obvious loops.
func Gemm[T Float](transA, transB bool, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int, threads int) {
	for i := range m {
		for j := range n {
			var s T
			for l := range k {
				var x, y T
				if transA {
					x = a[l*lda+i]
				} else {
					x = a[i*lda+l]
				}
				if transB {
					y = b[j*ldb+l]
				} else {
					y = b[l*ldb+j]
				}
				s += x * y
			}
			if beta == 0 {
				c[i*ldc+j] = alpha * s
			} else {
				c[i*ldc+j] = alpha*s + beta*c[i*ldc+j]
			}
		}
	}
}
