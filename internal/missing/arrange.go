package missing

import (
	"cmp"
	"math"
	"slices"
)

// columnFacts describe the values of one column that are there.
type columnFacts struct {
	there          int
	mean, std      float64
	least, largest float64
}

// facts computes the facts of each column of rows with d columns. A sum runs down its own column, so it does not depend on the
// other columns.
func facts(rows []float64, d int) []columnFacts {
	out := make([]columnFacts, d)
	for j := range out {
		out[j].least, out[j].largest = math.Inf(1), math.Inf(-1)
	}
	for at := 0; at < len(rows); at += d {
		for j, v := range rows[at : at+d] {
			if c := &out[j]; v == v {
				c.there++
				c.mean += v
				c.least, c.largest = min(c.least, v), max(c.largest, v)
			}
		}
	}
	for j := range out {
		out[j].mean /= float64(max(out[j].there, 1))
	}
	for at := 0; at < len(rows); at += d {
		for j, v := range rows[at : at+d] {
			if c := &out[j]; v == v {
				c.std += (v - c.mean) * (v - c.mean)
			}
		}
	}
	for j := range out {
		out[j].std = math.Sqrt(out[j].std / float64(max(out[j].there, 1)))
	}
	return out
}

// canonicalOrder sorts the columns by their facts. A table with shuffled columns is then computed in the same order, with the same
// bytes. Columns with equal facts keep their order.
func canonicalOrder(columns []columnFacts) []int {
	order := make([]int, len(columns))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &columns[i], &columns[j]
		return cmp.Or(cmp.Compare(b.there, a.there), cmp.Compare(a.mean, b.mean), cmp.Compare(a.std, b.std),
			cmp.Compare(a.least, b.least), cmp.Compare(a.largest, b.largest))
	})
	return order
}
