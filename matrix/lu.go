package matrix

import (
	"errors"
	"fmt"
	"math"
)

// ErrSingular is matched by the error of LU.Factor if the matrix is singular. The error is a *SingularError.
var ErrSingular = errors.New("singular")

// A SingularError reports where a factorization stopped. The first Pivot columns of the matrix are independent,
// and column Pivot depends on them, exactly in the arithmetic used.
type SingularError struct{ Pivot, N int }

func (e *SingularError) Error() string {
	return fmt.Sprintf("matrix: singular: column %d of %d×%d depends on those before it (pivot is zero)", e.Pivot, e.N, e.N)
}

// Is makes errors.Is(err, ErrSingular) true.
func (e *SingularError) Is(target error) bool { return target == ErrSingular }

// LU is the factorization P·A = L·U with partial pivoting: L is lower triangular with ones on the diagonal, U
// upper triangular and P a permutation of rows. It is recursive, so nearly all flops are in matrix products.
//
// The zero value is ready to use. It reuses its workspace, so only the first call of each size allocates, and
// its methods must not run concurrently. It retains no argument. A NaN in the matrix is not an error and
// propagates to the results.
type LU[T Float] struct {
	// Threads is the largest number of threads of one product; 0 means 1. It does not change the results.
	Threads int

	n     int
	lu    Dense[T] // U on and above the diagonal, L below
	swaps []int    // step k swapped rows k and swaps[k] ≥ k
	order []int    // workspace: row i of P·A is row order[i] of A
	even  bool     // whether the number of swaps is even
	state luState
	panel []T // panelWidth columns of the matrix, each contiguous
	row   []T // buffer for swaps and permutations
}

type luState uint8

const (
	unfactored luState = iota
	factored
	singular
)

// Factor factors the square matrix a, which is copied. Cost: 2/3·n³ flops. It returns an error that matches
// ErrSingular if a pivot is zero; a tiny pivot is not an error, because its size depends on the units. Solve
// and Inverse panic unless the last Factor succeeded.
func (f *LU[T]) Factor(a *Dense[T]) error {
	switch f := any(f).(type) {
	case *LU[float32]:
		return factor32(f, any(a).(*Dense[float32]))
	case *LU[float64]:
		return factor64(f, any(a).(*Dense[float64]))
	}
	return nil
}

// Variables, so that only this package compiles the factorization, and not every package whose generic functions factor.
var (
	factor32, factor64   = factor[float32], factor[float64]
	solve32, solve64     = solveLU[float32], solveLU[float64]
	inverse32, inverse64 = inverse[float32], inverse[float64]
)

func factor[T Float](f *LU[T], a *Dense[T]) error {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("matrix: LU of %d×%d, want square", a.Rows, a.Cols))
	}
	resize(f, a.Rows)
	f.lu.CopyFrom(a)
	f.even = true
	if k := factorColumns(f, 0, f.n); k >= 0 {
		f.state = singular
		return &SingularError{Pivot: k, N: f.n}
	}
	f.state = factored
	return nil
}

func resize[T Float](f *LU[T], n int) {
	if n > cap(f.swaps) {
		f.lu.Data = make([]T, n*n)
		f.swaps, f.order = make([]int, n), make([]int, n)
		f.panel = make([]T, n*panelWidth)
		f.row = make([]T, n)
	}
	f.n = n
	f.lu = Dense[T]{Rows: n, Cols: n, Stride: n, Data: f.lu.Data[:n*n]}
	f.swaps, f.order, f.row = f.swaps[:n], f.order[:n], f.row[:n]
}

// factorColumns factors columns j0 … j1-1, whose rows above j0 already belong to U. It factors the left half, updates
// the right half, and factors the right half. It returns the column of the first zero pivot or -1. Reference:
// Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18,
// 1997.
func factorColumns[T Float](f *LU[T], j0, j1 int) int {
	if j1-j0 <= panelWidth {
		return factorPanel(f, j0, j1)
	}
	mid := halve(j0, j1, panelWidth)
	if k := factorColumns(f, j0, mid); k >= 0 {
		return k
	}
	exchange(f, j0, mid, mid, j1)
	right := block(&f.lu, j0, mid, mid, j1)
	diagonal := block(&f.lu, j0, mid, j0, mid)
	solveLower(&right, &diagonal, f.Threads)
	rest := block(&f.lu, mid, f.n, mid, j1)
	left := block(&f.lu, mid, f.n, j0, mid)
	mulSub(&rest, &left, &right, f.Threads)
	if k := factorColumns(f, mid, j1); k >= 0 {
		return k
	}
	exchange(f, mid, j1, j0, mid)
	return -1
}

// exchange applies the row swaps of steps k0 … k1-1 to columns j0 … j1-1.
func exchange[T Float](f *LU[T], k0, k1, j0, j1 int) {
	for k := k0; k < k1; k++ {
		if p := f.swaps[k]; p != k {
			swapRows(f.lu.Row(k)[j0:j1], f.lu.Row(p)[j0:j1], f.row)
		}
	}
}

func swapRows[T Float](x, y, tmp []T) {
	tmp = tmp[:copy(tmp, x)]
	copy(x, y)
	copy(y, tmp)
}

// LogAbsDet returns log|det A| and the sign of det A, 1 or -1. If Factor found a zero pivot, it returns -Inf
// and 0. The logarithms are added in float64.
func (f *LU[T]) LogAbsDet() (logAbs, sign float64) {
	if f.state == unfactored {
		panic("matrix: LU.LogAbsDet before Factor")
	}
	if f.state == singular {
		return math.Inf(-1), 0
	}
	sign = 1
	if !f.even {
		sign = -1
	}
	for i := range f.n {
		u := float64(f.lu.At(i, i))
		logAbs += math.Log(math.Abs(u))
		if u < 0 {
			sign = -sign
		}
	}
	return logAbs, sign
}

func (f *LU[T]) mustBeFactored(name string) {
	if f.state != factored {
		panic("matrix: LU." + name + " without a successful Factor")
	}
}
