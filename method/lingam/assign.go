package lingam

import (
	"math"

	"github.com/polydag/polydag/matrix"
)

// assign returns a different column for each row with the smallest sum of costs. It uses Kuhn's method with
// potentials and shortest augmenting paths, O(d³).
func assign(cost *matrix.Dense[float64]) []int {
	d := cost.Rows
	rows, columns := make([]float64, d+1), make([]float64, d+1) // potentials; index 0 means none
	rowOf := make([]int, d+1)                                   // row of each column
	for i := 1; i <= d; i++ {
		least, from, done := make([]float64, d+1), make([]int, d+1), make([]bool, d+1)
		for j := range least {
			least[j] = math.Inf(1)
		}
		rowOf[0] = i
		at := 0
		for rowOf[at] != 0 {
			done[at] = true
			next, step := 0, math.Inf(1)
			for j := 1; j <= d; j++ {
				if done[j] {
					continue
				}
				if c := cost.At(rowOf[at]-1, j-1) - rows[rowOf[at]] - columns[j]; c < least[j] {
					least[j], from[j] = c, at
				}
				if least[j] < step {
					next, step = j, least[j]
				}
			}
			for j := range done {
				if done[j] {
					rows[rowOf[j]] += step
					columns[j] -= step
				} else {
					least[j] -= step
				}
			}
			at = next
		}
		for at != 0 {
			rowOf[at] = rowOf[from[at]]
			at = from[at]
		}
	}
	out := make([]int, d)
	for j := 1; j <= d; j++ {
		out[rowOf[j]-1] = j - 1
	}
	return out
}
