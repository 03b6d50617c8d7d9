package prepare

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// pairPanel is the width of the column panels of the products. Only the part of a panel below the diagonal is computed needlessly.
const pairPanel = 32

// pairSums computes the sums for correlations of incomplete rows. With y = x - ref, or 0 if x is missing, and m = 1 if x is
// present, otherwise 0, they are
//
//	n_ij = Σ m_i·m_j,   s_ij = Σ y_i·m_j,   p_ij = Σ y_i·y_j,   q_ij = Σ y_i²·m_j.
//
// n_ij is the number of rows with both columns, and s_ij and q_ij are the sum and the sum of squares of column i over them. It
// takes one pass and 4·d² values. Rows before the first missing value go through the accumulator, so that a complete table has the
// same bytes as without missing values.
type pairSums struct {
	names   []string
	mean    bool // rough moments with means in place of missing values, without pairwise correlations
	threads int
	rows    int

	complete *dataset.Accumulator // used until the first missing value
	n, s, p  []float64            // n and p: upper triangle, whole panels on the diagonal
	q        []float64            // nil with mean
	square   []float64            // y² of a block
	ref      []float64
	min, max []float64
	block    []float64 // rows that are not yet added
	there    []float64 // m of a block
	size     int
	opt      *options
}

func newPairSums(names []string, mean bool, threads int) *pairSums {
	return &pairSums{names: names, mean: mean, threads: threads, complete: dataset.NewAccumulator(names, threads).OnDemand(), size: dataset.BlockRows(len(names)) * len(names)}
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

// start converts the moments of the rows so far to sums of pairs.
func (s *pairSums) start() error {
	if s.opt != nil && dataset.WideRows(len(s.names)) > 0 {
		if err := checkScatter(len(s.names), s.opt); err != nil {
			return err
		}
	}
	m, err := s.complete.Moments()
	if err != nil {
		return err
	}
	m, s.complete = m.Stored(), nil
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
	if s.mean {
		return nil
	}
	s.q, s.square = make([]float64, d*d), make([]float64, s.size)
	for i := range d {
		for j := range d {
			s.q[i*d+j] = s.p[i*d+i]
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
	if s.q != nil {
		square := s.square[:len(y)]
		vec.Square(square, y)
		gemm.Gemm(true, false, d, d, k, 1, square, d, m, d, 1, s.q, d, s.threads)
	}
	for lo := 0; lo < d; lo += pairPanel {
		hi := min(lo+pairPanel, d)
		gemm.Gemm(true, false, hi-lo, d-lo, k, 1, y[lo:], d, y[lo:], d, 1, s.p[lo*d+lo:], d, s.threads)
		if !complete {
			gemm.Gemm(true, false, hi-lo, d-lo, k, 1, m[lo:], d, m[lo:], d, 1, s.n[lo*d+lo:], d, s.threads)
		}
	}
	if complete {
		sums := m[:d] // m is not needed any more
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

// rebase moves the reference to the mean of the values so far, or of the block if there are none, so that the sums lose no
// precision. With δ the change,
//
//	p_ij -= δ_j·s_ij + δ_i·s_ji - δ_i·δ_j·n_ij,   q_ij -= 2·δ_i·s_ij - δ_i²·n_ij,   s_ij -= δ_i·n_ij.
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
			n := s.n[min(i, j)*d+max(i, j)]
			if s.q != nil {
				s.q[i*d+j] -= 2*step[i]*s.s[i*d+j] - step[i]*step[i]*n
			}
			s.s[i*d+j] -= step[i] * n
		}
	}
}

// columnMean returns the mean of the present values of column j, exact if they are all equal, or 0 if there are none.
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

// withMeans sets the scatter of the rows with each missing value replaced by the mean of its column, which is a relative to ref.
// Such a value contributes nothing, so
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

// pairwise sets N and the scatter from the correlations of complete pairs,
//
//	r_ij = (p_ij - s_ij·s_ji/n_ij) / √((q_ij - s_ij²/n_ij)·(q_ji - s_ji²/n_ij)),
//
// with means and variances of the common rows, as R's cor with pairwise.complete.obs. Variances are those of all values of a
// column. N is the smallest n_ij.
func (s *pairSums) pairwise(m *dataset.Moments) ([]string, error) {
	d := len(s.names)
	least, li, lj := math.Inf(1), 0, 0
	for i := range d {
		for j := i; j < d; j++ {
			n := s.n[i*d+j]
			if n < 2 && i != j {
				return nil, &dataset.ParseError{Err: fault.New(ErrTooFewCommon,
					fmt.Sprintf("columns %s and %s have %v rows in common, a covariance needs two", s.names[i], s.names[j], n),
					"leave one out with %s, or use %s", fault.Columns("drop", s.names[j]), fault.Set("missing", "auto"))}
			}
			if n < least {
				least, li, lj = n, i, j
			}
		}
		n := s.n[i*d+i]
		if m.Scatter[i*d+i] = max(0, (s.p[i*d+i]-s.s[i*d+i]*s.s[i*d+i]/n)/n); s.min[i] == s.max[i] {
			m.Scatter[i*d+i] = 0
		}
	}
	for i := range d {
		for j := i + 1; j < d; j++ {
			m.Scatter[i*d+j] = s.correlation(i, j) * math.Sqrt(m.Scatter[i*d+i]*m.Scatter[j*d+j])
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
		notes = append(notes, fmt.Sprintf("The pairwise correlations were not positive definite (smallest eigenvalue %.3g) and were corrected; no correlation changed by more than %.2g.",
			fix.smallest, fix.change))
	}
	for i := range m.Scatter {
		m.Scatter[i] *= least
	}
	return notes, nil
}

// correlation returns the correlation of columns i < j in the rows that have both.
func (s *pairSums) correlation(i, j int) float64 {
	d := len(s.names)
	n, a, b := s.n[i*d+j], s.s[i*d+j], s.s[j*d+i]
	va, vb := s.q[i*d+j]-a*a/n, s.q[j*d+i]-b*b/n
	if !(va > 0) || !(vb > 0) {
		return 0
	}
	return max(-1, min(1, (s.p[i*d+j]-a*b/n)/(math.Sqrt(va)*math.Sqrt(vb))))
}

// mirrorUpper copies the upper triangle of a d×d matrix to the lower.
func mirrorUpper(s []float64, d int) {
	for i := range d {
		for j := i + 1; j < d; j++ {
			s[j*d+i] = s[i*d+j]
		}
	}
}
