package prepare

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/matrix"
)

// leastEigenvalue is the approximate smallest eigenvalue of a correlation matrix after makeDefinite, large enough for a
// factorization.
const leastEigenvalue = 1e-8

// A repair describes the changes by makeDefinite.
type repair struct {
	smallest float64 // smallest eigenvalue of the correlations before
	change   float64 // largest change of a correlation
}

// makeDefinite makes the d×d covariance matrix s positive definite in place if it is not. It raises the eigenvalues of the
// correlation matrix to at least leastEigenvalue and scales the result back to a diagonal of 1. Variances do not change, and
// neither do columns without variance. It returns nil if no change was needed. The test costs a Cholesky factorization, and the
// repair O(d³). Reference: Rousseeuw and Molenberghs (1993), Transformation of non positive semidefinite correlation matrices, the
// eigenvalue method.
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
