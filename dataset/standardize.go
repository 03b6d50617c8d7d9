package dataset

import "slices"

// Standardized returns the moments of the standardized columns: the covariance matrix is then the correlation matrix, up to
// rounding. Every standard deviation must be positive.
func (m *Moments) Standardized() *Moments {
	d, n, std, r := m.Dim(), float64(m.N), m.Std(), m.Correlation()
	out := &Moments{
		Names: slices.Clone(m.Names), N: m.N,
		Mean: slices.Clone(m.Mean), Min: slices.Clone(m.Min), Max: slices.Clone(m.Max),
		Scatter: make([]float64, d*d), low: make([]float64, d),
	}
	for i := range d {
		out.Mean[i], out.Min[i], out.Max[i] = m.Mean[i]/std[i], m.Min[i]/std[i], m.Max[i]/std[i]
		for j := range d {
			out.Scatter[i*d+j] = r.At(i, j) * n
		}
	}
	return out
}
