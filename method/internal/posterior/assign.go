package posterior

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Assign returns the column of each row of a square matrix, all different, with the largest sum of entries. It finds shortest augmenting
// paths (Jonker and Volgenant 1987) and costs O(d³).
func Assign(m *matrix.Dense[float64]) []int {
	d := m.Rows
	// Index 0 of the columns is an auxiliary one: row 0 to d-1 are 1 to d, and 0 stands for none.
	rowPrice, price := make([]float64, d+1), make([]float64, d+1)
	owner, from := make([]int, d+1), make([]int, d+1)
	least, done := make([]float64, d+1), make([]bool, d+1)
	for i := 1; i <= d; i++ {
		owner[0] = i
		for j := range least {
			least[j], done[j] = math.Inf(1), false
		}
		at := 0
		for owner[at] != 0 {
			done[at] = true
			row, next, delta := owner[at], 0, math.Inf(1)
			for j := 1; j <= d; j++ {
				if done[j] {
					continue
				}
				if cost := -m.At(row-1, j-1) - rowPrice[row] - price[j]; cost < least[j] {
					least[j], from[j] = cost, at
				}
				if least[j] < delta {
					next, delta = j, least[j]
				}
			}
			for j := range done {
				if done[j] {
					rowPrice[owner[j]] += delta
					price[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			at = next
		}
		for ; at != 0; at = from[at] {
			owner[at] = owner[from[at]]
		}
	}
	out := make([]int, d)
	for j := 1; j <= d; j++ {
		out[owner[j]-1] = j - 1
	}
	return out
}

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
