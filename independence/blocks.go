package independence

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// Blocks tests columns with curved effects. A column is a block of functions of it: itself first, then curves, the smoothest first.
// x and y stand for the first few of their functions, p and q in number, and the condition for all of its functions, k in
// number, so that every effect of one column of the condition that is smooth is accounted for. With Λ the share of
// the generalized variance of y's functions that x's functions leave, the condition given,
//
//	-(n - 1 - k - (p + q + 1)/2)·ln Λ
//
// has about the distribution χ² with p·q degrees of freedom under independence (Wilks 1932, Bartlett 1938). It is the
// likelihood ratio of a multivariate regression of the one on the other. A test costs O((k + p + q)³) and reads second moments alone.
type Blocks struct {
	gram   *matrix.Dense[float64]
	start  []int
	tested int
	n      int
}

// NewBlocks tests by the covariances of functions over n rows: column v has the functions start[v] … start[v+1]-1, of which the
// first tested stand for it where it is tested. It keeps gram and start and changes nothing in them.
func NewBlocks(gram *matrix.Dense[float64], start []int, tested, n int) (*Blocks, error) {
	if len(start) < 1 || start[0] != 0 || gram.Rows != gram.Cols || start[len(start)-1] > gram.Rows {
		return nil, fmt.Errorf("blocks of functions that do not fit a matrix of %d×%d entries", gram.Rows, gram.Cols)
	}
	for v := range len(start) - 1 {
		if start[v+1] <= start[v] {
			return nil, fmt.Errorf("column %d has no functions", v+1)
		}
	}
	if tested < 1 {
		return nil, fmt.Errorf("a test of %d functions, want at least 1", tested)
	}
	if n < 4 {
		return nil, fmt.Errorf("%w: %d rows, want at least 4", ErrRows, n)
	}
	return &Blocks{gram, start, tested, n}, nil
}

// Columns returns the number of columns.
func (t *Blocks) Columns() int { return len(t.start) - 1 }

// Independent tests the functions of x and y given those of the condition.
func (t *Blocks) Independent(x, y int, given []int) (Result, error) {
	return t.Worker().Independent(x, y, given)
}

// Worker returns the test with scratch memory of its own.
func (t *Blocks) Worker() Test { return &blocksWorker{Blocks: t} }

// blocksWorker has a Cholesky factor, row after row: row k begins at k·(k+1)/2.
type blocksWorker struct {
	*Blocks
	set, used []int
	l         []float64
}

func (t *blocksWorker) Independent(x, y int, given []int) (Result, error) {
	return t.test(x, y, given, t.tested)
}

// Explains tests whether the functions of x that stand for it say something of column y itself, its first function, that all functions of
// the columns given do not: the test of one term of an additive regression of y.
func (t *Blocks) Explains(x, y int, given []int) (Result, error) {
	return (&blocksWorker{Blocks: t}).test(x, y, given, 1)
}

// test tests x given the condition by the first functions of y, so many of them. One of them is a regression, in which x and y are
// not exchanged.
func (t *blocksWorker) test(x, y int, given []int, functions int) (Result, error) {
	from, to := x, y
	x, y, set, err := arguments(t.Columns(), x, y, given, &t.set)
	if err != nil {
		return Result{}, err
	}
	if functions < t.tested {
		x, y = from, to
	}
	t.used, t.l = t.used[:0], t.l[:0]
	for _, v := range set {
		t.addAll(v, t.start[v+1]-t.start[v])
	}
	k, begin := len(t.used), len(t.l)
	alone, q := t.addAll(y, functions)
	t.used, t.l = t.used[:k], t.l[:begin]
	_, p := t.addAll(x, t.tested)
	after, left := t.addAll(y, functions)
	if p == 0 || q == 0 {
		return Result{P: 1}, nil
	}
	after += float64(q-left) * math.Log(determined) // functions of y that those of x determine
	free := float64(t.n) - 1 - float64(k) - float64(p+q+1)/2
	if free < 1 {
		return Result{}, fmt.Errorf("%w: %d rows and %d functions in the condition", ErrRows, t.n, k)
	}
	return chi(free*(alone-after), float64(p*q)), nil
}

// addAll takes the first functions of a column into the factor, but for those that others before them determine. It returns the sum of
// the logarithms of the shares of their variance that are left, and how many there are.
func (t *blocksWorker) addAll(v, most int) (logs float64, added int) {
	for c := t.start[v]; c < min(t.start[v]+most, t.start[v+1]); c++ {
		row := t.gram.Row(c)
		if !(row[c] > 0) {
			continue
		}
		begin, at, rest := len(t.l), 0, row[c]
		for k, u := range t.used {
			sum := row[u]
			for i, a := range t.l[at : at+k] {
				sum -= a * t.l[begin+i]
			}
			sum /= t.l[at+k]
			t.l = append(t.l, sum)
			rest -= sum * sum
			at += k + 1
		}
		if rest <= determined*row[c] {
			t.l = t.l[:begin]
			continue
		}
		t.l, t.used = append(t.l, math.Sqrt(rest)), append(t.used, c)
		logs += math.Log(rest / row[c])
		added++
	}
	return logs, added
}
