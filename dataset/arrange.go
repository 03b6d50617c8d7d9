package dataset

import "slices"

// Arranged returns the moments with column order[i] in place i, where order is a permutation. It shares nothing with m that could
// change. O(d²), or O(d) without a Scatter.
func (m *Moments) Arranged(order []int) *Moments {
	d := m.Dim()
	out := &Moments{Names: pick(m.Names, order), N: m.N, Mean: pick(m.Mean, order), Min: pick(m.Min, order), Max: pick(m.Max, order),
		low: pick(m.low, order)}
	if m.wide != nil {
		out.wide = &wide{gram: m.wide.gram.Arranged(order), square: pick(m.wide.square, order)}
		return out
	}
	if m.onDemand != nil {
		out.onDemand = m.onDemand.arranged(order)
		return out
	}
	out.Scatter = make([]float64, d*d)
	for i, a := range order {
		row, from := out.Scatter[i*d:(i+1)*d], m.Scatter[a*d:(a+1)*d]
		for j, b := range order {
			row[j] = from[b]
		}
	}
	return out
}

// ascending returns the numbers from 0 to n-1.
func ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// pick returns the values in the given order.
func pick[V any](values []V, order []int) []V {
	if values == nil {
		return nil
	}
	out := make([]V, len(order))
	for i, a := range order {
		out[i] = values[a]
	}
	return out
}

// Standardized returns the moments of the standardized columns: the covariance matrix is then the correlation matrix, up to
// rounding. Every standard deviation must be positive.
func (m *Moments) Standardized() *Moments {
	d, n, std := m.Dim(), float64(m.N), m.Std()
	out := unknown(slices.Clone(m.Names), m.N)
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

// CountedAs returns the moments with the same means and covariances, as if there were n rows. It shares Names, Mean, Min and Max
// with m.
func (m *Moments) CountedAs(n int) *Moments {
	if n == m.N {
		return m
	}
	if m.onDemand != nil {
		m = m.Stored()
	}
	out := *m
	if m.wide != nil {
		out.N, out.wide = n, m.wide.scaled(func(int) float64 { return float64(n) / float64(m.N) })
		return &out
	}
	out.N, out.Scatter = n, make([]float64, len(m.Scatter))
	for k, v := range m.Scatter {
		out.Scatter[k] = v / float64(m.N) * float64(n)
	}
	return &out
}
