package prepare

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/polydag/polydag/fault"
)

// leastEigenvalue is the smallest eigenvalue that makeDefinite leaves in a correlation matrix, about: enough to factor it.
const leastEigenvalue = 1e-8

// A repair says what makeDefinite did to a matrix.
type repair struct {
	smallest float64 // eigenvalue of the correlations before
	change   float64 // largest of a correlation
}

// makeDefinite makes the d×d covariance matrix s positive definite in place, if it is not: eigenvalues of its
// correlation matrix below leastEigenvalue are raised to it, and the result is scaled back to a diagonal of 1. Variances stay
// as they are, and so do columns without variance. It returns nil if nothing was to do. Cost: a Cholesky factorization
// to find out; O(d³) for the eigenvectors if needed. Reference: Rousseeuw and Molenberghs, Transformation of non positive
// semidefinite correlation matrices, 1993, the eigenvalue method.
func makeDefinite(s []float64, d int) (*repair, error) {
	var kept []int // columns with variance
	for j := range d {
		if s[j*d+j] > 0 {
			kept = append(kept, j)
		}
	}
	k := len(kept)
	if k == 0 {
		return nil, nil
	}
	r := mat.NewSymDense(k, nil)
	for a, i := range kept {
		for b := a; b < k; b++ {
			j := kept[b]
			r.SetSym(a, b, s[i*d+j]/(math.Sqrt(s[i*d+i])*math.Sqrt(s[j*d+j])))
		}
		r.SetSym(a, a, 1-leastEigenvalue)
	}
	var chol mat.Cholesky
	if chol.Factorize(r) {
		return nil, nil
	}
	for a := range k {
		r.SetSym(a, a, 1)
	}
	var eig mat.EigenSym
	if !eig.Factorize(r, true) {
		return nil, fault.New(ErrEigenvalues, "", "use %s or drop", fault.Set("missing", "mean"))
	}
	values := eig.Values(nil)
	fix := &repair{smallest: values[0]}
	var v mat.Dense
	eig.VectorsTo(&v)
	for b, lambda := range values { // columns of v times the root of their eigenvalue: C = vvᵀ
		root := math.Sqrt(max(lambda, leastEigenvalue))
		for a := range k {
			v.Set(a, b, v.At(a, b)*root)
		}
	}
	var c mat.SymDense
	c.SymOuterK(1, &v)
	for a, i := range kept {
		for b := a + 1; b < k; b++ {
			j := kept[b]
			corr := c.At(a, b) / (math.Sqrt(c.At(a, a)) * math.Sqrt(c.At(b, b)))
			fix.change = max(fix.change, math.Abs(corr-r.At(a, b)))
			cov := corr * math.Sqrt(s[i*d+i]) * math.Sqrt(s[j*d+j])
			s[i*d+j], s[j*d+i] = cov, cov
		}
	}
	return fix, nil
}
