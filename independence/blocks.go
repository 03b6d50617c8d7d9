package independence

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
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

// blocksWorker is the scratch memory of one goroutine.
type blocksWorker struct {
	*Blocks
	set, used []int // used are the functions in the factor
	l         chol.Factor
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
	t.used = t.used[:0]
	most := t.tested + functions
	for _, v := range set {
		most += t.start[v+1] - t.start[v]
	}
	t.l.Reset(most)
	k := 0
	for _, v := range set {
		_, added := t.addAll(v, t.start[v+1]-t.start[v])
		k += added
	}
	begin := t.l.Len()
	alone, q := t.addAll(y, functions)
	t.used = t.used[:begin]
	t.l.Truncate(begin)
	_, p := t.addAll(x, t.tested)
	after, left := t.addAll(y, functions)
	if p == 0 || q == 0 {
		return Result{P: 1}, nil
	}
	after += float64(q-left) * math.Log(chol.Determined) // functions of y that those of x determine
	free := float64(t.n) - 1 - float64(k) - float64(p+q+1)/2
	if free < 1 {
		return Result{}, fmt.Errorf("%w: %d rows and %d functions in the condition", ErrRows, t.n, k)
	}
	return chi(free*(alone-after), float64(p*q)), nil
}

// addAll adds the first functions of a column to the factor. It returns the sum of the logarithms of the shares of their
// variance that are left, and their number, both without functions that others before them determine.
func (t *blocksWorker) addAll(v, most int) (logs float64, added int) {
	for c := t.start[v]; c < min(t.start[v]+most, t.start[v+1]); c++ {
		from := t.gram.Row(c)
		t.used = append(t.used, c)
		chol.Gather(t.l.Next(), from, t.used)
		if left := t.l.Add(from[c]); left > 0 {
			logs += math.Log(left / from[c])
			added++
		}
	}
	return logs, added
}
