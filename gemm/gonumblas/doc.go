// Package gonumblas offers gemm to gonum, so that its matrix product, LU, Cholesky and
// matrix exponential ride on it:
//
//	func main() {
//		blas64.Use(gonumblas.BLAS{Threads: 1})
//		...
//	}
//
// blas64.Use sets a global of gonum, so only a program's main may call it; libraries must
// not.
package gonumblas
