package dataset

import (
	"fmt"
	"math"
	"slices"
)

// MeanLow returns a copy of the rounding error of Mean: the mean of column j is Mean[j] + MeanLow()[j] to about 32 digits. Together
// with the exported fields it is the complete state; see RestoreMoments.
func (m *Moments) MeanLow() []float64 { return slices.Clone(m.low) }

// SetMeanLow sets what MeanLow returns, for programs that compute moments themselves.
func (m *Moments) SetMeanLow(low []float64) { m.low = slices.Clone(low) }

// restoreTol is the tolerance for asymmetry and for correlations outside [-1, 1] in a restored scatter. It allows a matrix that
// another program computed in another order or wrote with 10 digits.
const restoreTol = 1e-9

// RestoreMoments returns the summary of n ≥ 1 rows from its parts, which it copies. Names, N, Mean, MeanLow, Scatter, Min and Max
// of a summary restore it exactly.
//
// low may be nil if the mean is exact. min and max may be nil if they are unknown; they become -Inf and +Inf, which Validate
// accepts and Merge keeps. For a column without variance they become its mean, so that Validate still reports it as constant. A
// scatter that is not symmetric within rounding, has a negative diagonal, a correlation beyond ±1 or anything that is not finite is
// an error. A scatter that is symmetric only within rounding is averaged with its transpose.
func RestoreMoments(names []string, n int, mean, low, scatter, min, max []float64) (*Moments, error) {
	if err := CheckNames(names, ""); err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, fmt.Errorf("moments of %d rows; give the number of rows that they summarize", n)
	}
	d := len(names)
	for _, part := range []struct {
		name     string
		have     []float64
		want     int
		optional bool
	}{{"mean", mean, d, false}, {"low", low, d, true}, {"scatter", scatter, d * d, false}, {"min", min, d, true}, {"max", max, d, true}} {
		if len(part.have) != part.want && !(part.optional && part.have == nil) {
			return nil, fmt.Errorf("%d values of %s for %d columns, want %d", len(part.have), part.name, d, part.want)
		}
	}
	if (min == nil) != (max == nil) {
		return nil, fmt.Errorf("moments with only one of min and max; give both or neither")
	}
	m := &Moments{Names: slices.Clone(names), N: n, Mean: slices.Clone(mean), Scatter: slices.Clone(scatter), low: make([]float64, d)}
	copy(m.low, low)
	for j, name := range names {
		if v, l := m.Mean[j], m.low[j]; v-v != 0 || l-l != 0 {
			return nil, fmt.Errorf("the mean of column %d (%s) is %v + %v, want finite numbers", j+1, name, v, l)
		}
		if s := scatter[j*d+j]; !(s >= 0) || math.IsInf(s, 1) {
			return nil, fmt.Errorf("the scatter of column %d (%s) with itself is %v, want a finite number that is not negative", j+1, name, s)
		}
	}
	if err := m.symmetrize(); err != nil {
		return nil, err
	}
	if err := m.setRange(min, max); err != nil {
		return nil, err
	}
	return m, nil
}

// symmetrize checks the scatter off the diagonal and averages it with its transpose. The diagonal must be valid.
func (m *Moments) symmetrize() error {
	d := m.Dim()
	for i := range d {
		for j := i + 1; j < d; j++ {
			a, b := m.Scatter[i*d+j], m.Scatter[j*d+i]
			size := math.Sqrt(m.Scatter[i*d+i]) * math.Sqrt(m.Scatter[j*d+j])
			switch {
			case !(math.Abs(a-b) <= restoreTol*size): // also rejects NaN
				return fmt.Errorf("the scatter of columns %d (%s) and %d (%s) is %v one way and %v the other, want a symmetric matrix",
					i+1, m.Names[i], j+1, m.Names[j], a, b)
			case !(math.Abs(a) <= (1+restoreTol)*size):
				return fmt.Errorf("columns %d (%s) and %d (%s) have scatter %v, beyond a correlation of 1; give covariance or scatter, not sums of products",
					i+1, m.Names[i], j+1, m.Names[j], a)
			case a != b:
				a += (b - a) / 2
				m.Scatter[i*d+j], m.Scatter[j*d+i] = a, a
			}
		}
	}
	return nil
}

// setRange sets Min and Max of restored moments to copies of lo and hi, which may be nil.
func (m *Moments) setRange(lo, hi []float64) error {
	d := m.Dim()
	if lo != nil {
		for j, name := range m.Names {
			slack := restoreTol * math.Abs(m.Mean[j])
			if !(lo[j] <= hi[j]) || math.IsInf(lo[j], 1) || math.IsInf(hi[j], -1) || m.Mean[j] < lo[j]-slack || m.Mean[j] > hi[j]+slack {
				return fmt.Errorf("column %d (%s) has min %v, mean %v and max %v, want them in this order", j+1, name, lo[j], m.Mean[j], hi[j])
			}
		}
		m.Min, m.Max = slices.Clone(lo), slices.Clone(hi)
		return nil
	}
	m.Min, m.Max = make([]float64, d), make([]float64, d)
	for j := range d {
		if m.Min[j], m.Max[j] = math.Inf(-1), math.Inf(1); m.Scatter[j*d+j] == 0 {
			m.Min[j], m.Max[j] = m.Mean[j], m.Mean[j]
		}
	}
	return nil
}
