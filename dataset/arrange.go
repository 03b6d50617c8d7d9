package dataset

import "slices"

// Arranged returns the moments with column order[i] in place i, where order is a permutation. It shares nothing with m that could change. O(d²), or O(d) without a
// Scatter.
func (m *Moments) Arranged(order []int) *Moments {
	d := m.Dim()
	out := &Moments{Names: pick(m.Names, order), N: m.N, Mean: pick(m.Mean, order), Min: pick(m.Min, order), Max: pick(m.Max, order), low: pick(m.low, order)}
	if m.wide != nil {
		out.wide = m.wide.arranged(order)
		return out
	}
	if m.lean != nil {
		out.lean = m.lean.arranged(order)
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
