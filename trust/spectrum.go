package trust

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// partTol is the standardized coefficient below which a column is not part of an exact relation. Omitting it changes the remaining
// share by at most its square, chol.Determined.
const partTol = 1e-5

// A spanning set splits the columns of a correlation matrix into linearly independent ones and linear functions of these.
type spanning struct {
	independent []int // indices into the matrix, ascending
	dependent   []int // ascending
	// beta has, for each dependent column, its standardized coefficients on the independent ones.
	beta *matrix.Dense[float64]
	// theta is the inverse of the correlation matrix of the independent columns.
	theta *matrix.Dense[float64]
}

// newSpanning factors r, a correlation matrix, by Cholesky with diagonal pivoting, and inverts the independent part. Cost: 2⅓·d³ flops.
func newSpanning(r *matrix.Dense[float64]) *spanning {
	d := r.Rows
	factor := matrix.FactorCholesky(r, chol.Determined)
	rank, pivots := factor.Rank, factor.Pivots
	b := &spanning{independent: slices.Clone(pivots[:rank]), dependent: slices.Clone(pivots[rank:])}
	coef := factor.Coefficients()
	slices.Sort(b.independent)
	slices.Sort(b.dependent)
	b.beta = matrix.New[float64](d-rank, rank)
	for k, v := range pivots[:rank] {
		i, _ := slices.BinarySearch(b.independent, v)
		for l, w := range pivots[rank:] {
			j, _ := slices.BinarySearch(b.dependent, w)
			b.beta.Set(j, i, coef.At(k, l))
		}
	}
	b.theta = inverse(submatrix(r, b.independent))
	return b
}

// submatrix returns the rows and columns of r with these indices.
func submatrix(r *matrix.Dense[float64], index []int) *matrix.Dense[float64] {
	out := matrix.New[float64](len(index), len(index))
	for a, i := range index {
		row := r.Row(i)
		for b, j := range index {
			out.Set(a, b, row[j])
		}
	}
	return out
}

// inverse overwrites a, which must be positive definite, with its inverse.
func inverse(a *matrix.Dense[float64]) *matrix.Dense[float64] {
	var f matrix.LU[float64]
	if err := f.Factor(a); err != nil {
		panic("trust: " + err.Error() + " after a Cholesky factorization")
	}
	f.Inverse(a)
	return a
}

// r2 returns the share of each column's variance that all others explain: 1 - 1/Θ_jj, and 1 for every column in an exact relation.
func (b *spanning) r2() []float64 {
	out := make([]float64, len(b.independent)+len(b.dependent))
	for i, v := range b.independent {
		out[v] = min(1, max(0, 1-1/b.theta.At(i, i)))
		for k := range b.dependent {
			if math.Abs(b.beta.At(k, i)) > partTol {
				out[v] = 1
			}
		}
	}
	for _, v := range b.dependent {
		out[v] = 1
	}
	return out
}

// condition returns the largest eigenvalue of the independent part of r divided by its smallest, by the Lanczos method on the
// matrix and on its inverse.
func (b *spanning) condition(r *matrix.Dense[float64]) float64 {
	return largestEigenvalue(submatrix(r, b.independent)) * largestEigenvalue(b.theta)
}

// largestEigenvalue returns the largest eigenvalue of a symmetric positive semidefinite matrix to about 1e-6 of its value, by the
// Lanczos method with full reorthogonalization (Golub and Van Loan 2013, ch. 10.1). A step costs 2·d² flops; usually 20 to 60 steps
// are enough, and at most d.
func largestEigenvalue(a *matrix.Dense[float64]) float64 {
	const tol, every, most = 1e-7, 10, 200
	d := a.Rows
	if d == 0 {
		return 1
	}
	q := make([]float64, d)
	for i := range q { // a fixed start with components in all directions
		q[i] = 1 + 0.5*math.Sin(float64(7*i+1))
	}
	vec.Scale(q, 1/norm(q), q)
	var basis [][]float64
	var diag, off []float64
	ritz := func() float64 {
		t := matrix.New[float64](len(diag), len(diag))
		for i, v := range diag {
			t.Set(i, i, v)
			if i > 0 {
				t.Set(i, i-1, off[i-1])
			}
		}
		values, _, err := matrix.EigenSym(t, false)
		if err != nil {
			return math.NaN() // a has entries that are not finite
		}
		return values[len(values)-1]
	}
	last := 0.0
	for step := 1; ; step++ {
		basis = append(basis, q)
		w := make([]float64, d)
		for i := range w {
			w[i] = vec.Dot(a.Row(i), q)
		}
		diag = append(diag, vec.Dot(w, q))
		for range 2 { // twice is enough (Parlett 1998, ch. 6.9)
			for _, v := range basis {
				vec.Axpy(w, -vec.Dot(w, v), v)
			}
		}
		rest := norm(w)
		done := step == d || step == most || rest <= 1e-14*math.Abs(diag[0])
		if done || step%every == 0 {
			v := ritz()
			if done || math.Abs(v-last) <= tol*v {
				return v
			}
			last = v
		}
		off = append(off, rest)
		vec.Scale(w, 1/rest, w)
		q = w
	}
}

func norm(x []float64) float64 { return math.Sqrt(vec.Dot(x, x)) }
