package independence

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
)

// Blocks tests columns with nonlinear effects. A column is a block of functions: itself first, then nonlinear functions, the
// smoothest first. x and y are represented by their first few functions, p and q in number, and the condition by all of its k
// functions, so that every smooth effect of a single column of the condition is accounted for. With Λ the residual share of the
// generalized variance of y's functions given x's functions and the condition,
//
//	-(n - 1 - k - (p + q + 1)/2)·ln Λ
//
// has about the distribution χ² with p·q degrees of freedom under independence (Wilks 1932, Bartlett 1938). It is the likelihood
// ratio of a multivariate regression of the one on the other. A test costs O((k + p + q)³) and uses only second moments.
type Blocks struct {
	gram   *matrix.Dense[float64]
	start  []int
	tested int
	n      int
}

// NewBlocks tests by the covariances of functions over n rows. Column v has the functions start[v] … start[v+1]-1, and the first
// tested of these represent it when it is tested. It keeps gram and start without changing them.
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

func (t *Blocks) Independent(x, y int, given []int) (Result, error) {
	return t.Worker().Independent(x, y, given)
}

func (t *Blocks) Worker() Test { return &blocksWorker{Blocks: t} }

// blocksWorker has the buffers of one goroutine.
type blocksWorker struct {
	*Blocks
	set, used []int // used are the functions in the factor
	l         chol.Factor
}

func (t *blocksWorker) Independent(x, y int, given []int) (Result, error) {
	return t.test(x, y, given, t.tested)
}

// Explains tests whether x improves an additive regression of y on the given columns: a test of the functions of x on y's first
// function.
func (t *Blocks) Explains(x, y int, given []int) (Result, error) {
	return (&blocksWorker{Blocks: t}).test(x, y, given, 1)
}

// test tests x given the condition with the first functions of y. With one function it is a regression and not symmetric in x and
// y.
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

// addAll adds the first functions of a column to the factor. It returns the sum of the logarithms of their residual shares of
// variance and their number, without collinear functions.
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
