package vec

import "fmt"

// centreRows is the number of rows that Centre processes through all columns at a time. They stay in the L1
// cache.
const centreRows = 16

// Centre is the first pass over a block of rows of len(ref) columns. It computes dst = x - ref in each row, and
// over the rows, for each column,
//
//	sum += dst,   lo = min(lo, x),   hi = max(hi, x).
//
// Rows are added in order, so all versions give the same bits. dst may be x. A NaN in x propagates to dst and
// sum but not to lo and hi.
func Centre(dst, x, ref, sum, lo, hi []float64) {
	d := len(ref)
	if len(sum) != d || len(lo) != d || len(hi) != d || len(dst) != len(x) || d > 0 && len(x)%d != 0 || d == 0 && len(x) != 0 {
		panic(fmt.Sprintf("vec: Centre of %d values to %d with %d columns and slices of lengths %d, %d, %d",
			len(x), len(dst), d, len(sum), len(lo), len(hi)))
	}
	for len(x) > 0 {
		k := min(len(x), centreRows*d)
		centre(best, dst[:k], x[:k], ref, sum, lo, hi)
		dst, x = dst[k:], x[k:]
	}
}

func centreGo(dst, x, ref, sum, lo, hi []float64) {
	d := len(ref)
	sum, lo, hi = sum[:d], lo[:d], hi[:d]
	for len(x) > 0 {
		row, out := x[:d], dst[:d]
		for j, r := range ref {
			v := row[j]
			if v < lo[j] {
				lo[j] = v
			}
			if v > hi[j] {
				hi[j] = v
			}
			v -= r
			sum[j] += v
			out[j] = v
		}
		x, dst = x[d:], dst[d:]
	}
}
