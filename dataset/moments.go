package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Moments summarize n rows of d named columns. Least-squares and Gaussian scores need nothing else, so their cost does not depend
// on n after one pass. Memory is O(d²).
//
// Two summaries of disjoint rows merge into the summary of all rows (Chan, Golub and LeVeque 1979): with δ = mean_b - mean_a,
//
//	mean    = mean_a + δ·n_b/n
//	scatter = scatter_a + scatter_b + δδᵀ·n_a·n_b/n.
//
// Rows are centred on the mean of the preceding rows before they are multiplied, and means have twice the precision of a float64,
// so a large mean costs no accuracy. The slices belong to Moments and share no memory with the caller. Make one with NewMoments,
// MomentsOf, RestoreMoments or a reader.
type Moments struct {
	Names []string
	N     int
	Mean  []float64
	// Scatter is d×d, row-major and symmetric: Σ (x-mean)(x-mean)ᵀ. It is nil for many columns with few rows, whose entries At
	// computes on demand; Stored returns moments that have it.
	Scatter []float64
	Min     []float64 // smallest value of each column; +Inf while N = 0
	Max     []float64 // largest value of each column; -Inf while N = 0

	low      []float64 // rounding error of Mean
	wide     *wide     // in place of Scatter; nil if that is there
	onDemand entries   // in place of Scatter; nil if that or wide is there
}

// NewMoments returns the summary of no rows.
func NewMoments(names []string) *Moments {
	d := len(names)
	m := unknown(slices.Clone(names), 0)
	m.Scatter = make([]float64, d*d)
	for j := range d {
		m.Min[j], m.Max[j] = math.Inf(1), math.Inf(-1)
	}
	return m
}

// unknown returns moments of n rows whose numbers the caller sets.
func unknown(names []string, n int) *Moments {
	d := len(names)
	return &Moments{Names: names, N: n, Mean: make([]float64, d), Min: make([]float64, d), Max: make([]float64, d), low: make([]float64, d)}
}

// MomentsOf summarizes the rows of x, which it neither changes nor retains. Any reader of the same numbers gives
// the same bytes.
func MomentsOf(names []string, x *matrix.Dense[float64], threads int) (*Moments, error) {
	if len(names) != x.Cols {
		return nil, fmt.Errorf("%d names for %d columns; give one name per column", len(names), x.Cols)
	}
	if err := CheckNames(names, ""); err != nil {
		return nil, err
	}
	a := NewAccumulator(names, threads).OnDemand()
	if x.Contiguous() {
		if err := a.Add(x.Data[:x.Rows*x.Cols]); err != nil {
			return nil, err
		}
		return a.Moments()
	}
	for i := range x.Rows {
		if err := a.Add(x.Row(i)); err != nil {
			return nil, err
		}
	}
	return a.Moments()
}

// Dim returns the number of columns, d.
func (m *Moments) Dim() int { return len(m.Names) }

// AddBlock adds whole rows of Dim values each. It neither changes nor retains them. Cost: 2·n·d² flops and a
// pass over d² values, so add many rows at a time. It returns an error matching ErrNotFinite or ErrOverflow,
// and leaves m unchanged, if a value or a sum is not finite.
func (m *Moments) AddBlock(rows []float64) error {
	d := m.Dim()
	if d == 0 || len(rows)%d != 0 {
		return fmt.Errorf("%d values are not whole rows of %d columns", len(rows), d)
	}
	b := NewMoments(m.Names)
	if err := b.addUpper(rows, newWorkspace(d, len(rows)), 1); err != nil {
		return err
	}
	return m.Merge(b)
}

// Merge adds the rows summarized by others, which it neither changes nor retains. It returns an error matching
// ErrOverflow, and leaves m unchanged, if a sum is not finite.
func (m *Moments) Merge(others ...*Moments) error {
	var sum *Moments
	for _, other := range others {
		if !slices.Equal(m.Names, other.Names) {
			return fmt.Errorf("merge of moments with different columns; read both files with the same header")
		}
		if other.N == 0 {
			continue
		}
		if sum == nil {
			sum = &Moments{Names: m.Names, N: m.N, Mean: slices.Clone(m.Mean), low: slices.Clone(m.low),
				Scatter: slices.Clone(m.Stored().Scatter), Min: slices.Clone(m.Min), Max: slices.Clone(m.Max)}
		}
		sum.mergeUpper(other.Stored())
	}
	if sum == nil {
		return nil
	}
	if err := sum.Finite(); err != nil {
		return err
	}
	sum.mirror()
	*m = *sum
	return nil
}

// mergeUpper is Merge on the upper triangle of the scatter, without checks.
func (m *Moments) mergeUpper(other *Moments) {
	if other.N == 0 {
		return
	}
	d := m.Dim()
	n := m.N + other.N
	share := float64(other.N) / float64(n)
	weight := float64(m.N) * share
	delta := make([]float64, d)
	for j := range delta {
		delta[j] = (other.Mean[j] - m.Mean[j]) + (other.low[j] - m.low[j])
		s, e := vec.TwoSum(m.Mean[j], delta[j]*share)
		m.Mean[j], m.low[j] = vec.TwoSum(s, e+m.low[j])
		m.Min[j] = min(m.Min[j], other.Min[j])
		m.Max[j] = max(m.Max[j], other.Max[j])
	}
	for i := range d {
		row, b := m.Scatter[i*d+i:(i+1)*d], other.Scatter[i*d+i:(i+1)*d]
		for j, v := range delta[i:] {
			row[j] += b[j] + weight*(delta[i]*v) // in this order, so that the result is symmetric in i and j
		}
	}
	m.N = n
}

// mirror copies the upper triangle of Scatter to the lower, so that it is exactly symmetric.
func (m *Moments) mirror() {
	d := m.Dim()
	const tile = 32
	for i0 := 0; i0 < d; i0 += tile {
		for j0 := i0; j0 < d; j0 += tile {
			for i := i0; i < min(i0+tile, d); i++ {
				for j := max(j0, i+1); j < min(j0+tile, d); j++ {
					m.Scatter[j*d+i] = m.Scatter[i*d+j]
				}
			}
		}
	}
}

// Covariance returns Scatter/n, a new matrix. Dividing by n makes ½·tr((I-W)ᵀS(I-W)) the
// paper's ‖X-XW‖²/(2n).
func (m *Moments) Covariance() *matrix.Dense[float64] {
	s := matrix.New[float64](m.Dim(), m.Dim())
	for i, v := range m.Stored().Scatter {
		s.Data[i] = v / float64(m.N)
	}
	return s
}

// Correlation returns the correlation matrix, a new matrix with a diagonal of exactly 1. A constant column has correlation 0 with
// all others.
func (m *Moments) Correlation() *matrix.Dense[float64] {
	return m.CorrelationOf(ascending(m.Dim()))
}

// CorrelationOf returns the submatrix of Correlation with these indices, a new matrix. It computes only these entries.
func (m *Moments) CorrelationOf(index []int) *matrix.Dense[float64] {
	if m.wide != nil {
		return m.wide.gram.Of(index)
	}
	r := matrix.New[float64](len(index), len(index))
	root := make([]float64, len(index))
	for a, j := range index {
		root[a] = math.Sqrt(m.At(j, j))
	}
	for a, i := range index {
		to := r.Row(a)
		for b, j := range index {
			switch {
			case i == j:
				to[b] = 1
			case root[a] > 0 && root[b] > 0:
				to[b] = max(-1, min(1, m.At(i, j)/(root[a]*root[b])))
			}
		}
	}
	return r
}

// Std returns the standard deviation of each column, dividing by n.
func (m *Moments) Std() []float64 {
	s := make([]float64, m.Dim())
	for j := range s {
		s[j] = math.Sqrt(m.At(j, j) / float64(m.N))
	}
	return s
}

// Validate reports everything that prevents learning from the moments: too few rows or columns, and every constant column by name.
// Readers report other problems.
func (m *Moments) Validate() error {
	var errs []error
	switch {
	case m.N == 0:
		errs = append(errs, &ParseError{Err: ErrNoRows})
	case m.N == 1:
		errs = append(errs, &ParseError{Err: ErrOneRow})
	}
	if m.Dim() < 2 {
		errs = append(errs, &ParseError{Err: ErrOneColumn})
	}
	if m.N > 1 {
		for j, name := range m.Names {
			if m.Min[j] == m.Max[j] {
				errs = append(errs, &ParseError{Column: j + 1, Name: name, Value: FormatFloat(m.Min[j]), Err: ErrConstant})
			}
		}
	}
	return errors.Join(errs...)
}

// unfit returns the error for a block whose mean in column j is not finite.
func unfit(names []string, j int, rows []float64) error {
	d := len(names)
	for i := j; i < len(rows); i += d {
		if v := rows[i]; v-v != 0 {
			return &ParseError{Column: j + 1, Name: names[j], Value: FormatFloat(v), Err: ErrNotFinite}
		}
	}
	return &ParseError{Column: j + 1, Name: names[j], Err: ErrOverflow}
}

// Finite returns an error matching ErrOverflow if a mean or a sum in the upper triangle of the scatter is not finite. It names the
// first column whose diagonal sum is not finite.
func (m *Moments) Finite() error {
	d := m.Dim()
	for j, v := range m.Mean {
		if s := m.At(j, j); v-v != 0 || s-s != 0 {
			return &ParseError{Column: j + 1, Name: m.Names[j], Err: ErrOverflow}
		}
	}
	if m.Scatter == nil {
		return nil // no product exceeds the diagonal
	}
	for i := range d {
		for j, s := range m.Scatter[i*d+i : (i+1)*d] {
			if s-s != 0 {
				return &ParseError{Column: i + j + 1, Name: m.Names[i+j], Err: ErrOverflow}
			}
		}
	}
	return nil
}
