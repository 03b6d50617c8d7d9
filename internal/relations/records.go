package relations

// Records looks for columns that repeat whole records, such as the prices of a quarter beside each building that was begun in it. Such columns
// have equal values in the same rows: each determines all others. It returns the largest group of the given columns for which that is so, and
// how many different records there are, 0 where no two columns are alike. values are rows of d columns.
func Records(values []float64, d int, columns []int) (group []int, records int) {
	type pattern struct {
		records int
		hash    uint64
	}
	groups := map[pattern][]int{}
	var order []pattern
	for _, j := range columns {
		first := map[float64]uint64{}
		hash := uint64(14695981039346656037) // FNV-1a
		for i := j; i < len(values); i += d {
			k, ok := first[values[i]]
			if !ok {
				k = uint64(len(first))
				first[values[i]] = k
			}
			hash = (hash ^ k) * 1099511628211
		}
		p := pattern{len(first), hash}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], j)
	}
	for _, p := range order {
		if g := groups[p]; len(g) > 1 && (len(g) > len(group) || len(g) == len(group) && p.records > records) {
			group, records = g, p.records
		}
	}
	return group, records
}
