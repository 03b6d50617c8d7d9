package trust

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

const (
	// rankTol is the share of a column's variance that may be left, after the columns before it, when it counts as their
	// linear function. Rounding in the factorization leaves about d·1e-16.
	rankTol = 1e-10
	// partTol is the standardized coefficient below which a column has no part in an exact relation: dropping it
	// changes the share left by no more than its square, rankTol.
	partTol = 1e-5
)

// A basis splits the columns of a correlation matrix into linearly independent ones and functions of these.
type basis struct {
	independent []int // indices into the matrix, ascending
	dependent   []int // ascending
	// beta has a row for each dependent column: its standardized coefficients on the independent ones.
	beta *matrix.Dense[float64]
	// theta is the inverse of the correlation matrix of the independent columns.
	theta *matrix.Dense[float64]
}

// newBasis factors r, a correlation matrix, by Cholesky with diagonal pivoting, and inverts the independent part. Cost: 2⅓·d³ flops.
func newBasis(r *matrix.Dense[float64]) *basis {
	d := r.Rows
	factor := matrix.FactorCholesky(r, rankTol)
	rank, pivots := factor.Rank, factor.Pivots
	b := &basis{independent: slices.Clone(pivots[:rank]), dependent: slices.Clone(pivots[rank:])}
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

// inverse overwrites a, which newBasis or a relation found to be positive definite, with its inverse.
func inverse(a *matrix.Dense[float64]) *matrix.Dense[float64] {
	var f matrix.LU[float64]
	if err := f.Factor(a); err != nil {
		panic("trust: " + err.Error() + " after a Cholesky factorization")
	}
	f.Inverse(a)
	return a
}

// r2 returns the share of each column's variance that all others explain: 1 - 1/Θ_jj, and 1 for every column with a part in
// an exact relation.
func (b *basis) r2() []float64 {
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

// condition returns the largest eigenvalue of the independent part of r divided by its smallest, by Lanczos on the
// matrix and on its inverse.
func (b *basis) condition(r *matrix.Dense[float64]) float64 {
	return largestEigenvalue(submatrix(r, b.independent)) * largestEigenvalue(b.theta)
}

// largestEigenvalue of a symmetric positive semidefinite matrix, by Lanczos with full reorthogonalization (Golub and
// Van Loan 2013, ch. 10.1), to about 1e-6 of its value. Cost: 2·d² flops a step; 20 to 60 steps as a rule, d at most.
func largestEigenvalue(a *matrix.Dense[float64]) float64 {
	const tol, every, most = 1e-7, 10, 200
	d := a.Rows
	if d == 0 {
		return 1
	}
	q := make([]float64, d)
	for i := range q { // a start with a part in every direction, the same for every run
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
			return math.NaN() // a has entries that are no numbers
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
