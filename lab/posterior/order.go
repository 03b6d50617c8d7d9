package posterior

import (
	"github.com/polydag/polydag/matrix"
)

// PullOrder sets dst to the gradient by P of a function of W = PᵀLP, L P Gᵀ + Lᵀ P G, where G is the gradient by W and P the permutation
// matrix of an order: entry (k, v) is 1 for column v at position k. L has the entries from position k to l > k, row by row.
func PullOrder(dst *matrix.Dense[float64], order []int, l []float64, g *matrix.Dense[float64]) {
	d := len(order)
	clear(dst.Data)
	for k, from := range order {
		for to := k + 1; to < d; to++ {
			weight := l[0]
			l = l[1:]
			for v := range d {
				dst.Data[k*d+v] += weight * g.Data[v*d+order[to]]
				dst.Data[to*d+v] += weight * g.Data[from*d+v]
			}
		}
	}
}
