package missing

// A cpt is the probability table of a discrete column whose parents are discrete.
type cpt struct {
	parents []int
	stride  []int // the stride of each parent's code
	levels  int
	p       []float64 // row after row, one per configuration of the parents
}

// mostCells limits the size of a probability table. A larger family gets an additive model.
const mostCells = 1 << 18

// fitCPT counts column v by the configurations of its parents in the rows that have all of them. In each configuration the distribution
// without the last parent counts as one more row. It returns nil if a parent is numeric or the table is too large.
func fitCPT(rows []float64, d, v int, parents []int, columns []netColumn) *cpt {
	t := &cpt{parents: parents, levels: len(columns[v].levels)}
	size := t.levels
	for _, p := range parents {
		if columns[p].levels == nil || size > mostCells {
			return nil
		}
		t.stride = append(t.stride, size)
		size *= len(columns[p].levels)
	}
	if t.levels == 0 || size > mostCells {
		return nil
	}
	t.p = make([]float64, size)
	all := make([]float64, t.levels)
	for at := 0; at < len(rows); at += d {
		row := rows[at : at+d]
		if row[v] == row[v] {
			all[int(row[v])]++
			if hasAll(row, v, parents) {
				t.p[t.base(row, -1)+int(row[v])]++
			}
		}
	}
	sum := 0.0
	for k := range all {
		all[k] += 0.5
		sum += all[k]
	}
	for k := range all {
		all[k] /= sum
	}
	t.normalize(t.p, len(parents), all)
	return t
}

// normalize turns the counts by the first parents into probabilities. none is the distribution without parents.
func (t *cpt) normalize(counts []float64, parents int, none []float64) {
	less := none
	if parents > 1 {
		less = make([]float64, t.stride[parents-1])
		for at, c := range counts {
			less[at%len(less)] += c
		}
		t.normalize(less, parents-1, none)
	}
	for at := 0; at < len(counts); at += t.levels {
		row, n := counts[at:at+t.levels], 1.0
		for _, c := range row {
			n += c
		}
		for k := range row {
			row[k] = (row[k] + less[(at+k)%len(less)]) / n
		}
	}
}

// base returns the place of the configuration of a row, without parent skip (-1 for none).
func (t *cpt) base(row []float64, skip int) int {
	at := 0
	for k, p := range t.parents {
		if p != skip {
			at += t.stride[k] * int(row[p])
		}
	}
	return at
}
