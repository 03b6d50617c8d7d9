package score

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// triangle regresses a column on others, of whose correlations C the diagonal is raised to 1 + ridge:
//
//	L Lᵀ = C_PP + ridge·I,   z = L⁻¹ C_Pv,   1 + ridge - zᵀz is left of the variance of v.
//
// A pivot below least is taken for floor. Where that is 0, the column adds nothing to those before it.
type triangle struct {
	r                   *matrix.Dense[float64]
	ridge, least, floor float64

	l      []float64 // K×K row-major, lower triangle
	pivots []float64 // squares of its diagonal
	z, w   []float64 // of the response, and of a candidate
	taken  []bool    // for others
}

// factor leaves L, its pivots and z of v given its parents, and returns what is left of the variance of v. It costs k³/6 multiplications.
func (t *triangle) factor(v int, parents []int) (left float64) {
	k := len(parents)
	t.l, t.pivots, t.z = grown(t.l, k*k), grown(t.pivots, k), grown(t.z, k)
	left = 1 + t.ridge
	for i, p := range parents {
		row := t.l[i*k : i*k+i+1]
		t.pivots[i] = t.solve(row[:i], t.r.Row(p), parents[:i], k)
		row[i] = math.Sqrt(t.pivots[i])
		t.z[i] = 0
		if row[i] > 0 {
			t.z[i] = (t.r.At(v, p) - vec.Dot(row[:i], t.z[:i])) / row[i]
		}
		left -= t.z[i] * t.z[i]
	}
	return left
}

// solve writes L⁻¹ × the parents' correlations with a column to out, and returns the pivot of that column.
func (t *triangle) solve(out, with []float64, parents []int, k int) float64 {
	left := 1 + t.ridge
	for j, q := range parents {
		row := t.l[j*k : j*k+j+1]
		out[j] = 0
		if row[j] > 0 {
			out[j] = (with[q] - vec.Dot(out[:j], row[:j])) / row[j]
		}
		left -= out[j] * out[j]
	}
	if left < t.least {
		return t.floor
	}
	return left
}

// candidate returns the pivot of x after the parents that factor was called with for v, and what x takes from the variance of v. It
// costs k²/2 multiplications.
func (t *triangle) candidate(x, v int, parents []int) (pivot, takes float64) {
	k := len(parents)
	t.w = grown(t.w, k)
	if pivot = t.solve(t.w, t.r.Row(x), parents, k); pivot > 0 {
		c := t.r.At(v, x) - vec.Dot(t.w, t.z)
		takes = c * c / pivot
	}
	return pivot, takes
}

// others marks v and its parents: the columns that are not marked can become one.
func (t *triangle) others(v int, parents []int) (taken []bool) {
	t.taken = grown(t.taken, t.r.Rows)
	clear(t.taken)
	t.taken[v] = true
	for _, p := range parents {
		t.taken[p] = true
	}
	return t.taken
}
