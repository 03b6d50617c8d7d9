package independence

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
)

// Added tests whether a column adds to a model of another column: y is a linear function of given and x with Gaussian noise if it is
// numeric, and a multinomial logit if it is categorical. Effects add up, and each category has its own. Unlike a Test it depends
// on which of the two columns is explained. An Added belongs to one goroutine.
type Added struct {
	columns []Column
	rows    int
	all     []uint32 // the indices of all rows
	l       logistic
	gram    chol.Factor
}

// NewAdded tests the columns, which it keeps without changing them.
func NewAdded(columns []Column) (*Added, error) {
	m, err := NewMixed(columns, 1)
	if err != nil {
		return nil, err
	}
	a := &Added{columns: columns, rows: m.rows}
	for i := range m.rows {
		a.all = append(a.all, uint32(i))
	}
	return a, nil
}

// Test returns the likelihood ratio test of x in the model of y with given. For numeric y the logarithm of the ratio of residual sums of
// squares is multiplied by v + q/2 - 1, with v residual degrees of freedom and q functions of x (Bartlett 1938).
func (a *Added) Test(x, y int, given []int) (Result, error) {
	all := append(slices.Clone(given), x)
	for _, v := range append(all, y) {
		if v < 0 || v >= len(a.columns) {
			return Result{}, ErrArguments
		}
	}
	if slices.Contains(given, x) || slices.Contains(all, y) {
		return Result{}, ErrArguments
	}
	small := a.design(all)
	q := float64(a.l.width - small)
	response := &a.columns[y]
	if a.rows < a.l.width+2 {
		return Result{}, fmt.Errorf("%w: %d rows and %d functions of the condition", ErrRows, a.rows, a.l.width)
	}
	if q == 0 {
		return Result{P: 1}, nil
	}
	if response.Levels == 0 {
		reduced, full := a.squares(response.Values, small)
		if !(full > 0) {
			return Result{P: 1, DF: q}, nil
		}
		s := (float64(a.rows-a.l.width) + q/2 - 1) * math.Log(reduced/full)
		return chi(s, q), nil
	}
	a.l.response = chol.Grown(a.l.response, a.rows)
	seen := make([]int, response.Levels)
	for k := range seen {
		seen[k] = -1
	}
	a.l.classes = 0
	for i, code := range response.Codes {
		if seen[code] < 0 {
			seen[code] = a.l.classes
			a.l.classes++
		}
		a.l.response[i] = seen[code]
	}
	return chi(2*(a.l.fit(a.l.width)-a.l.fit(small)), q*float64(a.l.classes-1)), nil
}

// design writes the functions of the columns: an intercept, standardized numbers, indicators of all categories except the first. It
// returns the number of functions before those of the last column.
func (a *Added) design(columns []int) (small int) {
	width := 1
	for k, v := range columns {
		if k == len(columns)-1 {
			small = width
		}
		width += max(1, a.columns[v].Levels-1)
	}
	a.l.n, a.l.width = a.rows, width
	a.l.x = chol.Grown(a.l.x, a.rows*width)
	clear(a.l.x)
	for i := range a.rows {
		a.l.x[i*width] = 1
	}
	at := 1
	for _, v := range columns {
		c := &a.columns[v]
		if c.Levels > 0 {
			for i, code := range c.Codes {
				if code > 0 {
					a.l.x[i*width+at+int(code)-1] = 1
				}
			}
			at += max(1, c.Levels-1)
			continue
		}
		a.l.standardize(at, c.Values, a.all)
		at++
	}
	return small
}

// squares returns the residual sums of squares of a response on the first functions and on all. Functions that determine the response leave the
// share chol.Determined, so that a column that determines another one is not independent of it.
func (a *Added) squares(response []float64, small int) (reduced, full float64) {
	w := a.l.width + 1
	a.gram.Reset(w)
	s := a.gram.Matrix()
	clear(s)
	mean := 0.0
	for _, y := range response {
		mean += y
	}
	mean /= float64(a.rows)
	row := make([]float64, w)
	for i := range a.rows {
		copy(row, a.l.x[i*a.l.width:(i+1)*a.l.width])
		row[w-1] = response[i] - mean
		for k, x := range row {
			for j, y := range row[:k+1] {
				s[k*w+j] += x * y
			}
		}
	}
	total := s[w*w-1]
	for k := range w - 1 {
		a.gram.Add(a.gram.Next()[k])
	}
	a.gram.Add(total)
	last := a.gram.Row(w - 1)
	full = max(last[w-1]*last[w-1], chol.Determined*total)
	reduced = full
	for _, l := range last[small : w-1] {
		reduced += l * l
	}
	return reduced, full
}
