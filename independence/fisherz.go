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
	return t.Worker().Independent(x, y, given)
}

// Worker returns the test with scratch memory of its own.
func (t *FisherZ) Worker() Test { return &fisherWorker{FisherZ: t} }

// fisherWorker has the Cholesky factor of the last question, row after row: row k begins at k·(k+1)/2.
type fisherWorker struct {
	*FisherZ
	set, used []int
	l         []float64
}

func (t *fisherWorker) Independent(x, y int, given []int) (Result, error) {
	x, y, set, err := arguments(t.r.Rows, x, y, given, &t.set)
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
func (t *fisherWorker) partial(x, y int, set []int) float64 {
	t.used, t.l = t.used[:0], t.l[:0]
	for _, v := range set {
		t.add(v)
	}
	if !t.add(x) {
		return 0
	}
	rest := t.row(y)
	along := t.l[len(t.l)-1]
	if left := along*along + max(rest, 0); left > determined {
		return along / math.Sqrt(left)
	}
	return 0
}

// row appends the row of v to the factor, without its last entry, and returns the square of that.
func (t *fisherWorker) row(v int) (rest float64) {
	begin := len(t.l)
	own := t.r.Row(v)
	rest = own[v]
	at := 0
	for k, u := range t.used {
		sum := own[u]
		for i, a := range t.l[at : at+k] {
			sum -= a * t.l[begin+i]
		}
		sum /= t.l[at+k]
		t.l = append(t.l, sum)
		rest -= sum * sum
		at += k + 1
	}
	return rest
}

// add takes v into the condition, unless those before it determine it.
func (t *fisherWorker) add(v int) bool {
	begin := len(t.l)
	rest := t.row(v)
	if rest <= determined {
		t.l = t.l[:begin]
		return false
	}
	t.l, t.used = append(t.l, math.Sqrt(rest)), append(t.used, v)
	return true
}
