package independence

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
)

// FisherZ tests partial correlations. For columns that are jointly Gaussian with partial correlation r given s other columns,
// estimated from n rows,
//
//	z = √(n - s - 3) · atanh(r)
//
// is about standard normal if the true partial correlation is zero (Fisher 1924). It detects only linear dependence. A test costs
// O(s³) and uses only the correlation matrix.
type FisherZ struct {
	r *matrix.Dense[float64]
	g *matrix.Gram // in place of r
	n int
}

// NewFisherZ tests by the correlations of n rows. It keeps r without changing it.
func NewFisherZ(r *matrix.Dense[float64], n int) (*FisherZ, error) {
	if r.Rows != r.Cols {
		return nil, fmt.Errorf("a correlation matrix of %d×%d entries; want a square one", r.Rows, r.Cols)
	}
	if n < 4 {
		return nil, fmt.Errorf("%w: %d rows, want at least 4", ErrRows, n)
	}
	return &FisherZ{r: r, n: n}, nil
}

// NewWideFisherZ is NewFisherZ with correlations that are computed on demand.
func NewWideFisherZ(g *matrix.Gram, n int) (*FisherZ, error) {
	if n < 4 {
		return nil, fmt.Errorf("%w: %d rows, want at least 4", ErrRows, n)
	}
	return &FisherZ{g: g, n: n}, nil
}

// at returns the correlation of two columns.
func (t *FisherZ) at(i, j int) float64 {
	if t.g != nil {
		return t.g.At(i, j)
	}
	return t.r.At(i, j)
}

// gather copies the correlations of column v with the set to dst.
func (t *FisherZ) gather(dst []float64, v int, set []int) {
	if t.g == nil {
		chol.Gather(dst, t.r.Row(v), set)
		return
	}
	for i, x := range set {
		dst[i] = t.g.At(v, x)
	}
}

// Columns returns the number of columns.
func (t *FisherZ) Columns() int {
	if t.g != nil {
		return t.g.Len()
	}
	return t.r.Rows
}

// Independent tests the partial correlation of x and y. Statistic is |z|. If the condition determines x or y, P is 1.
func (t *FisherZ) Independent(x, y int, given []int) (Result, error) {
	return t.Worker().Independent(x, y, given)
}

func (t *FisherZ) Worker() Test { return &fisherWorker{FisherZ: t} }

// fisherWorker has the buffers of one goroutine.
type fisherWorker struct {
	*FisherZ
	set []int
	l   chol.Factor
}

func (t *fisherWorker) Independent(x, y int, given []int) (Result, error) {
	x, y, set, err := arguments(t.Columns(), x, y, given, &t.set)
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

// partial returns the partial correlation by a Cholesky factorization of the correlations of the set, then x, then y. In the last
// row of the factor, l_yx is the part of y that correlates with the residual of x and l_yy the rest, so r = l_yx / √(l_yx² +
// l_yy²). It is 0 if the set determines x or y.
func (t *fisherWorker) partial(x, y int, set []int) float64 {
	k := len(set)
	t.l.Reset(k + 2)
	for i, v := range set {
		row := t.l.Next()
		t.gather(row, v, set[:i+1])
		t.l.Add(row[i])
	}
	row, whole := t.l.Next(), t.at(x, x)
	t.gather(row, x, set)
	row[k] = whole
	t.l.Add(whole)
	row, whole = t.l.Next(), t.at(y, y)
	t.gather(row, y, set)
	row[k], row[k+1] = t.at(y, x), whole
	rest := t.l.Reduce()
	along := row[k]
	if left := along*along + max(rest, 0); left > chol.Determined*whole {
		return along / math.Sqrt(left)
	}
	return 0
}
