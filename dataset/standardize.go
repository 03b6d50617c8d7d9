package dataset

import "slices"

// Standardized returns the moments of the standardized columns: the covariance matrix is then the correlation matrix, up to
// rounding. Every standard deviation must be positive.
func (m *Moments) Standardized() *Moments {
	d, n, std := m.Dim(), float64(m.N), m.Std()
	out := &Moments{
		Names: slices.Clone(m.Names), N: m.N,
		Mean: slices.Clone(m.Mean), Min: slices.Clone(m.Min), Max: slices.Clone(m.Max), low: make([]float64, d),
	}
	for i := range d {
		out.Mean[i], out.Min[i], out.Max[i] = m.Mean[i]/std[i], m.Min[i]/std[i], m.Max[i]/std[i]
	}
	if m.wide != nil {
		out.wide = m.wide.scaled(func(j int) float64 { return n / m.wide.square[j] })
		return out
	}
	r := m.Correlation()
	out.Scatter = make([]float64, d*d)
	for i := range d {
		for j := range d {
			out.Scatter[i*d+j] = r.At(i, j) * n
		}
	}
	return out
}
