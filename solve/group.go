package solve

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// Group is the group lasso (Yuan and Lin 2006) over blocks of entries,
//
//	λ Σ_g √|g| ‖w_g‖,   gradient λ √|g| w_g/‖w_g‖, and 0 where all of a group is zero,
//
// which makes the entries of a group small together: the weights of one categorical column on another, of one input on all units of
// a layer, of one node on all others. Entry (i, j) is in the block of row group Rows[i] and column group Columns[j]; nil makes each
// row, or column, a group of its own. Columns of zeros make every row one group. It is not smooth where a group is zero, and that is no kink of single entries: OWLQN and
// Proximal take it for smooth.
type Group[T matrix.Float] struct {
	Lambda        float64
	Rows, Columns []int
}

// AddGrad adds the gradient. Cost: two passes over w.
func (p Group[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	rows, columns := groups(p.Rows, w.Rows), groups(p.Columns, w.Cols)
	row := func(i int) int { return of(p.Rows, i) * columns }
	squares, sizes := make([]float64, rows*columns), make([]float64, rows*columns)
	for i := range w.Rows {
		at := row(i)
		for j, v := range w.Row(i) {
			b := at + of(p.Columns, j)
			squares[b] += float64(v) * float64(v)
			sizes[b]++
		}
	}
	sum := 0.0
	for b, s := range squares {
		norm := math.Sqrt(s)
		sum += math.Sqrt(sizes[b]) * norm
		squares[b] = 0 // from here on the factor of w in the gradient
		if norm > 0 {
			squares[b] = p.Lambda * math.Sqrt(sizes[b]) / norm
		}
	}
	for i := range w.Rows {
		at, g := row(i), grad.Row(i)
		for j, v := range w.Row(i) {
			g[j] += T(squares[at+of(p.Columns, j)] * float64(v))
		}
	}
	return p.Lambda * sum
}

// of returns the group of row or column i.
func of(groups []int, i int) int {
	if groups == nil {
		return i
	}
	return groups[i]
}

// groups returns the number of groups of n rows or columns.
func groups(list []int, n int) int {
	if list == nil {
		return n
	}
	if len(list) != n {
		panic(fmt.Sprintf("solve: groups of %d rows or columns for %d", len(list), n))
	}
	most := 0
	for _, g := range list {
		most = max(most, g)
	}
	return most + 1
}
