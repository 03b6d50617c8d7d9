package vec

import "fmt"

// PartialScratch is the number of scratch values that Partial needs per row.
const PartialScratch = 32

// Partial screens the columns of a correlation matrix for further regressors. For every column x, with the k
// rows and the triangular coefficients a (for each i: a_ii, then a_ij for j < i),
//
//	z_i = a_ii·rows[i][x] + Σ_{j<i} a_ij·z_j,   c[x] = y[x] + Σ_i b_i·z_i,   q[x] = 1 - Σ_i z_i²
//
// and bit x%32 of mask[x/32] is set exactly when c[x]² > t·q[x]. Each row points to len(y) values. scratch
// holds k·PartialScratch values, which are overwritten. It costs k²/2 + 2k multiplications per column.
func Partial(mask []uint32, c, q []float64, t float64, y []float64, rows []*float64, a, b, scratch []float64) {
	n, k := len(y), len(rows)
	if len(c) != n || len(q) != n || len(mask) != (n+31)/32 || len(b) != k || len(a) != k*(k+1)/2 || len(scratch) < k*PartialScratch {
		panic(fmt.Sprintf("vec: Partial of %d columns and %d rows with slices of lengths %d, %d, %d, %d, %d, %d",
			n, k, len(mask), len(c), len(q), len(a), len(b), len(scratch)))
	}
	partial(best, mask, c, q, t, y, rows, a, b, scratch)
}
