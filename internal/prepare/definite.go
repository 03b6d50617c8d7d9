package prepare

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/matrix"
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
	r := matrix.New[float64](k, k)
	for a, i := range kept {
		for b := range a {
			j := kept[b]
			corr := s[i*d+j] / (math.Sqrt(s[i*d+i]) * math.Sqrt(s[j*d+j]))
			r.Set(a, b, corr)
			r.Set(b, a, corr)
		}
		r.Set(a, a, 1-leastEigenvalue)
	}
	if matrix.FactorCholesky(r, 0).Rank == k {
		return nil, nil
	}
	for a := range k {
		r.Set(a, a, 1)
	}
	values, v, err := matrix.EigenSym(r, true)
	if err != nil {
		return nil, fmt.Errorf("%w", fault.New(ErrEigenvalues, "", "use %s", fault.Set("missing", "auto")))
	}
	fix := &repair{smallest: values[0]}
	for b, lambda := range values { // columns of v times the root of their eigenvalue: C = vvᵀ
		root := math.Sqrt(max(lambda, leastEigenvalue))
		for a := range k {
			v.Set(a, b, v.At(a, b)*root)
		}
	}
	c := matrix.New[float64](k, k)
	matrix.MulTB(c, v, v, 1)
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
