package posterior

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Respect returns the order with as few changes as needed to put causes of required edges before their effects: the first column whose
// required causes are all placed comes next. The edges have no cycle.
func Respect(order []int, required []graph.Edge) []int {
	if len(required) == 0 {
		return order
	}
	out := make([]int, 0, len(order))
	placed := make([]bool, len(order))
	for len(out) < len(order) {
		for _, v := range order {
			ready := !placed[v]
			for _, e := range required {
				ready = ready && (e.To != v || placed[e.From])
			}
			if ready {
				out, placed[v] = append(out, v), true
				break
			}
		}
	}
	return out
}

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
