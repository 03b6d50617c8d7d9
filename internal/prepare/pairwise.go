package prepare

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// pairPanel is the width of the column panels in which products are made: the part of a panel below the diagonal is the only work
// wasted.
const pairPanel = 32

// pairSums gathers the sums that covariances of incomplete rows are made of: with y = x - ref, 0 where x is missing, and
// m = 1 where x is there, 0 where not, over the rows
//
//	n_ij = Σ m_i·m_j,   s_ij = Σ y_i·m_j,   p_ij = Σ y_i·y_j.
//
// So n_ij counts the rows that have both columns, s_ij is the sum of column i over them. It takes one pass, 3·d² values, and
// twice to four times the product of complete rows. Rows before the first missing value go through the accumulator:
// a complete table has the same bytes as without.
type pairSums struct {
	names   []string
	mean    bool // put means instead of pairwise covariances
	threads int
	rows    int

	complete *dataset.Accumulator // until the first missing value
	n, s, p  []float64            // n and p: upper triangle, whole panels on the diagonal
	ref      []float64
	min, max []float64
	block    []float64 // rows not yet added
	there    []float64 // m of a block
	size     int
}

func newPairSums(names []string, mean bool, threads int) *pairSums {
	return &pairSums{names: names, mean: mean, threads: threads, complete: dataset.NewAccumulator(names, threads), size: dataset.BlockRows(len(names)) * len(names)}
}

func (s *pairSums) add(rows []float64, clean bool) error {
	d := len(s.names)
	s.rows += len(rows) / d
	if s.complete != nil {
		whole := len(rows)
		if !clean {
			for whole = 0; whole < len(rows) && !anyMissing(rows[whole:whole+d]); {
				whole += d
			}
		}
		if err := s.complete.Add(rows[:whole]); err != nil || whole == len(rows) {
			return err
		}
		if err := s.start(); err != nil {
			return err
		}
		rows = rows[whole:]
	}
	for len(rows) > 0 {
		k := min(len(rows), s.size-len(s.block))
		s.block = append(s.block, rows[:k]...)
		rows = rows[k:]
		if len(s.block) == s.size {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// start turns the moments of the rows so far into sums of pairs.
func (s *pairSums) start() error {
	m, err := s.complete.Moments()
	if err != nil {
		return err
	}
	s.complete = nil
	d := len(s.names)
	s.n, s.s, s.p = make([]float64, d*d), make([]float64, d*d), m.Scatter
	s.ref, s.min, s.max = m.Mean, m.Min, m.Max
	s.block = make([]float64, 0, s.size)
	s.there = make([]float64, s.size)
	n, low := float64(m.N), m.MeanLow()
	for i := range d {
		for j := range d {
			s.n[i*d+j] = n
			s.s[i*d+j] = n * low[i]
			s.p[i*d+j] += n * low[i] * low[j]
		}
	}
	return nil
}

// flush adds the block.
func (s *pairSums) flush() error {
	d := len(s.names)
	k := len(s.block) / d
	if k == 0 {
		return nil
	}
	y, m := s.block, s.there[:len(s.block)]
	s.rebase(y)
	complete := true
	for i := range y {
		j := i % d
		if v := y[i]; v == v {
			s.min[j], s.max[j] = min(s.min[j], v), max(s.max[j], v)
			y[i], m[i] = v-s.ref[j], 1
		} else {
			y[i], m[i] = 0, 0
			complete = false
		}
	}
	for lo := 0; lo < d; lo += pairPanel {
		hi := min(lo+pairPanel, d)
		gemm.Gemm(true, false, hi-lo, d-lo, k, 1, y[lo:], d, y[lo:], d, 1, s.p[lo*d+lo:], d, s.threads)
		if !complete {
			gemm.Gemm(true, false, hi-lo, d-lo, k, 1, m[lo:], d, m[lo:], d, 1, s.n[lo*d+lo:], d, s.threads)
		}
	}
	if complete {
		sums := m[:d] // of no more use
		clear(sums)
		for i, v := range y {
			sums[i%d] += v
		}
		for i := range d {
			for j := range d {
				s.s[i*d+j] += sums[i]
				s.n[i*d+j] += float64(k)
			}
		}
	} else {
		gemm.Gemm(true, false, d, d, k, 1, y, d, m, d, 1, s.s, d, s.threads)
	}
	s.block = s.block[:0]
	for j := range d {
		if p := s.p[j*d+j]; p-p != 0 {
			return &dataset.ParseError{Column: j + 1, Name: s.names[j], Err: dataset.ErrOverflow}
		}
	}
	return nil
}

// rebase moves the reference to the mean of the values so far, or where there is none yet to that of the block, so that
// no distance between the two takes digits from the sums. With δ the step,
//
//	p_ij -= δ_j·s_ij + δ_i·s_ji - δ_i·δ_j·n_ij,   s_ij -= δ_i·n_ij.
func (s *pairSums) rebase(block []float64) {
	d := len(s.names)
	step := make([]float64, d)
	moved := false
	for j := range d {
		if n := s.n[j*d+j]; n > 0 {
			ref := s.ref[j] + s.s[j*d+j]/n
			step[j], s.ref[j] = ref-s.ref[j], ref
			moved = moved || step[j] != 0
		} else {
			s.ref[j] = columnMean(block, j, d)
		}
	}
	if !moved {
		return
	}
	for i := range d {
		for j := i; j < d; j++ {
			s.p[i*d+j] -= step[j]*s.s[i*d+j] + step[i]*s.s[j*d+i] - step[i]*step[j]*s.n[i*d+j]
		}
	}
	for i := range d {
		for j := range d {
			s.s[i*d+j] -= step[i] * s.n[min(i, j)*d+max(i, j)]
		}
	}
}

// columnMean returns the mean of what is there in column j, exact if it is one value; 0 if there is nothing.
func columnMean(rows []float64, j, d int) float64 {
	first, sum, n := 0.0, 0.0, 0.0
	for i := j; i < len(rows); i += d {
		if v := rows[i]; v == v {
			if n == 0 {
				first = v
			}
			sum += v - first
			n++
		}
	}
	return first + sum/max(n, 1)
}

func (s *pairSums) finish() (*dataset.Moments, []string, error) {
	if s.complete != nil {
		m, err := s.complete.Moments()
		return m, nil, err
	}
	if err := s.flush(); err != nil {
		return nil, nil, err
	}
	d := len(s.names)
	m := dataset.NewMoments(s.names)
	m.N, m.Min, m.Max = s.rows, s.min, s.max
	low := make([]float64, d)
	for j := range d {
		n := s.n[j*d+j]
		if n == 0 {
			return nil, nil, &dataset.ParseError{Column: j + 1, Name: s.names[j], Err: fault.New(ErrAllMissing, "", "leave it out with %s", fault.Columns("drop", s.names[j]))}
		}
		m.Mean[j], low[j] = vec.TwoSum(s.ref[j], s.s[j*d+j]/n)
	}
	m.SetMeanLow(low)
	if s.mean {
		s.withMeans(m)
		return m, nil, m.Finite()
	}
	notes, err := s.pairwise(m)
	if err != nil {
		return nil, nil, err
	}
	return m, notes, m.Finite()
}

// withMeans sets the scatter of the rows with the mean of its column, a from ref, in the place of each missing value:
// such a value adds nothing, so
//
//	scatter_ij = Σ_{both there} (y_i - a_i)(y_j - a_j) = p_ij - a_j·s_ij - a_i·s_ji + a_i·a_j·n_ij.
func (s *pairSums) withMeans(m *dataset.Moments) {
	d := len(s.names)
	a := make([]float64, d)
	for j := range d {
		a[j] = s.s[j*d+j] / s.n[j*d+j]
	}
	for i := range d {
		for j := i; j < d; j++ {
			m.Scatter[i*d+j] = s.p[i*d+j] - a[j]*s.s[i*d+j] - a[i]*s.s[j*d+i] + a[i]*a[j]*s.n[i*d+j]
		}
		m.Scatter[i*d+i] = max(m.Scatter[i*d+i], 0)
	}
	mirrorUpper(m.Scatter, d)
}

// pairwise sets N and the scatter from the covariances of complete pairs,
//
//	cov_ij = (p_ij - s_ij·s_ji/n_ij)/n_ij,
//
// with the means of the rows in common, as R's cov with pairwise.complete.obs but divided by n_ij. N is the least n_ij.
func (s *pairSums) pairwise(m *dataset.Moments) ([]string, error) {
	d := len(s.names)
	least, li, lj := math.Inf(1), 0, 0
	for i := range d {
		for j := i; j < d; j++ {
			n := s.n[i*d+j]
			if n < 2 && i != j {
				return nil, &dataset.ParseError{Err: fault.New(ErrTooFewCommon,
					fmt.Sprintf("columns %s and %s have %v rows in common, a covariance needs two", s.names[i], s.names[j], n),
					"leave one out with %s, or use %s", fault.Columns("drop", s.names[j]), fault.Set("missing", "mean"))}
			}
			if n < least {
				least, li, lj = n, i, j
			}
			m.Scatter[i*d+j] = (s.p[i*d+j] - s.s[i*d+j]*s.s[j*d+i]/n) / n
		}
		m.Scatter[i*d+i] = max(m.Scatter[i*d+i], 0)
		if s.min[i] == s.max[i] {
			m.Scatter[i*d+i] = 0
		}
	}
	mirrorUpper(m.Scatter, d)
	m.N = int(least)
	notes := []string{fmt.Sprintf("The sample size is set to %d of %d rows, the smallest number that two columns have in common (%s and %s).", m.N, s.rows, s.names[li], s.names[lj])}
	fix, err := makeDefinite(m.Scatter, d)
	if err != nil {
		return nil, err
	}
	if fix != nil {
		notes = append(notes, fmt.Sprintf("The matrix of pairwise covariances was not positive definite (smallest eigenvalue of the correlations %.3g) and was corrected; no correlation changed by more than %.2g.",
			fix.smallest, fix.change))
	}
	for i := range m.Scatter {
		m.Scatter[i] *= least
	}
	return notes, nil
}

// mirrorUpper copies the upper triangle of a d×d matrix to the lower.
func mirrorUpper(s []float64, d int) {
	for i := range d {
		for j := i + 1; j < d; j++ {
			s[j*d+i] = s[i*d+j]
		}
	}
}
