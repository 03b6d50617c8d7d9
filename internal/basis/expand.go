package basis

// A Kept is a function that is not constant: number Function of a column.
type Kept struct{ Column, Function int }

// ExpandAll returns the functions of whole rows, without products and without those that are constant.
func (f *Functions) ExpandAll(values []float64) (rows []float64, kept []Kept, err error) {
	d, wide := len(f.names), f.Size()
	n := len(values) / d
	rows = make([]float64, n*wide)
	for i := range n {
		if err := f.Expand(rows[i*wide:(i+1)*wide], values[i*d:(i+1)*d]); err != nil {
			return nil, nil, err
		}
	}
	var from []int
	for j := range d {
		for k := f.start[j]; k < f.start[j+1]; k++ {
			for at := k; at < len(rows); at += wide {
				if rows[at] != rows[k] {
					from, kept = append(from, k), append(kept, Kept{j, k - f.start[j]})
					break
				}
			}
		}
	}
	for i := range n {
		for to, k := range from {
			rows[i*len(from)+to] = rows[i*wide+k]
		}
	}
	return rows[:n*len(from)], kept, nil
}
