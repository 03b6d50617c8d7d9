package missing

import (
	"cmp"
	"math"
	"slices"
)

// mostLevels is the largest number of different values of a discrete column. A column with more is numeric.
const mostLevels = 64

// knotCount is the number of bends of a curve.
const knotCount = 5

// A netColumn says how a network codes a column: a discrete column by the place of its value, a numeric one in standard units.
type netColumn struct {
	columnFacts
	levels []float64 // values of a discrete column, ascending; nil for a numeric one
	knots  []float64 // knots of the curves of a numeric column, in standard units
	low    float64   // smallest and largest value of a numeric column in standard units
	high   float64
	whole  bool // all values are whole numbers
}

// newNetColumns describes the columns of rows with d columns.
func newNetColumns(rows []float64, d int, discrete []bool) []netColumn {
	out := make([]netColumn, d)
	var values []float64
	for j, f := range facts(rows, d) {
		c := &out[j]
		c.columnFacts = f
		values = values[:0]
		c.whole = true
		for at := j; at < len(rows); at += d {
			if v := rows[at]; v == v {
				values = append(values, v)
				c.whole = c.whole && v == math.Trunc(v)
			}
		}
		slices.Sort(values)
		if discrete[j] {
			if levels := slices.Compact(slices.Clone(values)); len(levels) <= mostLevels {
				c.levels = levels
				continue
			}
		}
		if !(c.std > 0) {
			c.std = 1
		}
		c.low, c.high = (c.least-c.mean)/c.std, (c.largest-c.mean)/c.std
		for k := range knotCount {
			knot := (values[(k+1)*(len(values)-1)/(knotCount+1)] - c.mean) / c.std
			if len(c.knots) == 0 || knot > c.knots[len(c.knots)-1] {
				c.knots = append(c.knots, knot)
			}
		}
	}
	return out
}

// code returns the code of a value, NaN for a missing one.
func (c *netColumn) code(v float64) float64 {
	switch {
	case v != v:
		return v
	case c.levels == nil:
		return (v - c.mean) / c.std
	}
	k, _ := slices.BinarySearch(c.levels, v)
	return float64(min(k, len(c.levels)-1))
}

// value returns the value of a code.
func (c *netColumn) value(code float64) float64 {
	if c.levels != nil {
		return c.levels[int(code)]
	}
	v := max(c.least, min(c.largest, c.mean+code*c.std))
	if c.whole {
		v = math.Round(v)
	}
	return v
}

// features returns the number of functions that stand for the column in a regression.
func (c *netColumn) features() int {
	if c.levels != nil {
		return len(c.levels) - 1
	}
	return 1 + len(c.knots)
}

// expand writes the functions of a code to dst: an indicator of each level but the first, or the value and its excess over each knot.
func (c *netColumn) expand(dst []float64, code float64) {
	if c.levels != nil {
		clear(dst)
		if code > 0 {
			dst[int(code)-1] = 1
		}
		return
	}
	dst[0] = code
	for k, knot := range c.knots {
		dst[1+k] = max(0, code-knot)
	}
}

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
