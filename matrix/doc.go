// Package matrix provides the dense matrix type of polydag, in float32 and float64. It also has the operations
// that constraints and scores need: products, transposes and a recursive LU factorization.
//
//	c := matrix.New[float64](3, 3)
//	matrix.Mul(c, a, b, 1) // c = a·b on one thread
//
//	var f matrix.LU[float64]
//	err := f.Factor(a)               // errors.Is(err, matrix.ErrSingular)
//	logAbs, sign := f.LogAbsDet()
//	f.Inverse(c)
//
// Experimental: the API of this package may change before 1.0.
package matrix
