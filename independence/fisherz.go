package independence

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// FisherZ tests partial correlations. For columns that are jointly Gaussian with partial correlation r given s other
// columns, estimated from n rows,
//
//	z = √(n - s - 3) · atanh(r)
//
// is about standard normal where the true partial correlation is zero (Fisher 1924). It sees linear dependence
// only. A test costs O(s³) and reads the correlation matrix alone.
type FisherZ struct {
	r *matrix.Dense[float64]
	n int
}

// NewFisherZ tests by the correlations of n rows. It keeps r and changes nothing in it.
func NewFisherZ(r *matrix.Dense[float64], n int) (*FisherZ, error) {
	if r.Rows != r.Cols {
		return nil, fmt.Errorf("a correlation matrix of %d×%d entries; want a square one", r.Rows, r.Cols)
	}
	if n < 4 {
		return nil, fmt.Errorf("%w: %d rows, want at least 4", ErrRows, n)
	}
	return &FisherZ{r, n}, nil
}

// Columns returns the number of columns.
func (t *FisherZ) Columns() int { return t.r.Rows }

// Independent tests the partial correlation of x and y. Statistic is |z|. Where x or y is determined by the
// condition, nothing is left of it to depend on anything: P is 1.
func (t *FisherZ) Independent(x, y int, given []int) (Result, error) {
	x, y, set, err := arguments(t.r.Rows, x, y, given)
	if err != nil {
		return Result{}, err
	}
	free := t.n - len(set) - 3
	if free < 1 {
		return Result{}, fmt.Errorf("%w: %d rows and %d columns in the condition", ErrRows, t.n, len(set))
	}
	r := t.partial(x, y, set)
	if r == 0 {
		return Result{P: 1}, nil
	}
	z := math.Sqrt(float64(free)) * math.Atanh(min(math.Abs(r), 1-1e-15))
	return Result{Statistic: z, P: math.Erfc(z / math.Sqrt2)}, nil
}

// determined is the share of a column's variance below which it counts as determined by the columns before it.
const determined = 1e-10

// partial returns the partial correlation by a Cholesky factorization of the correlations of the set, then x, then
// y: in the last row of the factor, l_yx and l_yy are what of y goes along with the rest of x and what does
// not, so that r = l_yx / √(l_yx² + l_yy²). Columns of the set that those before them determine are passed
// over, since they add nothing to the condition.
func (t *FisherZ) partial(x, y int, set []int) float64 {
	rows := make([][]float64, 0, len(set)+1)
	used := make([]int, 0, len(set)+1)
	row := func(v int) (l []float64, rest float64) {
		l, rest = make([]float64, len(used)), t.r.At(v, v)
		for k, u := range used {
			sum := t.r.At(v, u)
			for i, a := range rows[k][:k] {
				sum -= a * l[i]
			}
			l[k] = sum / rows[k][k]
			rest -= l[k] * l[k]
		}
		return l, rest
	}
	for _, v := range set {
		if l, rest := row(v); rest > determined {
			used, rows = append(used, v), append(rows, append(l, math.Sqrt(rest)))
		}
	}
	l, rest := row(x)
	if rest <= determined {
		return 0
	}
	used, rows = append(used, x), append(rows, append(l, math.Sqrt(rest)))
	l, rest = row(y)
	along := l[len(l)-1]
	if left := along*along + max(rest, 0); left > determined {
		return along / math.Sqrt(left)
	}
	return 0
}
