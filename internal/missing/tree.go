package missing

import (
	"cmp"
	"math"
	"slices"
)

const (
	treeClasses = 4    // classes of a numeric column
	treeRows    = 5000 // rows that are counted
)

// treeParents returns the parents of each column in the tree with the largest mutual information between neighbours (Chow and Liu
// 1968), from the rows that have both columns of a pair. Numeric columns are cut into classes of equal frequency. A pair whose
// information does not pay for its parameters under BIC is no edge.
func treeParents(rows []float64, d int, columns []netColumn) [][]int {
	n := len(rows) / d
	step := max(1, n/treeRows)
	classes := make([][]int16, d)
	levels := make([]int, d)
	for j := range d {
		classes[j], levels[j] = classesOf(rows, d, j, step, &columns[j])
	}
	type pair struct {
		i, j int
		gain float64
	}
	var pairs []pair
	for i := range d {
		for j := range i {
			if gain := pairGain(classes[i], classes[j], levels[i], levels[j]); gain > 0 {
				pairs = append(pairs, pair{i, j, gain})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.gain, a.gain) })
	group := make([]int, d)
	for j := range group {
		group[j] = j
	}
	near := make([][]int, d)
	for _, p := range pairs {
		a, b := group[p.i], group[p.j]
		if a == b {
			continue
		}
		for j := range group {
			if group[j] == a {
				group[j] = b
			}
		}
		near[p.i], near[p.j] = append(near[p.i], p.j), append(near[p.j], p.i)
	}
	parents := make([][]int, d)
	seen := make([]bool, d)
	var walk func(v int)
	walk = func(v int) {
		seen[v] = true
		for _, c := range near[v] {
			if !seen[c] {
				parents[c] = []int{v}
				walk(c)
			}
		}
	}
	for v := range d {
		if !seen[v] {
			walk(v)
		}
	}
	return parents
}

// classesOf returns the class of every step-th value of column j, -1 for a missing one, and the number of classes.
func classesOf(rows []float64, d, j, step int, c *netColumn) ([]int16, int) {
	out := make([]int16, 0, len(rows)/d/step+1)
	var values, cuts []float64
	if c.levels == nil {
		for at := j; at < len(rows); at += d * step {
			if v := rows[at]; v == v {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		for k := 1; k < treeClasses && len(values) > 0; k++ {
			cuts = append(cuts, values[k*len(values)/treeClasses])
		}
	}
	for at := j; at < len(rows); at += d * step {
		switch v := rows[at]; {
		case v != v:
			out = append(out, -1)
		case c.levels != nil:
			out = append(out, int16(v))
		default:
			k := int16(0)
			for _, cut := range cuts {
				if v >= cut {
					k++
				}
			}
			out = append(out, k)
		}
	}
	if c.levels != nil {
		return out, len(c.levels)
	}
	return out, treeClasses
}

// pairGain returns the log-likelihood that two columns gain from each other, less the BIC penalty.
func pairGain(a, b []int16, ka, kb int) float64 {
	table := make([]float64, ka*kb)
	n := 0.0
	for i, x := range a {
		if y := b[i]; x >= 0 && y >= 0 {
			table[int(x)*kb+int(y)]++
			n++
		}
	}
	if n < 10 {
		return 0
	}
	row, column := make([]float64, ka), make([]float64, kb)
	for x := range ka {
		for y := range kb {
			row[x] += table[x*kb+y]
			column[y] += table[x*kb+y]
		}
	}
	gain := 0.0
	for x := range ka {
		for y := range kb {
			if c := table[x*kb+y]; c > 0 {
				gain += c * math.Log(c*n/(row[x]*column[y]))
			}
		}
	}
	return gain - 0.5*float64((ka-1)*(kb-1))*math.Log(n)
}
