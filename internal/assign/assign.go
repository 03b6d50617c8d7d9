// Package assign solves the linear assignment problem.
package assign

import (
	"math"

	"github.com/polydag/polydag/matrix"
)

// Largest returns the column of each row of a square matrix, all different, with the largest sum of entries. It finds shortest augmenting
// paths (Jonker and Volgenant 1987) and costs O(d³).
func Largest(m *matrix.Dense[float64]) []int {
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
