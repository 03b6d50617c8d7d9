package relations

// Records looks for columns that repeat whole records, such as the quarterly prices next to each building
// started in that quarter. Such columns have equal values in the same rows: each determines all others. It
// returns the largest such group of the given columns and the number of distinct records, or 0 if there is
// none. values are rows of d columns.
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
