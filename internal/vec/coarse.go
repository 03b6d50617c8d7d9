package vec

import "fmt"

// CoarseColumns is the unit of the number of columns that Coarse screens, and the number of scratch values that it needs
// per row.
const CoarseColumns = 64

// Coarse is Partial on rows of integers, with a tolerance. With z, a and b as there,
//
//	c[x] = y[x] + Σ_i b_i·z_i,   q[x] = most - Σ_i z_i²
//
// and bit x%64 of mask[x/64] is set exactly when (|c[x]| + near)² > t·q[x], or when a value is NaN. It computes in single
// precision. The number of columns, len(y), is a multiple of CoarseColumns.
func Coarse(mask []uint64, t, near, most float32, y []int16, rows []*int16, a, b, scratch []float32) {
	n, k := len(y), len(rows)
	if n%CoarseColumns != 0 || len(mask) != n/CoarseColumns || len(b) != k || len(a) != k*(k+1)/2 || len(scratch) < k*CoarseColumns {
		panic(fmt.Sprintf("vec: Coarse of %d columns and %d rows with slices of lengths %d, %d, %d, %d", n, k, len(mask), len(a), len(b), len(scratch)))
	}
	if n > 0 {
		coarse(best, mask, t, near, most, y, rows, a, b, scratch)
	}
}
