package dataset

import "slices"

// Arranged returns the moments with column order[i] in place i, where order is a permutation. It shares nothing with m. O(d²).
func (m *Moments) Arranged(order []int) *Moments {
	d := m.Dim()
	out := NewMoments(pick(m.Names, order))
	out.N = m.N
	out.Mean, out.Min, out.Max, out.low = pick(m.Mean, order), pick(m.Min, order), pick(m.Max, order), pick(m.low, order)
	for i, a := range order {
		row, from := out.Scatter[i*d:(i+1)*d], m.Scatter[a*d:(a+1)*d]
		for j, b := range order {
			row[j] = from[b]
		}
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
	return slices.Clip(out)
}
