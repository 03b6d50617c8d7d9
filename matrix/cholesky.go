package matrix

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// Cholesky is the factorization PᵀAP = UᵀU of a symmetric positive semidefinite matrix with diagonal pivoting.
// Each step takes the column with the largest remaining diagonal entry (Higham 2002, ch. 10.3).
type Cholesky struct {
	// Pivots lists the columns of A in the order of the steps. The first Rank of them are linearly independent
	// up to the tolerance. The others are linear combinations of these.
	Pivots []int
	Rank   int

	u *Dense[float64] // rows 0 … Rank-1 are the rows of U; entries below the diagonal and other rows are undefined
}

// choleskyBlock is the number of steps between two updates of the remaining matrix, which are products.
const choleskyBlock = 32

// FactorCholesky factors a. It reads only the upper triangle and does not retain a. It stops when no remaining
// diagonal entry exceeds tol times the largest diagonal entry of a. With tol = 0 the rank is full exactly when
// a is numerically positive definite. Cost: n³/3 flops for the steps, and products of up to twice that.
func FactorCholesky(a *Dense[float64], tol float64) *Cholesky {
	n := a.Rows
	if a.Cols != n {
		panic(fmt.Sprintf("matrix: Cholesky of %d×%d, want square", a.Rows, a.Cols))
	}
	c := &Cholesky{Pivots: make([]int, n), u: a.Clone()}
	u := c.u
	least := 0.0
	for i := range n {
		c.Pivots[i] = i
		least = max(least, tol*u.At(i, i))
	}
	left := make([]float64, n) // remaining diagonal entries after the steps so far
	for from := 0; from < n; from += choleskyBlock {
		to := min(from+choleskyBlock, n)
		for i := from; i < n; i++ {
			left[i] = u.At(i, i)
		}
		for k := from; k < to; k++ {
			best := k
			for i := k + 1; i < n; i++ {
				if left[i] > left[best] {
					best = i
				}
			}
			if !(left[best] > least) {
				return c
			}
			c.exchange(k, best, left)
			c.row(from, k, left)
			c.Rank++
		}
		c.update(from, to)
	}
	return c
}

// exchange swaps columns k and i: the rows and columns of the remaining matrix, and the columns of the rows of
// U above. Only the upper triangle is stored.
func (c *Cholesky) exchange(k, i int, left []float64) {
	if i == k {
		return
	}
	u := c.u
	c.Pivots[k], c.Pivots[i] = c.Pivots[i], c.Pivots[k]
	left[k], left[i] = left[i], left[k]
	swap := func(r, s, p, q int) {
		x, y := u.At(r, s), u.At(p, q)
		u.Set(r, s, y)
		u.Set(p, q, x)
	}
	for r := range k {
		swap(r, k, r, i)
	}
	for r := k + 1; r < i; r++ {
		swap(k, r, r, i)
	}
	swap(k, k, i, i)
	for r := i + 1; r < u.Cols; r++ {
		swap(k, r, i, r)
	}
}

// row computes row k of U from the remaining matrix at step from and the rows of U since, and updates the
// diagonal.
func (c *Cholesky) row(from, k int, left []float64) {
	u := c.u
	row := u.Row(k)[k:]
	for r := from; r < k; r++ {
		vec.Axpy(row, -u.At(r, k), u.Row(r)[k:])
	}
	root := math.Sqrt(left[k])
	row[0] = root
	for i := 1; i < len(row); i++ {
		row[i] /= root
		left[k+i] -= row[i] * row[i]
	}
}

// update subtracts the effect of rows from … to-1 of U from the rest of the upper triangle, in strips of rows.
func (c *Cholesky) update(from, to int) {
	u, n := c.u, c.u.Rows
	for i := to; i < n; i += choleskyBlock {
		end := min(i+choleskyBlock, n)
		x, y, z := block(u, from, to, i, end), block(u, from, to, i, n), block(u, i, end, i, n)
		gemm.Gemm(true, false, z.Rows, z.Cols, x.Rows, -1, x.Data, x.Stride, y.Data, y.Stride, 1, z.Data, z.Stride, 1)
	}
}

// Coefficients returns a matrix with Rank rows and one column for each dependent column of A. Column
// Pivots[Rank+j] is the sum of the columns Pivots[i] times entry (i, j). With U = (U₁₁ U₁₂) it is U₁₁⁻¹·U₁₂.
func (c *Cholesky) Coefficients() *Dense[float64] {
	n := c.u.Rows
	u11, u12 := block(c.u, 0, c.Rank, 0, c.Rank), block(c.u, 0, c.Rank, c.Rank, n)
	x := New[float64](c.Rank, n-c.Rank)
	if c.Rank > 0 && c.Rank < n {
		x.CopyFrom(&u12)
		solveUpper(x, &u11, 1)
	}
	return x
}
